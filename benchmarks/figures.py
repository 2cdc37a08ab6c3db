"""Benchmark reports: a table of figures and targets, a JSON object, and an exit code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A measured value and its target: a lower limit, or an upper limit if `at_most`."""

    name: str
    value: float
    target: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        return self.value <= self.target if self.at_most else self.value >= self.target


def report(benchmark: str, figures: Sequence[Figure], **facts: object) -> int:
    """Print a table and, as the last line, a JSON object; return 1 if a target is missed."""
    print()
    for figure in figures:
        sign = "≤" if figure.at_most else "≥"
        verdict = "met" if figure.met else "MISSED"
        print(f"{figure.name:52} {figure.value:8.3f}   target {sign} {figure.target:<5g} {verdict}")
    results = {
        figure.name: {
            "value": round(figure.value, 4),
            "target": figure.target,
            "sense": "at most" if figure.at_most else "at least",
            "met": figure.met,
        }
        for figure in figures
    }
    print(json.dumps({"benchmark": benchmark, **facts, "figures": results}))
    return 0 if all(figure.met for figure in figures) else 1
