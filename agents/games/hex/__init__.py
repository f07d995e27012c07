"""Hex: black joins top and bottom, white joins left and right.

Read ``board.pxd`` (a position, its rules and what can be asked of it) first, then ``playout.pxd``
(random games), ``model.pyx`` (the game as planners see it) and ``picture.py``.
"""

from agents.games.hex.model import Hex

__all__ = ["Hex"]
