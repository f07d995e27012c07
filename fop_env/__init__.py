"""The Function Optimisation Problem: find the maximum of a function by cutting intervals.

``FopModel`` is the game as planners see it. ``gymnasium.make("FOP-f1")`` and ``fop_env.env()``
build environments; importing the package registers them.
"""

from typing import TYPE_CHECKING

from agents.lazy import on_demand, when_imported
from fop_env.problem import FUNCTIONS as FUNCTIONS

if TYPE_CHECKING:
    from agents.version import __version__ as __version__
    from fop_env.model import FopModel as FopModel
    from fop_env.pettingzoo_env import env as env, raw_env as raw_env
else:
    __getattr__, __dir__, __all__ = on_demand(__name__, __file__)


def _register() -> None:
    import gymnasium

    for function in FUNCTIONS:
        # The id with a version has a namespace, because Gymnasium refuses a name that has both.
        for id_ in (f"FOP-{function}", f"FOP/{function}-v0"):
            entry_point = "fop_env.gymnasium_env:FopEnv"
            gymnasium.register(id=id_, entry_point=entry_point, kwargs={"function": function})


def _register_aec() -> None:
    import pettingzoo

    if hasattr(pettingzoo, "register"):  # PettingZoo 1.26
        pettingzoo.register("aec", "fop-v0", "fop_env:env")


when_imported("gymnasium", _register)
when_imported("pettingzoo", _register_aec)
