"""The Function Optimisation Problem as a game of OpenSpiel. Importing this registers `python_fop`.

>>> import pyspiel
>>> import fop_env.openspiel
>>> game = pyspiel.load_game("python_fop(function=f4,num_players=2)")
"""

import numpy as np
from numpy.typing import NDArray

from agents.adapters.openspiel_game import View, register

from .entry import make
from .model import FopModel
from .observation import observe


class _View(View[FopModel]):
    """The actions of the model and the observations of the environments."""

    def observation(self, model: FopModel, player: int) -> NDArray[np.float32]:
        return observe(model)["observation"]


register(
    "python_fop",
    make,
    view=_View,
    num_players=(1, 2),
    is_zero_sum=True,
    max_game_length=lambda start: start.num_levels,
)
