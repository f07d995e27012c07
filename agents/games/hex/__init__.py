"""Hex: black joins top and bottom, white joins left and right.

Read ``board.pxd`` (a position and its rules) first, then ``playout.pxd`` (random games),
``distance.pxd`` (a heuristic), ``surroundings.pxd`` (the cells that indicators look at),
``model.pyx`` (the game as planners see it) and ``picture.py``.
"""

from agents.games.hex.model import Hex

__all__ = ["Hex"]
