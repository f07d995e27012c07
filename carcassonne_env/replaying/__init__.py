"""Games after they were played: files, what their moves lost, pages and pictures."""

from typing import TYPE_CHECKING

from agents.lazy import on_demand

if TYPE_CHECKING:
    from carcassonne_env.replaying.analysis import (
        MoveLoss as MoveLoss,
        analyse_game as analyse_game,
    )
    from carcassonne_env.replaying.replay_page import replay as replay
    from carcassonne_env.replaying.saved_game import SavedGame as SavedGame, order_of as order_of
else:
    __getattr__, __dir__, __all__ = on_demand(__name__, __file__)
