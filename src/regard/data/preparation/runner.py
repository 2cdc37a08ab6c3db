"""Runners of tasks: in this process, in local processes, or on a cluster (ray_runner.py).

Every runner guarantees that `map` returns the results of a pure function in the order of its
arguments, and that only the tasks of a worker that dies are run again.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from types import TracebackType
from typing import TypeVar

from regard.cores import available_cores

A = TypeVar("A")
R = TypeVar("R")

RETRIES = 3  # of a task whose worker died


class Runner(ABC):
    """Runs tasks. A context manager that releases the runner's workers on exit."""

    workers: int = 1

    @abstractmethod
    def map(
        self, function: Callable[[A], R], arguments: Sequence[A], done: Callable[[R], None]
    ) -> list[R]:
        """Return the results in the order of the arguments; call `done` with each when it ends."""

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the workers, if any."""
        return


class InProcessRunner(Runner):
    """Runs tasks sequentially in this process."""

    def map(
        self, function: Callable[[A], R], arguments: Sequence[A], done: Callable[[R], None]
    ) -> list[R]:
        results = []
        for argument in arguments:
            results.append(function(argument))
            done(results[-1])
        return results


class ProcessRunner(Runner):
    """Runs tasks in worker processes on this machine."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def map(
        self, function: Callable[[A], R], arguments: Sequence[A], done: Callable[[R], None]
    ) -> list[R]:
        results: dict[int, R] = {}
        for attempt in range(RETRIES + 1):
            pool = self._pool = self._pool or self._start()
            waiting: dict[Future[R], int] = {}
            try:
                for i, argument in enumerate(arguments):
                    if i not in results:
                        waiting[pool.submit(function, argument)] = i
                for future in as_completed(waiting):
                    results[waiting[future]] = future.result()
                    done(results[waiting[future]])
                break
            except BrokenProcessPool:
                self.close()
                if attempt == RETRIES:
                    raise
        return [results[i] for i in range(len(arguments))]

    def _start(self) -> ProcessPoolExecutor:
        # Spawn, since a fork copies the locks of other threads in an arbitrary state.
        threads = max(1, available_cores() // self.workers)
        return ProcessPoolExecutor(
            self.workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start_worker,
            initargs=(threads,),
        )

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def _start_worker(threads: int) -> None:
    """Share the cores among the workers, and end this one when the driver ends or is killed."""
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))  # before torch is imported
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
