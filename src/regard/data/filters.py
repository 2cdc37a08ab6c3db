"""Cheap filters of sentence pairs, shared by `regard prepare` and `regard doctor`.

A filter is a function of a pair and the limits that returns True if the pair should be dropped.
None of them limits the length of both sides: only the maximum number of tokens does.
Lengths are in UTF-8 bytes, which makes languages comparable: a Chinese sentence has few characters
of three bytes each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import eq
from string import digits, punctuation
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

SCRIPTS: Mapping[str, str] = MappingProxyType(
    {
        "arabic": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc",
        "armenian": "\u0530-\u058f",
        "bengali": "\u0980-\u09ff",
        "cyrillic": "\u0400-\u052f\u1c80-\u1c8f",
        "devanagari": "\u0900-\u097f",
        "ethiopic": "\u1200-\u139f",
        "georgian": "\u10a0-\u10ff\u1c90-\u1cbf",
        "greek": "\u0370-\u03ff\u1f00-\u1fff",
        "han": "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
        "hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
        "hebrew": "\u0590-\u05ff\ufb1d-\ufb4f",
        "japanese": "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
        "latin": "A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\ufb00-\ufb06",
        "tamil": "\u0b80-\u0bff",
        "thai": "\u0e00-\u0e7f",
    }
)
"""The letters of each supported script, as the content of a regex character class."""

_PUNCTUATION = (digits + punctuation).encode()
_OTHER_BYTES = bytes(sorted(set(range(256)) - set(_PUNCTUATION)))
_LETTER = r"[^\W\d_]"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the filters. The defaults drop little except what is not a sentence."""

    max_ratio: float = 3.0  # of the longer side to the shorter
    slack: int = 16  # bytes added to both before the ratio: "Yes." may become "Certainly not."
    max_punctuation: float = 0.6  # share of digits and ASCII punctuation, spaces not counted
    source_script: str | None = None  # a name in SCRIPTS; None: any
    target_script: str | None = None


Filter: TypeAlias = Callable[[str, str, Limits], bool]


def empty(source: str, target: str, limits: Limits) -> bool:
    """A side is empty or white space."""
    return not source or not target or source.isspace() or target.isspace()


def identical(source: str, target: str, limits: Limits) -> bool:
    """The target is a copy of the source."""
    return source == target


def out_of_ratio(source: str, target: str, limits: Limits) -> bool:
    """One side is too long to be a translation of the other."""
    a, b = _size(source) + limits.slack, _size(target) + limits.slack
    return a > b * limits.max_ratio or b > a * limits.max_ratio


def mostly_punctuation(source: str, target: str, limits: Limits) -> bool:
    """A side consists mostly of digits and punctuation, such as a number or a table."""
    limit = limits.max_punctuation
    return _punctuation_share(source) > limit or _punctuation_share(target) > limit


def wrong_script(source: str, target: str, limits: Limits) -> bool:
    """Most letters of a side do not belong to its script."""
    return not (
        _written_in(limits.source_script, source) and _written_in(limits.target_script, target)
    )


FILTERS: Mapping[str, Filter] = MappingProxyType(
    {
        "empty": empty,
        "identical": identical,
        "out of ratio": out_of_ratio,
        "mostly punctuation": mostly_punctuation,
        "wrong script": wrong_script,
    }
)
"""All filters by name, the cheapest first. The first that holds is the reason for the drop."""


def drop_reason(source: str, target: str, limits: Limits) -> str | None:
    """Return the name of the first filter that drops the pair, or None."""
    for name, drops in FILTERS.items():
        if drops(source, target, limits):
            return name
    return None


def drop_reasons(
    sources: Sequence[str], targets: Sequence[str], limits: Limits
) -> list[str | None]:
    """Return `drop_reason` of each pair of normalized texts, several times faster.

    Array arithmetic selects the pairs that may be dropped; only these are examined one by one.
    """
    sizes, punctuations = [], []
    for side in (sources, targets):
        raw = [text.encode() for text in side]
        sizes.append(np.fromiter(map(len, raw), np.int64, len(raw)))
        counts = (len(text.translate(None, _OTHER_BYTES)) for text in raw)
        punctuations.append(np.fromiter(counts, np.int64, len(raw)))
    a, b = (size + limits.slack for size in sizes)
    suspect = (a > b * limits.max_ratio) | (b > a * limits.max_ratio)
    suspect |= np.fromiter(map(eq, sources, targets), bool, len(sources))
    for size, count in zip(sizes, punctuations, strict=True):
        suspect |= size == 0
        # At least half of a normalized text is not space.
        suspect |= count > limits.max_punctuation * size / 2
    if limits.source_script is not None or limits.target_script is not None:
        suspect[:] = True
    reasons: list[str | None] = [None] * len(sources)
    for i in np.flatnonzero(suspect).tolist():
        reasons[i] = drop_reason(sources[i], targets[i], limits)
    return reasons


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _punctuation_share(text: str) -> float:
    raw = text.encode()
    count = len(raw.translate(None, _OTHER_BYTES))
    return count / (len(raw) - raw.count(b" ")) if count else 0.0


def _written_in(script: str | None, text: str) -> bool:
    if script is None or (script == "latin" and text.isascii()):
        return True
    letters, of_script = _letters(script)
    return 2 * len(of_script.findall(text)) >= len(letters.findall(text))


@cache
def _letters(script: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_LETTER), re.compile(f"(?=[{SCRIPTS[script]}]){_LETTER}")
