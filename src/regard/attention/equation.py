"""What a part computes and where that is from: the first line of its docstring says both."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Equation:
    """A part's name, as a run file has it, what it computes, and where that is from."""

    name: str
    formula: str
    citation: str


def equation(part: Callable[..., Any]) -> Equation:
    """Of a class, or of a function that makes a part."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])|_", "-", part.__name__).lower()
    formula, _, citation = (inspect.getdoc(part) or "").partition("\n")[0].partition("  (")
    return Equation(name, formula, citation.rstrip(")"))
