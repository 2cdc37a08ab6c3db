"""Time and memory of training steps, measured before a run starts."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch

from regard.data.loading.loader import TrainingStep
from regard.train.peak_memory import process_peak

_STEPS = 3  # the first is slower: it allocates memory and selects kernels


@dataclass(frozen=True, slots=True)
class DryRun:
    """Cost of a training step."""

    seconds: float
    tokens: float  # target tokens per step
    memory: int  # peak so far, in bytes


def measure_steps(
    steps: Generator[TrainingStep[Any], None, None],
    compute: Callable[[TrainingStep[Any]], object],
    device: torch.device,
) -> DryRun:
    """Call `compute` with the next steps and measure it."""
    seconds, tokens = [], []
    try:
        for step in islice(steps, _STEPS):
            clock = time.perf_counter()
            compute(step)
            seconds.append(time.perf_counter() - clock)
            tokens.append(step.target_tokens)
    finally:
        steps.close()
    return DryRun(min(seconds), sum(tokens) / len(tokens), peak_memory(device))


def peak_memory(device: torch.device) -> int:
    """Return the peak memory in bytes of a GPU, or of this process on other devices."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    return process_peak()
