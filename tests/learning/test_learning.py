"""Toy tasks that every mechanism must learn to solve, and to align without supervision.

`scripts/test -m learning` runs all of them, minutes each. The fastest decisive ones run by default.
"""

from __future__ import annotations

import pytest
from _pytest.mark import ParameterSet

from tests.learning.toy_training import Case, trained


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
    # two layers: the first collects the prefix, the second attends to the source
    *(
        Case("transformer", toy, 1500, rate=2e-3, layers=2, points=toy == "reverse")
        for toy in ("copy", "reverse", "sort")
    ),
    # a monotone window can copy; a predicted one can go anywhere
    Case("luong-local-m", "copy", 1000),
    Case("luong-local-p", "copy", 1500),
    Case("luong-local-p", "reverse", 1500),
    *(
        Case("bahdanau", toy, 1500, attention(normalizer="hard"), rate=2e-3, right=0.95)
        for toy in ("copy", "reverse")
    ),
]


# Shorter trainings that run by default, so that a change that breaks learning cannot go unseen.
FAST = [
    Case("bahdanau", "reverse", 300, points=True),
    Case("bahdanau", "reverse", 400, attention(score="scaled-dot"), points=True),
    Case("transformer", "reverse", 1000, rate=2e-3, layers=2, points=True),
]


def by_name(cases: list[Case]) -> list[ParameterSet]:
    return [pytest.param(case, id=str(case)) for case in cases]


@pytest.mark.xdist_group("learning")
@pytest.mark.parametrize("case", by_name(FAST))
def test_fast_training_solves_the_task(case: Case) -> None:
    assert trained(case).accuracy >= case.right


@pytest.mark.xdist_group("learning")
@pytest.mark.parametrize("case", by_name(FAST))
def test_fast_training_points_at_the_true_position(case: Case) -> None:
    """0.98 after the full training; a Transformer reaches 0.979 after this short one."""
    assert max(trained(case).pointing.values()) >= 0.95


@pytest.mark.learning
@pytest.mark.parametrize("case", by_name(CASES))
def test_training_solves_the_task_and_points_at_the_true_position(case: Case) -> None:
    found = trained(case)
    assert found.accuracy >= case.right
    if case.points:
        assert max(found.pointing.values()) >= 0.98, found
