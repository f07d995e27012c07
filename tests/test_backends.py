"""Where the jobs of an experiment run: the same rows everywhere, and what is refused."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import joblib
import pandas as pd
import pytest
from joblib.parallel import ThreadingBackend

from agents.backends import BACKENDS, backend, end_with
from agents.experiment import run_experiment
from waiting import soon

JOBS = [{"name": name, "seed": seed} for name in ("a", "b") for seed in range(6)]
ROWS = pd.DataFrame([{**job, "value": job["seed"] / 7} for job in JOBS])


def processes_of(folder: Path) -> set[int]:
    """The processes that made the rows, which are those of all backends."""

    def function(name: str, seed: int) -> dict[str, Any]:  # reaches other processes by value
        import os
        import time

        time.sleep(0.02)
        return {"value": seed / 7, "process": os.getpid()}

    frame = run_experiment(folder / "t.csv", function, JOBS)
    pd.testing.assert_frame_equal(frame.drop(columns="process"), ROWS)
    return set(frame["process"])


def active() -> tuple[type, int]:
    """The class of the backend that is configured, and its number of jobs."""
    configured, num_jobs = joblib.parallel.get_active_backend()
    return type(configured), num_jobs


@pytest.mark.parametrize("workers", [None, 1, 2])
def test_local_workers_make_the_same_rows(tmp_path, workers):
    with backend("local", workers):
        processes = processes_of(tmp_path)
    assert (os.getpid() in processes) == (workers != 2)
    assert len(processes) <= (workers or 1)


def test_a_cluster_of_dask_is_started_and_ended(tmp_path, monkeypatch):
    import distributed
    import psutil

    monkeypatch.chdir(tmp_path)

    def listening():
        sockets = psutil.Process().net_connections("tcp")
        return {tuple(socket.laddr) for socket in sockets if socket.status == "LISTEN"}

    before, configured = listening(), active()
    with backend("dask", 2):
        opened = listening() - before
        assert len(opened) >= 2  # of the scheduler and the dashboard, at least
        assert {host for host, _ in opened} == {"127.0.0.1"}
        client = distributed.get_client()
        client.wait_for_workers(2, timeout=60)
        assert len(client.nthreads()) == 2
        processes = processes_of(tmp_path)
    assert os.getpid() not in processes
    assert active() == configured
    assert client.status == "closed"
    with pytest.raises(ValueError, match=r"No .*client found"):
        distributed.get_client()


@pytest.mark.slow
def test_a_cluster_of_dask_that_is_there_is_used_and_left(tmp_path, monkeypatch):
    import distributed

    monkeypatch.chdir(tmp_path)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster:
        with backend("dask", address=cluster.scheduler_address):
            processes = processes_of(tmp_path)
        assert cluster.status.name == "running"
        with distributed.Client(cluster) as client:
            done = client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert all(done.values())
    assert os.getpid() not in processes


def test_a_cluster_that_cannot_be_reached_is_told():
    import dask

    with (
        dask.config.set({"distributed.comm.timeouts.connect": "0.3s"}),
        pytest.raises(OSError, match=r"127\.0\.0\.1:9"),
        backend("dask", address="tcp://127.0.0.1:9"),
    ):
        pass


# --- Workers whose run is killed ---

SCRIPT = """
import sys, time
from pathlib import Path
from agents import MCTS
from agents.backends import backend
from agents.experiment import run_experiment
from carcassonne_env import CarcassonneModel

folder = Path(sys.argv[1])

def endless(seed):
    import fcntl

    file = (folder / str(seed)).open("a")
    fcntl.flock(file, fcntl.LOCK_EX)  # for as long as the worker lives
    (folder / f"{seed}.begun").touch()
    if seed == 1:
        MCTS(iterations=10**9, max_nodes=1000).search(CarcassonneModel(deterministic=True))
    time.sleep(600)

