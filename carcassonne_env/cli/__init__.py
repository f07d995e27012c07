"""The command `carcassonne`: games, tournaments and pictures from the command line."""
