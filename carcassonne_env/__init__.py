"""Carcassonne: rules, environments and pictures. Importing the package registers its environments.

``CarcassonneModel`` is the game as planners see it; ``gymnasium.make`` builds the environments.
"""

import gymnasium

from carcassonne_env.model import CarcassonneModel
from carcassonne_env.position import Feature, Move, PlacedMeeple, PlacedTile

__all__ = ["CarcassonneModel", "Feature", "Move", "PlacedMeeple", "PlacedTile"]

for _num_meeples in (1, 3):
    for _suffix, _deterministic in (("d", True), ("s", False)):
        gymnasium.register(
            id=f"Carcassonne-1p-{_num_meeples}m-{_suffix}",
            entry_point="carcassonne_env.gymnasium_env:CarcassonneEnv",
            kwargs={"num_meeples": _num_meeples, "deterministic": _deterministic},
        )
