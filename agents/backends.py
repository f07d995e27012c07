"""Backends that run the jobs of an experiment: local processes, or a Dask or Ray cluster.

Needs the extra ``experiments``; clusters also need the extra ``cluster``.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from agents.checks import check_choice, check_count, extra

with extra("experiments", __name__):
    import joblib

BACKENDS = ("local", "dask", "ray")
MAX_WORKERS = 10**6
LOOPBACK = "127.0.0.1"
WATCH_INTERVAL = 1.0
"""Seconds between two checks whether the process that started a worker still runs."""


@contextmanager
def backend(name: str, workers: int | None = None, address: str | None = None) -> Iterator[None]:
    """A context in which `agents.experiment.run_experiment` runs its jobs on a backend.

    The backend is used by calls without the argument ``workers``.

    Args:
        name: "local", "dask" or "ray".
        workers: Number of processes. None means one local process, or all workers of a cluster. If
            a running cluster is given by its address: the number of jobs sent to it at a time.
        address: The address of a running cluster: of its scheduler (Dask) or its head node (Ray);
            "auto" for the Ray cluster that this machine belongs to. None starts a cluster on this
            machine.

    Raises:
        ImportError: If the library of the backend is not installed.
        OSError: If the cluster cannot be reached.
        ValueError: If the name is unknown, `workers` is below 1, or the backend is "local" and an
            address is given.
    """
    check_choice("backend", name, BACKENDS)
    if workers is not None:
        workers = check_count("workers", workers, 1, MAX_WORKERS)
    if name == "local":
        if address is not None:
            raise ValueError(f"address must be None for the backend 'local', got {address!r}")
        with joblib.parallel_config(n_jobs=workers):
            yield
    else:
        with (_dask if name == "dask" else _ray)(workers, address):
            yield


@contextmanager
def _dask(workers: int | None, address: str | None) -> Iterator[None]:
    with extra("cluster", 'the backend "dask"'):
        from dask.distributed import Client, LocalCluster
    options = {"threads_per_worker": 1, "dashboard_address": f"{LOOPBACK}:0"}
    there = nullcontext(address) if address else LocalCluster(n_workers=workers, **options)
    num_jobs = workers if address and workers else -1
    with there as cluster, Client(cluster), joblib.parallel_config("dask", n_jobs=num_jobs):
        yield


@contextmanager
def _ray(workers: int | None, address: str | None) -> Iterator[None]:
    with extra("cluster", 'the backend "ray"'):
        import ray
        from ray.util.joblib.ray_backend import RayBackend

    class StreamingRayBackend(RayBackend):
        supports_return_generator = True  # Ray's pool can, joblib's own cannot

    joblib.register_parallel_backend("ray", StreamingRayBackend)
    ray.init(address, num_cpus=None if address else workers, log_to_driver=False)
    try:
        with joblib.parallel_config("ray", n_jobs=workers or -1):
            yield
    finally:
        ray.shutdown()


def end_with(parent: int) -> None:
    """Makes this process end soon after its parent ends, if that has the id `parent`.

    Each job calls this function. Without it, workers would continue their jobs after the run was
    killed. It has no effect in the run itself, in workers on other machines, and on Windows, where
    a process does not notice that its parent has ended.
    """
    if os.getppid() == parent:
        _watch(parent)


@functools.cache
def _watch(parent: int) -> None:
    """Starts the thread that watches the parent; further calls in a process do nothing."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_INTERVAL)
        os._exit(1)

    threading.Thread(target=watch, name="end with the parent", daemon=True).start()
