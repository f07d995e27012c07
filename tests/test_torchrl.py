"""torchrl: its checker on every environment and action mode."""

from __future__ import annotations

import pytest

pytest.importorskip("torchrl")

from torchrl.envs import GymEnv
from torchrl.envs.utils import check_env_specs

import carcassonne_env  # noqa: F401
import fop_env

CARCASSONNE = [f"Carcassonne-1p-{m}m-{o}" for m in (1, 3) for o in "ds"] + ["Carcassonne-2p-7m-s"]


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
