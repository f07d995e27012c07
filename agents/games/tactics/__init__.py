"""The tactics game, in which a turn consists of several actions.

Read `model.pyi` and `terms.py` for the public view, `tables.pxd` and `state.pxd` for the position,
then `legal.pyx` and `rules.pyx`.
"""

from .model import TacticsModel
from .terms import TacticsAction, Unit

__all__ = ["TacticsAction", "TacticsModel", "Unit"]
