"""The Function Optimisation Problem as `agents.games` finds it by name."""

from .model import FopModel

make = FopModel
HEURISTICS = FopModel.heuristics
PLAYERS: dict[str, str] = {}
