"""Time, memory and disk of work whose size doubles three times.

Linear work takes twice as much at each doubling, and `LIMIT` times that is allowed, over all three
doublings: a cache that is filled once in one of them says nothing. Memory is the peak of
`tracemalloc`, and disk the bytes that the process has written, intermediate files included: both
are the same in every run. CPU time varies with what else the machine does, so the least of several
runs counts, and more runs are made before it is called too long.

    python -m tests.growth.measure quick|full [NAME ...]

measures the cases of `cases.py` in a process of its own, without the type checks of the tests, and
prints one JSON object for each.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

DOUBLINGS = 3
LIMIT = 1.15
GROWTH = (2 * LIMIT) ** DOUBLINGS  # from the smallest size to the largest
ATTEMPTS = 6
CONSTANT = 64_000  # bytes that may be needed once: buffers, caches of Python
SHORTEST = 0.003  # seconds; what takes less is mostly constant

Work = Callable[[], "dict[str, float] | None"]
"""May return the CPU seconds of its stages, which are checked too."""
Prepare = Callable[[int], Work]
"""Returns the work on an input of this size. Making the input is not measured."""


def growth_errors(prepare: Prepare, size: int) -> list[str]:
    """What grows faster than the size: time, memory or written bytes.

    `size`: the smallest, at which the linear part has to be larger than the constant one.
    """
    sizes = [size << doubling for doubling in range(DOUBLINGS + 1)]
    works = {each: prepare(each) for each in sizes}
    works[size]()  # imports and caches
    memory, disk = zip(*(_measure(works[each]) for each in sizes), strict=True)
    errors = [
        f"{name} grows {sizes} → {values}"
        for name, values in (("memory", memory), ("disk", disk))
        if values[-1] > GROWTH * values[0] + CONSTANT
    ]
    smallest: dict[str, float] = {}
    largest: dict[str, float] = {}
    slow: list[str] = []
    for _ in range(ATTEMPTS):
        _keep_least(smallest, works[sizes[0]])
        _keep_least(largest, works[sizes[-1]])
        slow = [
            f"{stage} takes {smallest[stage]:.4f} s → {largest[stage]:.4f} s"
            for stage in smallest
            if largest[stage] > GROWTH * max(SHORTEST, smallest[stage])
        ]
        if not slow:
            break
    return errors + slow


def _keep_least(seconds: dict[str, float], work: Work) -> None:
    gc.collect()
    start = time.process_time()
    stages = work() or {}
    for stage, taken in {**stages, "all": time.process_time() - start}.items():
        seconds[stage] = min(taken, seconds.get(stage, taken))


def _measure(work: Work) -> tuple[int, int]:
    """The peak of memory beyond what was there, and the bytes written."""
    gc.collect()
    written = _written()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        work()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return peak - before, _written() - written


def _written() -> int:
    """The bytes that this process has written; 0 where the system does not count them."""
    counters = Path(f"/proc/{os.getpid()}/io")
    if not counters.exists():
        return 0
    return int(counters.read_text().split("wchar: ")[1].split()[0])


def main(scale: str, names: list[str]) -> None:
    from tests.growth.cases import CASES, use_small_chunks

    use_small_chunks()
    for name in names or CASES:
        case = CASES[name]
        start = time.process_time()
        try:
            errors = growth_errors(case.prepare, case.quick if scale == "quick" else case.full)
        except Exception as error:
            errors = [f"{type(error).__name__}: {error}"]
        seconds = round(time.process_time() - start, 2)
        print(json.dumps({"name": name, "errors": errors, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
