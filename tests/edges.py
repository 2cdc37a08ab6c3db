"""Values at the edges of what a setting or an option may be."""

from __future__ import annotations

import math
from typing import Any

NUMBERS: list[Any] = [
    *(True, False, math.nan, math.inf, -math.inf, -1, 0, 1, 2, 0.0, -0.0, 0.5, 1.0, 1.5),
    *(1e-8, 1e-40, 5e-324, 1e20, 1e308, 2**31, 2**32, 2**63, 2**64, -(2**63), 10**400),
]
TEXTS: list[Any] = ["", " ", "1", "1.5", "true", "nan", "x" * 100_000, "\x00", "\ud800", "é\n"]
OTHERS: list[Any] = [None, [], {}, [1], ["a", True], [None], {"a": 1}]
EDGES: list[Any] = [*NUMBERS, *TEXTS, *OTHERS]

WORDS = [
    *(
        "no",
        "No",
        "yes",
        "on",
        "OFF",
        "off",
        "y",
        "n",
        "true",
        "True",
        "TRUE",
        "false",
        "null",
        "~",
    ),
    *("Null", "", "1_000", "0o7", "010", "0x1F", "0b1", "1e3", "1E-3", "1.", ".5", "+1", "-0"),
    *("12:30:00", "1:30", "2024-01-31", "2024-13-45", "2001-12-14t21:59:43.10-05:00", "=", "<<"),
    *(".inf", "-.INF", ".nan", "inf", "nan", "1e400", "NaN", "Infinity", "1,000", "١"),
]
"""Plain scalars that versions of YAML read differently, or not as people expect."""


def same(first: Any, second: Any) -> bool:
    """Whether two values are equal and of one type; sequences may be lists or tuples.

    A whole number may become the float of the same value.
    """
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[k], second[k]) for k in first)
    if type(first) is int and type(second) is float:
        return first == second
    return type(first) is type(second) and bool(first == second)
