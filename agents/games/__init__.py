"""Games by name, those of other distributions among them, and test-bed games, one folder each.

>>> from agents.games import make
>>> make("fop(function=f4)").num_actions
2
"""

from agents.catalogue import Game, game, game_names, make_game

make = make_game

__all__ = ["Game", "game", "game_names", "make", "make_game"]
