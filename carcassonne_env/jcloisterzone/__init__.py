"""JCloisterZone 5, a program with which people play: its saved games, and a seat in its games.

`messages` reads what the program writes, and `client` plays. carcassonne_env/README.md names the
sources that they follow.
"""
