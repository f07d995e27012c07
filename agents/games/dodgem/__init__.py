"""Dodgem: bring your cars across the board before the opponent does.

Read `model.pyi` for the public view, `board.pxd` for the rules on bit boards, then `model.pyx`.
"""

from .model import Dodgem

__all__ = ["Dodgem"]
