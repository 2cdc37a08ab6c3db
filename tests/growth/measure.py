"""Time, memory and disk of work whose size doubles three times.

Linear work takes twice as much at each doubling, and `LIMIT` times that is allowed, over all three
doublings: a cache that is filled once in one of them says nothing. Memory is the peak of
`tracemalloc`, and disk the bytes that the process has written, intermediate files included: both
are the same in every run.

CPU time varies with what else the machine does. The smallest size is therefore measured as many
times as fit into the largest, right before it, so that other work slows down both alike. More
rounds are made before a stage is called too slow, and the one with the least growth counts: work
that is quadratic grows too much in all of them.

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
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeAlias

from tests.growth.stage_clock import StageClock

DOUBLINGS = 3
LIMIT = 1.15
GROWTH = (2 * LIMIT) ** DOUBLINGS  # from the smallest size to the largest
ROUNDS = 8
CONSTANT = 64_000  # bytes that may be needed once: buffers, caches of Python
SHORTEST = 0.003  # seconds; what takes less is mostly constant
WHOLE = "all"

Work: TypeAlias = Callable[[], object]
Prepare: TypeAlias = Callable[[int], Work]
"""Returns the work on an input of this size. Making the input is not measured."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What work takes at its smallest and at its largest size.

    Args:
        name: Of the case.
        errors: What grows faster than the size.
        memory: Bytes, at most.
        disk: Bytes that were written.
        seconds: Of the whole work and of each stage, in the round in which they grow least.
        functions: The classes of corpus jobs that have run.
        cost: CPU seconds of the measurement.
    """

    name: str
    errors: list[str]
    memory: list[int] = field(default_factory=list)
    disk: list[int] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    cost: float = 0.0


def measure_growth(name: str, prepare: Prepare, size: int, clock: StageClock) -> Measured:
    """Measure time, memory and written bytes.

    `size`: the smallest, at which the linear part has to be larger than the constant one.
    """
    start = time.process_time()
    clock.functions.clear()
    small, large = prepare(size), prepare(size << DOUBLINGS)
    small()  # imports and caches
    gc.collect()
    gc.freeze()  # what is there now is not collected again, which would take longer than the work
    memory: list[int] = []
    disk: list[int] = []
    for _ in range(2):  # the first may fill caches
        (memory, disk) = map(list, zip(_measure(small), _measure(large), strict=True))
        errors = [
            f"{kind} grows from {least:,} to {most:,} bytes"
            for kind, (least, most) in (("memory", memory), ("disk", disk))
            if most > GROWTH * least + CONSTANT
        ]
        if not errors:
            break
    best: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for stage, pair in _measure_round(small, large, clock).items():
            best[stage] = min(best.get(stage, pair), pair, key=_growth)
        slow = [stage for stage, pair in best.items() if _growth(pair) > GROWTH]
        if not slow:
            break
    errors += [f"{stage} takes {best[stage][0]:.4f} s → {best[stage][1]:.4f} s" for stage in slow]
    seconds = {stage: [round(one, 5) for one in pair] for stage, pair in best.items()}
    functions = sorted(clock.functions)
    cost = round(time.process_time() - start, 2)
    return Measured(name, errors, memory, disk, seconds, functions, cost)


def _growth(seconds: list[float]) -> float:
    return seconds[1] / max(SHORTEST, seconds[0])


def _measure_round(small: Work, large: Work, clock: StageClock) -> dict[str, list[float]]:
    """The mean seconds of the small work, and the seconds of the large work after it."""
    repeats = 1 << DOUBLINGS
    before = _time([small] * repeats, clock)
    after = _time([large], clock)
    return {stage: [before.get(stage, 0.0) / repeats, after[stage]] for stage in after}


def _time(works: list[Work], clock: StageClock) -> dict[str, float]:
    gc.collect()
    clock.take()
    start = time.process_time()
    for work in works:
        work()
    return {WHOLE: time.process_time() - start, **clock.take()}


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
    clock = StageClock()
    clock.install()
    for name in names or CASES:
        case = CASES[name]
        size = case.quick if scale == "quick" else case.full
        try:
            measured = measure_growth(name, case.prepare, size, clock)
        except Exception as error:
            measured = Measured(name, [f"{type(error).__name__}: {error}"])
        print(json.dumps(asdict(measured)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
