"""Games after they were played: files, and pages on which to step through them."""

from .replay_page import replay
from .saved_game import SavedGame, order_of

__all__ = ["SavedGame", "order_of", "replay"]