if __name__ == "__main__":
    with backend(sys.argv[2], 2):
        run_experiment(folder / "t.csv", endless, [{"seed": seed} for seed in range(2)])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes do not see that their parent ends")
@pytest.mark.parametrize("name", ["local", "dask"])
def test_workers_end_when_their_run_is_killed(name, tmp_path):
    """Two of them, one asleep and one searching; each holds a lock until it is gone."""
    import fcntl

    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")

    def is_free(lock):
        with lock.open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    command = [sys.executable, str(script), str(tmp_path), name]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL) as run:
        try:
            assert soon(lambda: len(list(tmp_path.glob("*.begun"))) == 2)
            locks = [tmp_path / "0", tmp_path / "1"]
            assert not any(map(is_free, locks))
            run.kill()
            assert run.wait(10) == -signal.SIGKILL
            assert soon(lambda: all(map(is_free, locks)))
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)  # its workers


def test_only_workers_end_with_a_run():
    """The run itself, which may have a parent that ends before it, goes on."""
    before = threading.active_count()
    end_with(os.getpid())
    assert threading.active_count() == before


# --- Ray, in a theatre: the true one takes a minute to start ---


class Ray(ModuleType):
    """Notes what it is told."""

    def __init__(self) -> None:
        super().__init__("ray")
        self.calls: list[Any] = []

    def init(self, address: str | None, **options: Any) -> None:
        self.calls.append((address, options))

    def shutdown(self) -> None:
        self.calls.append("shutdown")


@pytest.fixture
def ray(monkeypatch):
    """A library of that name, whose jobs run in threads."""
    library = Ray()
    module = ModuleType("ray.util.joblib.ray_backend")
    module.RayBackend = type("RayBackend", (ThreadingBackend,), {})
    monkeypatch.setitem(sys.modules, "ray", library)
    for name in ("ray.util", "ray.util.joblib"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return library


@pytest.mark.parametrize(
    ("workers", "address", "num_cpus", "num_jobs"),
    [(None, None, None, -1), (2, None, 2, 2), (3, "ray://x:1", None, 3), (None, "auto", None, -1)],
)
def test_ray_is_started_or_joined(tmp_path, ray, workers, address, num_cpus, num_jobs):
    with backend("ray", workers, address):
        active, count = joblib.parallel.get_active_backend()
        assert count == num_jobs
        assert active.supports_return_generator
        processes_of(tmp_path)
    ((where, options), end) = ray.calls
    assert (where, options["num_cpus"], end) == (address, num_cpus, "shutdown")


@pytest.mark.parametrize("name", ["local", "ray"])
def test_what_was_configured_is_restored(name, ray):
    before = active()
    with pytest.raises(ZeroDivisionError), backend(name, 1):
        raise ZeroDivisionError
    assert active() == before
    assert (ray.calls[-1:] == ["shutdown"]) == (name == "ray")


@pytest.mark.skipif("WITH_RAY" not in os.environ, reason="takes a minute: set WITH_RAY=1")
@pytest.mark.filterwarnings("default")
def test_the_true_ray_makes_the_same_rows(tmp_path):
    pytest.importorskip("ray")
    with backend("ray", 2):
        processes = processes_of(tmp_path)
    assert os.getpid() not in processes


# --- Refusals ---


@pytest.mark.parametrize("name", ["Dask", "", "loky", None])
def test_unknown_backends_are_refused(name):
    message = r"backend must be one of \('local', 'dask', 'ray'\), got " + repr(name)
    with pytest.raises(ValueError, match=message), backend(name):
        pass
    assert BACKENDS == ("local", "dask", "ray")


@pytest.mark.parametrize(
    ("name", "module", "library"), [("dask", "dask.distributed", "dask"), ("ray", "ray", "ray")]
)
def test_a_missing_library_is_named(name, module, library, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    message = f'the backend "{name}" needs the package {library}, .* the extra "cluster"'
    with pytest.raises(ImportError, match=message), backend(name, 2):
        pass
