"""Data sets of games: what a player did, in a few bytes a move, for learning from it.

A data set holds games, not observations: they are played again to get positions. The command
``carcassonne dataset`` and `carcassonne_env.play.recording` make data sets, and
`carcassonne_env.dataset.minari` exports them.
"""

from .batches import Batch, batches
from .files import digest, load_dataset, save_dataset
from .games import Dataset, Game, Step

__all__ = [
    "Batch",
    "Dataset",
    "Game",
    "Step",
    "batches",
    "digest",
    "load_dataset",
    "save_dataset",
]
