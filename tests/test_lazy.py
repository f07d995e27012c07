"""Packages that import their names on demand."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import pytest

import agents
import carcassonne_env
import fop_env
from agents import lazy

PACKAGES = [agents, carcassonne_env, fop_env]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_a_package_has_its_names_and_no_others(package):
    assert set(package.__all__) <= set(dir(package))
    for name in package.__all__:
        assert getattr(package, name) is not None
    found: dict[str, object] = {}
    exec(f"from {package.__name__} import *", found)
    assert set(package.__all__) - {"__version__"} <= set(found)
    with pytest.raises(AttributeError, match=r"has no attribute 'Nonsense'"):
        package.Nonsense  # noqa: B018
    with pytest.raises(ImportError, match="Nonsense"):
        exec(f"from {package.__name__} import Nonsense")


def loaded_after(code: str) -> set[str]:
    """The modules that a new process has loaded after some code."""
    code = f"import sys\n{code}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_importing_a_package_loads_no_planner():
    loaded = loaded_after("import carcassonne_env, fop_env")
    assert "agents.lazy" in loaded
    assert not loaded & {"agents.mcts.planner", "agents.registry", "carcassonne_env.model"}


def test_players_of_games_load_no_environment():
    loaded = loaded_after("import agents\nagents.make('greedy')")
    assert {"carcassonne_env.model", "fop_env.entry"} <= loaded
    assert not loaded & {"gymnasium", "pettingzoo"}


def test_environments_of_gymnasium_do_not_load_pettingzoo():
    make = 'gymnasium.make("Carcassonne-1p-3m-s")'
    loaded = loaded_after(f"import gymnasium, carcassonne_env\n{make}")
    assert "agents.env_base" in loaded
    assert "pettingzoo" not in loaded


@pytest.mark.parametrize(
    "imports",
    [
        "carcassonne_env, fop_env, gymnasium, pettingzoo",
        "gymnasium, pettingzoo, carcassonne_env, fop_env",
        "carcassonne_env, pettingzoo, gymnasium.envs.registration, fop_env",
        "fop_env, carcassonne_env.pettingzoo_env",
        "carcassonne_env, fop_env; importlib.util.find_spec('gymnasium')",
    ],
)
def test_environments_are_registered_in_each_order_of_imports(imports):
    loaded_after(
        f"import importlib.util, {imports}; import gymnasium, pettingzoo\n"
        "for id_ in ('Carcassonne-1p-3m-d', 'Carcassonne/2p-7m-s-v0', 'FOP-f1'):\n"
        "    gymnasium.make(id_)\n"
        "if hasattr(pettingzoo, 'register'):\n"
        "    pettingzoo.make('aec', 'carcassonne-v0'), pettingzoo.make('aec', 'fop-v0')"
    )


GAME = {"agents.agent", "agents.registry", "carcassonne_env.model", "numpy"}


def test_the_server_loads_no_game():
    loaded = loaded_after("import agents.web.server, carcassonne_env.web.site")
    assert "agents.web.messages" in loaded
    assert not loaded & GAME


def test_help_loads_no_game():
    loaded = loaded_after(
        "from carcassonne_env.cli.main import commands, main\n"
        "for name in ['', *(command.__name__ for command in commands())]:\n"
        "    sys.argv = ['carcassonne', *name.split(), '--help']\n"
        "    try:\n        main()\n    except SystemExit as end:\n        assert end.code == 0"
    )
    assert {"carcassonne_env.cli.play", "typer"} <= loaded
    assert not loaded & (GAME | {"pandas", "starlette", "textual", "tqdm"})


def test_threads_import_one_after_the_other(monkeypatch):
    """Two that import at the same time could see half of a module."""
    inside, most = [], []

    def slow(name):
        inside.append(name)
        most.append(len(inside))
        time.sleep(0.05)
        inside.remove(name)
        return import_module(name)

    monkeypatch.setattr(lazy, "import_module", slow)
    get, _, _ = lazy.on_demand("agents", agents.__file__)
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(get, ["MCTS", "Expectimax", "registry"]))
    assert found == [agents.MCTS, agents.Expectimax, agents.registry]
    assert most == [1, 1, 1]
