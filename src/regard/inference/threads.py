"""The thread policy of inference on a CPU: one thread for each product, several batches at once.

The products of a search are small. Threads that share one wait for each other most of the time, and
on a busy machine each waits for a core. So each product runs in one thread, and the threads that
PyTorch may use (`torch.get_num_threads()`, set by OMP_NUM_THREADS or `--threads`) compute different
batches. Training keeps its own number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from threading import Lock, get_ident
from typing import TypeVar

import torch

T = TypeVar("T")
R = TypeVar("R")


class _ThreadCount:
    """The number of threads that PyTorch may use while some threads compute with one.

    `torch.set_num_threads` applies to the calling thread and to threads that have not computed yet.
    A thread that starts while another one computes with one thread must not take this for the
    number of the process, nor leave it behind.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside: set[int] = set()  # threads that compute with one
        self._allowed = 1

    @property
    def allowed(self) -> int:
        with self._lock:
            return self._allowed if self._inside else torch.get_num_threads()

    @contextmanager
    def single(self) -> Iterator[None]:
        thread = get_ident()
        with self._lock:
            nested = thread in self._inside
            if not self._inside:
                self._allowed = torch.get_num_threads()
            self._inside.add(thread)
            torch.set_num_threads(1)
        try:
            yield
        finally:
            if not nested:
                with self._lock:
                    self._inside.remove(thread)
                    torch.set_num_threads(self._allowed)


_count = _ThreadCount()


def allowed_workers(device: torch.device) -> int:
    """Return the number of batches to compute at once on `device`."""
    return _count.allowed if device.type == "cpu" else 1


@contextmanager
def single_threaded() -> Iterator[None]:
    """Compute each product of the current thread in one thread inside the block.

    Blocks may be nested, and several threads may be inside at once.
    """
    with _count.single():
        yield


def map_batches(function: Callable[[T], R], batches: Sequence[T], workers: int) -> list[R]:
    """Return `function` of each batch, computed by up to `workers` threads with one thread each.

    A single worker is the current thread. Others see its context variables, such as replaced
    normalizers.
    """
    workers = min(workers, len(batches))
    with single_threaded():
        if workers < 2:
            return [function(batch) for batch in batches]
        with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            runs = [partial(copy_context().run, function, batch) for batch in batches]
            return list(pool.map(lambda run: run(), runs))
