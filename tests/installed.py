"""What the installed packages must do without this checkout: ``python tests/installed.py``.

`.ci/checks dist` and the workflow that builds wheels run it where only the distribution and the
libraries that it needs are installed, so it imports no other file and no test library.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path

import gymnasium

import agents
import carcassonne_env
import fop_env
from agents.catalogue import named_players
from agents.games import game_names, make

PACKAGES = (agents, carcassonne_env, fop_env)
ROOT = Path(__file__).resolve().parents[1]
OPTIONS = {"-1p-": "num_players=1, tiles=small", "-2p-small": "tiles=small"}
"""The options of the game that a network learned, for each part of its name that tells them."""


def check_files() -> None:
    """The packages are not those of the checkout, and hold what other Cython code and mypy read."""
    for package in PACKAGES:
        folder = Path(package.__file__).parent
        assert folder.parent != ROOT, f"{folder} is not installed"
        assert (folder / "py.typed").is_file()
        for source in (ROOT / folder.name).rglob("*.p*"):
            if source.suffix in (".py", ".pyx", ".pxd", ".pyi"):
                assert (folder.parent / source.relative_to(ROOT)).is_file(), source


def check_versions() -> None:
    """The packages have one version."""
    (version,) = {package.__version__ for package in PACKAGES}
    assert version[0].isdigit(), version


def check_games() -> None:
    """Every game starts, and every named player that a game brings chooses a legal action."""
    for name in game_names():
        brought = [text for key, text in named_players().items() if key.startswith(f"{name}.")]
        for player in ("random", "mcts(iterations=20)", *brought):
            options = [text for part, text in OPTIONS.items() if part in player]
            game = make(f"{name}({', '.join(options)})", seed=0)
            while game.is_chance_node():
                game.apply_action(game.chance_outcomes()[0][0])
            action = agents.make(player, seed=0).choose(game)
            assert action in game.legal_actions(), (name, player)


def check_environments() -> None:
    """A planner plays a step in every registered environment, and games are stepped at once."""
    own = [i for i in gymnasium.registry if i.startswith(("Carcassonne-", "FOP-"))]
    assert len(own) >= 10, own
    for env_id in own:
        env = gymnasium.make(env_id)
        observation, _ = env.reset(seed=0)
        assert observation in env.observation_space
        env.step(agents.MCTS(20, seed=0).act(env))
    envs = gymnasium.make_vec("Carcassonne-1p-3m-d", num_envs=4)
    observation, _ = envs.reset(seed=0)
    envs.step(envs.action_space.sample(tuple(observation["action_mask"])))


def check_command() -> None:
    """``carcassonne --help`` explains itself, or names the missing extra in one line."""
    command = next(Path(sysconfig.get_path("scripts")).glob("carcassonne*"))
    done = subprocess.run([command, "--help"], capture_output=True, encoding="utf-8")
    if done.returncode:
        assert done.stderr.startswith("error: No module named 'typer'; pip install"), done.stderr
    else:
        assert "tournament" in done.stdout, done.stdout


if __name__ == "__main__":
    warnings.simplefilter("error")
    check_files()
    check_versions()
    check_games()
    check_environments()
    check_command()
    print(f"carcassonne-planning {agents.__version__} works in {sys.prefix}")
