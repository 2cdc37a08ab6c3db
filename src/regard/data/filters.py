"""Cheap filters: small predicates that say what is wrong with a pair, seen as text alone.

Each is a function of a pair and the limits, true where the pair should be dropped. `prepare` drops
by them and the doctor reports by them, so that both mean the same. Lengths are counted in UTF-8
bytes: a Chinese sentence has few characters of three bytes each, and so measures like its
translation.
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
"""The letters of each script that can be asked for, as the inside of a character class."""

_PLAIN = (digits + punctuation).encode()
_NOT_PLAIN = bytes(sorted(set(range(256)) - set(_PLAIN)))
_LETTER = r"[^\W\d_]"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a pair may be like. The defaults drop what is not a sentence, and little else."""

    bytes: int = 4096  # of either side: some 600 words, more than any sentence that one can learn
    ratio: float = 3.0  # of the longer side to the shorter
    slack: int = 16  # bytes added to both before the ratio: "Yes." may become "Certainly not."
    marks: float = 0.6  # the share of digits and ASCII punctuation in what is not space
    source_script: str | None = None  # a name in SCRIPTS; None: any
    target_script: str | None = None


Filter: TypeAlias = Callable[[str, str, Limits], bool]


def empty(source: str, target: str, limits: Limits) -> bool:
    """A side says nothing."""
    return not source or not target or source.isspace() or target.isspace()


def identical(source: str, target: str, limits: Limits) -> bool:
    """The target is a copy of the source."""
    return source == target


def too_long(source: str, target: str, limits: Limits) -> bool:
    """A side is longer than any sentence."""
    if 4 * max(len(source), len(target)) <= limits.bytes:  # no character has more bytes than four
        return False
    return _size(source) > limits.bytes or _size(target) > limits.bytes


def out_of_ratio(source: str, target: str, limits: Limits) -> bool:
    """One side is so much longer that it cannot be a translation of the other."""
    a, b = _size(source) + limits.slack, _size(target) + limits.slack
    return a > b * limits.ratio or b > a * limits.ratio


def mostly_marks(source: str, target: str, limits: Limits) -> bool:
    """A side is a number, a rule or a table rather than words."""
    return _marks(source) > limits.marks or _marks(target) > limits.marks


def wrong_script(source: str, target: str, limits: Limits) -> bool:
    """Most letters of a side are not of the script that its language is written in."""
    return not (
        _written_in(limits.source_script, source) and _written_in(limits.target_script, target)
    )


FILTERS: Mapping[str, Filter] = MappingProxyType(
    {
        "empty": empty,
        "identical": identical,
        "too long": too_long,
        "out of ratio": out_of_ratio,
        "mostly marks": mostly_marks,
        "wrong script": wrong_script,
    }
)
"""All of them by name, the cheapest first: a pair is dropped by the first that holds."""


def fault(source: str, target: str, limits: Limits) -> str | None:
    """The name of the first filter that drops the pair, or None where it is kept."""
    for name, drops in FILTERS.items():
        if drops(source, target, limits):
            return name
    return None


def faults(sources: Sequence[str], targets: Sequence[str], limits: Limits) -> list[str | None]:
    """What `fault` says of each pair of normalised texts, several times faster.

    Arithmetic on all of them at once tells which pairs may have a fault; only these are looked at.
    """
    sizes, plain = [], []
    for side in (sources, targets):
        raw = [text.encode() for text in side]
        sizes.append(np.fromiter(map(len, raw), np.int64, len(raw)))
        marks = (len(text.translate(None, _NOT_PLAIN)) for text in raw)
        plain.append(np.fromiter(marks, np.int64, len(raw)))
    a, b = (size + limits.slack for size in sizes)
    suspect = (a > b * limits.ratio) | (b > a * limits.ratio)
    suspect |= np.fromiter(map(eq, sources, targets), bool, len(sources))
    for size, marks_ in zip(sizes, plain, strict=True):
        suspect |= (size == 0) | (size > limits.bytes)
        suspect |= marks_ > limits.marks * size / 2  # half of a normalised text, or more, is solid
    if limits.source_script is not None or limits.target_script is not None:
        suspect[:] = True
    found: list[str | None] = [None] * len(sources)
    for i in np.flatnonzero(suspect).tolist():
        found[i] = fault(sources[i], targets[i], limits)
    return found


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _marks(text: str) -> float:
    raw = text.encode()
    plain = len(raw.translate(None, _NOT_PLAIN))
    return plain / (len(raw) - raw.count(b" ")) if plain else 0.0


def _written_in(script: str | None, text: str) -> bool:
    if script is None or (script == "latin" and text.isascii()):
        return True
    letters, of_script = _letters(script)
    return 2 * len(of_script.findall(text)) >= len(letters.findall(text))


@cache
def _letters(script: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_LETTER), re.compile(f"(?=[{SCRIPTS[script]}]){_LETTER}")
