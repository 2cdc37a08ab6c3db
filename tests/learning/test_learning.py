"""Tests that must learn: `scripts/test -m learning`. Minutes on a CPU, and nothing is taught but
the answer: where to look, a model finds out by itself."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from benchmarks.toys import Toy, accuracy, learn, pairs, pointing
from tests.tiny_models import tiny_run

pytestmark = pytest.mark.learning

DIM = {"dim": 64, "embedding_dim": 64, "hidden_dim": 128, "heads": 1, "reach": 5}
LENGTHS = (3, 10)


@dataclass(frozen=True)
class Case:
    """A mechanism that can solve a task, and what it takes."""

    preset: str
    toy: Toy
    steps: int
    set: tuple[str, ...] = ()
    rate: float = 4e-3
    layers: int = 1
    right: float = 0.99
    points: bool = False  # its strongest look is at the true position, 98 times of 100

    def __str__(self) -> str:
        return " ".join([self.preset, *(s.rpartition("=")[2] for s in self.set), self.toy])


def attention(**kinds: str) -> tuple[str, ...]:
    return tuple(f"model.decoder.attention.{axis}.kind={kind}" for axis, kind in kinds.items())


SOFT = [
    ("bahdanau", (), 600),
    ("bahdanau", attention(score="scaled-dot"), 800),
    ("bahdanau", attention(score="cosine"), 1000),
    ("luong-dot", (), 1200),
    ("luong-general", (), 1200),
    ("luong-concat", (), 1200),
    ("luong-general", ("model.decoder.input_feeding=false",), 1500),
]

CASES = [
    *(
        Case(preset, toy, steps, set, points=toy == "reverse")
        for preset, set, steps in SOFT
        for toy in ("copy", "reverse", "sort")
    ),
    *(Case("sparse", toy, 600, rate=2e-3) for toy in ("copy", "reverse", "sort")),
    # two layers, of which the second looks; the first reads what was said
    *(
        Case("transformer", toy, 1500, rate=2e-3, layers=2, points=toy == "reverse")
        for toy in ("copy", "reverse", "sort")
    ),
    # a window that moves with the target can copy; one that is predicted can go anywhere
    Case("luong-local-m", "copy", 1000),
    Case("luong-local-p", "copy", 1500),
    Case("luong-local-p", "reverse", 1500),
    *(
        Case("bahdanau", toy, 1500, attention(normalizer="hard"), rate=2e-3, right=0.95)
        for toy in ("copy", "reverse")
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_mechanism_learns_what_it_can_solve(case: Case) -> None:
    run = tiny_run(case.preset, case.set, layers=case.layers, **DIM)
    model = learn(run, case.toy, steps=case.steps, lengths=LENGTHS, rate=case.rate)
    generator = torch.Generator().manual_seed(99)
    low, high = LENGTHS
    batch = pairs(case.toy, torch.randint(low, high + 1, (300,), generator=generator), generator)
    right = accuracy(model, batch)
    found = pointing(model, case.toy, batch) if case.points else {}
    print(f"{case}: {right:.4f} right, {found}")
    assert right >= case.right
    if case.points:
        assert max(found.values()) >= 0.98, found
