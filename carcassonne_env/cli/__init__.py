"""The command `carcassonne`: games, matches and pictures from the command line."""
