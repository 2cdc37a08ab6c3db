"""What a run will cost, measured before it begins: a few steps that move nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch

from regard.data.loading.loader import TrainingStep
from regard.train.peak_memory import process_peak

_STEPS = 3  # the first is slower: it finds memory and chooses kernels


@dataclass(frozen=True, slots=True)
class DryRun:
    seconds: float  # that a step takes
    tokens: float  # that it predicts
    memory: int  # bytes at the most, so far


def measure_steps(
    steps: Generator[TrainingStep[Any], None, None],
    compute: Callable[[TrainingStep[Any]], object],
    device: torch.device,
) -> DryRun:
    """Compute what the next steps would, but for the change."""
    took, tokens = [], []
    try:
        for step in islice(steps, _STEPS):
            clock = time.perf_counter()
            compute(step)
            took.append(time.perf_counter() - clock)
            tokens.append(step.target_tokens)
    finally:
        steps.close()
    return DryRun(min(took), sum(tokens) / len(tokens), peak_memory(device))


def peak_memory(device: torch.device) -> int:
    """Bytes: of the device where it has memory of its own, else of the process."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    return process_peak()
