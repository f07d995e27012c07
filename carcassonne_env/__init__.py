"""Carcassonne: rules, environments and pictures. Importing the package registers its environments.

``CarcassonneModel`` is the forward model that planners search. ``gymnasium.make`` and
``carcassonne_env.env()`` build the environments. ``PolicyAgent`` lets a learned policy play as an
agent. ``TwoStepAgent`` lets a planner choose the tile's placement first and the meeple second.
"""

import gymnasium
import pettingzoo

from agents.version import __version__
from carcassonne_env.episode import MAX_EPISODE_STEPS
from carcassonne_env.model import CarcassonneModel
from carcassonne_env.pettingzoo_env import env, raw_env
from carcassonne_env.players.policy_agent import PolicyAgent
from carcassonne_env.players.two_step_agent import TwoStepAgent
from carcassonne_env.position import Feature, Move, OutlookEntry, PlacedMeeple, PlacedTile

__all__ = [
    "CarcassonneModel",
    "Feature",
    "Move",
    "OutlookEntry",
    "PlacedMeeple",
    "PlacedTile",
    "PolicyAgent",
    "TwoStepAgent",
    "__version__",
    "env",
    "raw_env",
]

for _num_meeples in (1, 3):
    for _suffix, _deterministic in (("d", True), ("s", False)):
        gymnasium.register(
            id=f"Carcassonne-1p-{_num_meeples}m-{_suffix}",
            entry_point="carcassonne_env.gymnasium_env:CarcassonneEnv",
            vector_entry_point="carcassonne_env.registration:vector_env",
            max_episode_steps=MAX_EPISODE_STEPS,
            kwargs={"num_meeples": _num_meeples, "deterministic": _deterministic},
        )
gymnasium.register(
    id="Carcassonne-2p-7m-s",
    entry_point="carcassonne_env.gymnasium_env:CarcassonneEnv",
    vector_entry_point="carcassonne_env.registration:vector_env",
    max_episode_steps=MAX_EPISODE_STEPS,
    kwargs={"num_players": 2, "num_meeples": 7, "tiles": "base", "deterministic": False},
)

if hasattr(pettingzoo, "register"):  # PettingZoo 1.26
    pettingzoo.register("aec", "carcassonne-v0", "carcassonne_env:env")
