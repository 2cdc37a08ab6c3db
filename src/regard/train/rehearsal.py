"""What a run will cost, measured before it begins: a few steps that move nothing."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import torch

from regard.train.memory import process_peak
from regard.train.state import Buffers

if TYPE_CHECKING:
    from regard.train.trainer import Trainer

_STEPS = 3  # the first is slower: it finds memory and chooses kernels


@dataclass(frozen=True, slots=True)
class Rehearsal:
    seconds: float  # that a step takes
    tokens: float  # that it predicts
    memory: int  # bytes at the most, so far


def rehearse(trainer: Trainer) -> Rehearsal:
    """The passes of the next steps, with all that they would compute but the change."""
    buffers = Buffers(trainer.task)
    steps = trainer.stream.steps(trainer.place)
    took, tokens = [], []
    trainer.task.train()
    try:
        for step in islice(steps, _STEPS):
            clock = time.perf_counter()
            trainer.differentiate(step)
            took.append(time.perf_counter() - clock)
            tokens.append(step.target_tokens)
    finally:
        steps.close()
    trainer.state.optimizer.zero_grad(set_to_none=True)
    buffers.restore()
    return Rehearsal(min(took), sum(tokens) / len(tokens), peak_memory(trainer.world.device))


def peak_memory(device: torch.device) -> int:
    """Bytes: of the device where it has memory of its own, else of the process."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    return process_peak()
