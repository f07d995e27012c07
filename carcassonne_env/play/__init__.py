"""A game that people play: all that a front end needs but the screen."""
