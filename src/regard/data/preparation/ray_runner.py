"""Tasks on a Ray cluster, or on a Ray started for them. The only file that imports Ray.

Plain tasks with retries are all that is asked of it: what is passed around are names of shards.
Every node must see the inputs and the output directory: a shared disk or an object store.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from typing import Any

from regard.data.preparation.runner import RETRIES, A, R, Runner
from regard.errors import ConfigError

_STORE_BYTES = 100 << 20  # Ray's object store carries names and manifests, never data
_IN_FLIGHT = 4  # tasks given out for each worker: enough to keep all of them busy


class RayRunner(Runner):
    """Each argument is a task of Ray's, on one core."""

    def __init__(self, workers: int, address: str | None = None) -> None:
        # Workers at Ray's default niceness of 15 starve on a shared machine; nothing is reported.
        os.environ.setdefault("RAY_worker_niceness", "0")
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        try:
            import ray
        except ImportError:
            raise ConfigError(
                "engine: ray is not installed; pip install 'regard[cluster]', or use engine: local"
            ) from None
        self.workers = workers
        self._ray = ray
        self._ours = not ray.is_initialized()
        if self._ours and address is not None:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        elif self._ours:
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
        given = 0
        while len(results) < len(arguments):
            while given < len(arguments) and len(waiting) < _IN_FLIGHT * self.workers:
                waiting[remote.remote(arguments[given])] = given
                given += 1
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
        if self._ours:
            self._ray.shutdown()
