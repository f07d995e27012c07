"""Games after they were played: files, what their moves lost, pages and pictures."""

from .analysis import MoveLoss, analyse_game
from .replay_page import replay
from .saved_game import SavedGame, order_of

__all__ = ["MoveLoss", "SavedGame", "analyse_game", "order_of", "replay"]
