"""Run tasks on a Ray cluster, or on a local Ray instance. The only module that imports Ray.

It uses only plain tasks with retries, which exchange names of shards. Every node must have access
to the inputs and the output directory, on a shared disk or in an object store.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from typing import Any

from regard.data.preparation.runner import RETRIES, A, R, Runner
from regard.errors import ConfigError

_STORE_BYTES = 100 << 20  # Ray's object store holds names and manifests, no data
_IN_FLIGHT = 4  # submitted tasks per worker, enough to keep all workers busy


class RayRunner(Runner):
    """Runs each argument as a Ray task on one core.

    Args:
        workers: number of cores.
        address: of a running cluster; None starts Ray on this machine.
    """

    def __init__(self, workers: int, address: str | None = None) -> None:
        # Workers at Ray's default niceness of 15 starve on a shared machine. No usage statistics.
        os.environ.setdefault("RAY_worker_niceness", "0")
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        try:
            import ray
        except ImportError:
            raise ConfigError(
                "Ray is not installed. Install it with `pip install 'regard[cluster]'`, or use the "
                "local runner."
            ) from None
        self.workers = workers
        self._ray = ray
        self._started = not ray.is_initialized()
        if self._started and address is not None:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        elif self._started:
            ray.init(
                num_cpus=workers,
                include_dashboard=False,
                object_store_memory=_STORE_BYTES,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )

    def map(
        self, function: Callable[[A], R], arguments: Sequence[A], done: Callable[[R], None]
    ) -> list[R]:
        ray = self._ray
        remote = ray.remote(num_cpus=1, max_retries=RETRIES)(function)
        results: dict[int, R] = {}
        waiting: dict[Any, int] = {}
        submitted = 0
        while len(results) < len(arguments):
            while submitted < len(arguments) and len(waiting) < _IN_FLIGHT * self.workers:
                waiting[remote.remote(arguments[submitted])] = submitted
                submitted += 1
            ready, _ = ray.wait(list(waiting))
            for reference in ready:
                i = waiting.pop(reference)
                try:
                    results[i] = ray.get(reference)
                except ray.exceptions.RayTaskError as error:
                    raise error.cause from None
                done(results[i])
        return [results[i] for i in range(len(arguments))]

    def close(self) -> None:
        if self._started:
            self._ray.shutdown()
