"""Packages that import their names on demand."""

from __future__ import annotations

import subprocess
import sys

import pytest

import agents
import carcassonne_env
import fop_env

PACKAGES = [agents, carcassonne_env, fop_env]
THREADS = """
import threading, agents
barrier, failed = threading.Barrier(6), []
def ask(name):
    barrier.wait()
    try:
        __import__(name) if "." in name else getattr(agents, name)
    except BaseException as error:
        failed.append((name, error))
names = {names}
threads = [threading.Thread(target=ask, args=(name,)) for name in names]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert not failed, failed
"""


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


def test_importing_a_package_loads_no_planner():
    code = "import sys, carcassonne_env, fop_env; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "agents.lazy" in loaded
    assert not loaded & {"agents.mcts.planner", "agents.registry", "carcassonne_env.model"}


@pytest.mark.parametrize(
    "names",
    [
        ["MCTS", "PUCT", "RacingMCTS", "make", "Expectimax", "EAMCTS"],
        [f"agents.{name}" for name in ("mcts.planner", "mcts.names", "mcts.policies", "registry")]
        + ["agents.racing.planner", "agents.evolving.planners"],
    ],
    ids=["names", "modules"],
)
def test_threads_may_ask_at_the_same_time(names):
    for _ in range(4):
        subprocess.run([sys.executable, "-c", THREADS.format(names=names)], check=True, timeout=60)
