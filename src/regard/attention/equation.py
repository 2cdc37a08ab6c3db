"""The name, formula and reference of a part, for `regard describe` and explanation pages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Equation:
    name: str  # as in a run file
    formula: str
    reference: str = ""
