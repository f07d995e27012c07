"""Where the jobs of an experiment run: processes of this machine, or a Dask or Ray cluster.

Needs the extra ``experiments``, clusters the extra ``cluster``.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import joblib

from agents.checks import check_choice, check_count

BACKENDS = ("local", "dask", "ray")
MAX_WORKERS = 10**6
LOOPBACK = "127.0.0.1"
WATCH_INTERVAL = 1.0
"""Seconds after which a worker looks again whether the process that started it is there."""


@contextmanager
def backend(name: str, workers: int | None = None, address: str | None = None) -> Iterator[None]:
    """Has the jobs of `agents.experiment.run_experiment`, called without ``workers``, run there.

    Args:
        name: "local", "dask" or "ray".
        workers: Number of processes; None for one, and in a cluster for as many as it has. Of a
            cluster that is there: how many jobs are sent at a time.
        address: Of a cluster's scheduler (Dask) or head (Ray), "auto" for the Ray cluster that this
            machine belongs to; None to start a cluster on this machine.

    Raises:
        ImportError: If the library of the backend is not installed.
        OSError: If the cluster cannot be reached.
        ValueError: If the name is unknown, workers are not 1 or more, or local processes are given
            an address.
    """
    check_choice("backend", name, BACKENDS)
    if workers is not None:
        check_count("workers", workers, 1, MAX_WORKERS)
    if name == "local":
        if address is not None:
            raise ValueError(f"address is that of a cluster, and the backend local: {address!r}")
        with joblib.parallel_config(n_jobs=workers):
            yield
    else:
        with (_dask if name == "dask" else _ray)(workers, address):
            yield


@contextmanager
def _dask(workers: int | None, address: str | None) -> Iterator[None]:
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError as error:
        raise ImportError('the backend "dask" needs dask[distributed]: extra "cluster"') from error
    if address is not None:
        with Client(address), joblib.parallel_config("dask", n_jobs=workers or -1):
            yield
        return
    cluster = LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=f"{LOOPBACK}:0"
    )
    with cluster, Client(cluster), joblib.parallel_config("dask", n_jobs=-1):
        yield


@contextmanager
def _ray(workers: int | None, address: str | None) -> Iterator[None]:
    try:
        import ray
        from ray.util.joblib.ray_backend import RayBackend
    except ImportError as error:
        raise ImportError('the backend "ray" needs ray: extra "cluster"') from error

    class StreamingRayBackend(RayBackend):
        supports_return_generator = True  # joblib's own pools cannot, Ray's can

    joblib.register_parallel_backend("ray", StreamingRayBackend)
    ray.init(address, num_cpus=None if address else workers, log_to_driver=False)
    try:
        with joblib.parallel_config("ray", n_jobs=workers or -1):
            yield
    finally:
        ray.shutdown()


def end_with(run: int) -> None:
    """Ends this process soon after another one, if that one has started it.

    Otherwise workers would go on with their jobs when the run is killed. Called by each job. It has
    no effect in the run itself, in workers on other machines, and on Windows, where a process does
    not see that its parent is gone.

    Args:
        run: The id of the other process.
    """
    if os.getppid() == run:
        _watch(run)


@functools.cache
def _watch(parent: int) -> None:
    """Begins to watch the parent, once in a process."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_INTERVAL)
        os._exit(1)

    threading.Thread(target=watch, name="end with the parent", daemon=True).start()
