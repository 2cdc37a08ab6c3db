"""Train a small model on a toy task and measure it, in a process without the shape checker."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context

import torch

from benchmarks.toys import Toy, accuracy, pairs, pointing, train_toy
from tests.tiny_models import tiny_run

DIM = {"dim": 64, "embedding_dim": 64, "hidden_dim": 128, "heads": 1, "reach": 5}
LENGTHS = (3, 10)


@dataclass(frozen=True)
class Case:
    """A mechanism that can solve a task, and how long it must be trained."""

    preset: str
    toy: Toy
    steps: int
    set: tuple[str, ...] = ()
    rate: float = 4e-3
    layers: int = 1
    right: float = 0.99
    points: bool = False  # whether its largest weight must be at the true position

    def __str__(self) -> str:
        return " ".join([self.preset, *(s.rpartition("=")[2] for s in self.set), self.toy])


@dataclass(frozen=True)
class Measured:
    accuracy: float
    pointing: dict[str, float]  # of each attention head


@cache
def trained(case: Case) -> Measured:
    """Accuracy and pointing after training; jaxtyping's checks would double the time."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_train, case).result()


def _train(case: Case) -> Measured:
    torch.set_num_threads(1)
    run = tiny_run(case.preset, case.set, layers=case.layers, **DIM)
    model = train_toy(run, case.toy, steps=case.steps, lengths=LENGTHS, rate=case.rate)
    generator = torch.Generator().manual_seed(99)
    low, high = LENGTHS
    lengths = torch.randint(low, high + 1, (300,), generator=generator)
    batch = pairs(case.toy, lengths, generator)
    found = pointing(model, case.toy, batch) if case.points else {}
    return Measured(accuracy(model, batch), found)
