"""Where the jobs of an experiment run: processes of this machine, or a Dask or Ray cluster.

Needs the extra ``experiments``, clusters the extra ``cluster``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import joblib

from agents.checks import check_choice, check_count

BACKENDS = ("local", "dask", "ray")
MAX_WORKERS = 10**6


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
    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0")
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
