"""Time and memory of training steps, measured before a run starts."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from regard.data.loading.loader import TrainingStep

# -- peak memory of this process. Does not import torch --------------------------------------------


def process_peak() -> int:
    """Return the peak resident memory of this process in bytes; 0 if unknown, as on Windows."""
    status = Path("/proc/self/status")
    if status.exists():  # on Linux `ru_maxrss` includes the parent's peak
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


# -- dry run ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DryRun:
    """Cost of a training step."""

    seconds: float  # of the fastest step
    mean_seconds: float  # of all but the first, which allocates memory and selects kernels
    tokens: float  # target tokens per step
    memory: int  # peak so far, in bytes


def measure_steps(
    steps: Generator[TrainingStep[Any], None, None],
    compute: Callable[[TrainingStep[Any]], object],
    device: torch.device,
    count: int,
) -> DryRun:
    """Call `compute` with the next `count` steps, at least two, and measure it."""
    seconds, tokens = [], []
    try:
        for step in islice(steps, count):
            clock = time.perf_counter()
            compute(step)
            seconds.append(time.perf_counter() - clock)
            tokens.append(step.target_tokens)
    finally:
        steps.close()
    mean = sum(seconds[1:]) / (count - 1)
    return DryRun(min(seconds), mean, sum(tokens) / count, peak_memory(device))


def peak_memory(device: torch.device) -> int:
    """Return the peak memory in bytes of a GPU, or of this process on other devices."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    return process_peak()
