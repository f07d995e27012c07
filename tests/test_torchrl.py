"""torchrl: its checker on every environment and action mode, in Gymnasium and in PettingZoo."""

from __future__ import annotations

import pytest

import carcassonne_env
import fop_env
from agents.environments import aec_env
from agents.games import Hex

CARCASSONNE = [f"Carcassonne-1p-{m}m-{o}" for m in (1, 3) for o in "ds"] + ["Carcassonne-2p-7m-s"]


def setup_module() -> None:
    """Imports what takes seconds once tests need it, so not where tests are only collected."""
    global GymEnv, PettingZooWrapper, check_env_specs
    pytest.importorskip("torchrl")
    from torchrl.envs import GymEnv, PettingZooWrapper
    from torchrl.envs.utils import check_env_specs


@pytest.mark.parametrize("action_mode", ["flat", "two_step", "index"])
@pytest.mark.parametrize("name", CARCASSONNE)
def test_carcassonne(name, action_mode):
    env = GymEnv(name, action_mode=action_mode)
    check_env_specs(env)
    env.close()


@pytest.mark.parametrize("function", fop_env.FUNCTIONS)
def test_fop(function):
    env = GymEnv(f"FOP-{function}")
    check_env_specs(env)
    env.close()


ZOO = {
    **{
        mode: lambda mode=mode: carcassonne_env.env(tiles="small", action_mode=mode)
        for mode in ("flat", "two_step", "index")
    },
    "one array": lambda: carcassonne_env.env(
        tiles="small", action_mode="two_step", observation="flat", reward="virtual"
    ),
    "fop": fop_env.env,
    "hex": lambda: aec_env(Hex(4)),
}


@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version:UserWarning")
@pytest.mark.parametrize("name", ZOO)
def test_games_of_several_players(name):
    env = PettingZooWrapper(ZOO[name](), use_mask=True, categorical_actions=True)
    check_env_specs(env)
    env.set_seed(0)
    steps = env.rollout(100)  # the masks make random actions legal
    assert steps["next", "done"][-1].all()
    infos = steps["player_0"].get("info", default=None)
    assert (infos is not None) == (name != "hex")
    if name in ("two_step", "one array"):
        assert len(steps) == 2 * 23
        assert not infos["illegal_action"].any()
    env.close()
