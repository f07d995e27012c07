"""Reversi on 8x8 squares, and Reversi Plus on 10x10 with corners cut off and a random start.

>>> from agents.games.reversi import Reversi
>>> Reversi().pieces
(2, 2)
"""

from .model import Reversi
from .picture import BLOCKED, EMPTY

__all__ = ["BLOCKED", "EMPTY", "Reversi"]
