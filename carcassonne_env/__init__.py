"""Carcassonne: rules, environments and pictures. Importing the package registers its environments.

``CarcassonneModel`` is the forward model that planners search. ``gymnasium.make`` and
``carcassonne_env.env()`` build the environments. ``PolicyAgent`` lets a learned policy play as an
agent, and ``NetworkAgent`` a network from a file. ``TwoStepAgent`` lets a planner choose the tile's
placement first and the meeple second.
"""

from typing import TYPE_CHECKING, Any

from agents.lazy import on_demand, when_imported
from carcassonne_env.tiles import BASE_SET

if TYPE_CHECKING:
    from agents.version import __version__ as __version__
    from carcassonne_env.model import CarcassonneModel as CarcassonneModel
    from carcassonne_env.pettingzoo_env import env as env, raw_env as raw_env
    from carcassonne_env.players.network_agent import NetworkAgent as NetworkAgent
    from carcassonne_env.players.policy_agent import PolicyAgent as PolicyAgent
    from carcassonne_env.players.two_step_agent import TwoStepAgent as TwoStepAgent
    from carcassonne_env.position import (
        Feature as Feature,
        Move as Move,
        OutlookEntry as OutlookEntry,
        PlacedMeeple as PlacedMeeple,
        PlacedTile as PlacedTile,
    )
else:
    __getattr__, __dir__, __all__ = on_demand(__name__, __file__)

_IDS: dict[str, dict[str, Any]] = {
    "1p-1m-d": {"num_meeples": 1, "deterministic": True},
    "1p-1m-s": {"num_meeples": 1, "deterministic": False},
    "1p-3m-d": {"num_meeples": 3, "deterministic": True},
    "1p-3m-s": {"num_meeples": 3, "deterministic": False},
    "2p-7m-s": {"num_players": 2, "num_meeples": 7, "tiles": "base", "deterministic": False},
}
# Four times two steps for each of 72 tiles: no legal game has as many, but a learner may repeat an
# illegal action forever with illegal_action="noop".
_MAX_EPISODE_STEPS = 4 * 2 * sum(BASE_SET.values())


def _register() -> None:
    import gymnasium

    for name, kwargs in _IDS.items():
        # The id with a version has a namespace, because Gymnasium refuses a name that has both.
        for id_ in (f"Carcassonne-{name}", f"Carcassonne/{name}-v0"):
            gymnasium.register(
                id=id_,
                entry_point="carcassonne_env.gymnasium_env:CarcassonneEnv",
                vector_entry_point="carcassonne_env.vector_env:CarcassonneVectorEnv",
                max_episode_steps=_MAX_EPISODE_STEPS,
                kwargs=kwargs,
            )


def _register_aec() -> None:
    import pettingzoo

    if hasattr(pettingzoo, "register"):  # PettingZoo 1.26
        pettingzoo.register("aec", "carcassonne-v0", "carcassonne_env:env")


when_imported("gymnasium", _register)
when_imported("pettingzoo", _register_aec)
