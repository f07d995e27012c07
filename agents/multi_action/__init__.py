"""Planners of whole turns, for games whose players make several moves in a row."""
