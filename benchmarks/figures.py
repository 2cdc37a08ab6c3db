"""What a benchmark reports: figures beside their aims, one JSON object last, and an exit code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    name: str
    value: float
    aim: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        return self.value <= self.aim if self.at_most else self.value >= self.aim


def report(benchmark: str, figures: Sequence[Figure], **facts: object) -> int:
    """Print the figures as a table and as JSON; 1 where an aim was missed."""
    print()
    for figure in figures:
        sign = "≤" if figure.at_most else "≥"
        verdict = "met" if figure.met else "MISSED"
        print(f"{figure.name:52} {figure.value:8.3f}   aim {sign} {figure.aim:<5g} {verdict}")
    told = {
        figure.name: {
            "value": round(figure.value, 4),
            "aim": figure.aim,
            "sense": "at most" if figure.at_most else "at least",
            "met": figure.met,
        }
        for figure in figures
    }
    print(json.dumps({"benchmark": benchmark, **facts, "figures": told}))
    return 0 if all(figure.met for figure in figures) else 1
