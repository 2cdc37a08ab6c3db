"""Who runs the tasks: this process, processes beside it, or a cluster (ray_runner.py).

All keep one promise: `map` gives the results of a pure function in the order of its arguments, and
a worker that dies costs only the tasks it had.
"""

from __future__ import annotations

import multiprocessing
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import TypeVar

A = TypeVar("A")
R = TypeVar("R")

RETRIES = 3  # a task that has killed so many workers and one more will kill them all


class Runner(ABC):
    """To be used as a context, which ends whatever it started."""

    @abstractmethod
    def map(
        self, function: Callable[[A], R], arguments: Sequence[A], done: Callable[[R], None]
    ) -> list[R]:
        """The results in the order of the arguments; each is told to `done` as it comes."""

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
        """End what was started; nothing, where nothing was."""
        return


class InProcessRunner(Runner):
    """One after the other, here."""

    def map(
        self, function: Callable[[A], R], arguments: Sequence[A], done: Callable[[R], None]
    ) -> list[R]:
        results = []
        for argument in arguments:
            results.append(function(argument))
            done(results[-1])
        return results


class ProcessRunner(Runner):
    """On this machine, in processes of our own."""

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
        # Spawned, not forked: a fork would copy threads' locks in whatever state they are.
        return ProcessPoolExecutor(self.workers, mp_context=multiprocessing.get_context("spawn"))

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
