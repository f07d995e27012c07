"""Games by name, those of other distributions among them, and test-bed games, one folder each.

>>> from agents.games import Hex, make
>>> make("hex(size=5)") == Hex(size=5)
True
"""

from agents.catalogue import Game, game, game_names, make_game as make
from agents.games.dodgem import Dodgem
from agents.games.hex import Hex
from agents.games.reversi import Reversi
from agents.games.tactics import TacticsAction, TacticsModel, Unit

__all__ = [
    "Dodgem",
    "Game",
    "Hex",
    "Reversi",
    "TacticsAction",
    "TacticsModel",
    "Unit",
    "game",
    "game_names",
    "make",
]
