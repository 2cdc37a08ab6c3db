"""Text normalization, with a map from each character back to the raw text.

A normalized text is in NFC (or NFKC). Words are separated by single spaces, and there is no white
space at either end. These characters are replaced:

    white space of any kind          → one space
    control, zero-width characters   → removed, so that words that look the same are the same.
                                       The joiners U+200C and U+200D stay: Persian, Indic scripts
                                       and emoji need them
    lone surrogates                  → U+FFFD, because UTF-8 cannot encode them
    U+2581 ▁                         → _, because SentencePiece uses ▁ for a space

Every Python string becomes a text that UTF-8 can encode. Normalization is idempotent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

Form = Literal["NFC", "NFKC"]
_DECOMPOSED: dict[Form, Literal["NFD", "NFKD"]] = {"NFC": "NFD", "NFKC": "NFKD"}

RULES = 1  # version of these rules; part of every tokenizer's fingerprint

_CONTROLS = [
    code for code in (*range(0x20), *range(0x7F, 0xA0)) if not chr(code).isspace()
]  # \t, \n, U+0085 and the like are white space
_INVISIBLE = [
    0x00AD,  # soft hyphen
    0x061C,  # Arabic letter mark
    0x200B,  # zero-width space
    *(0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),  # direction
    *(0x2060, 0xFEFF),  # word joiner, byte order mark
]
REMOVED = dict.fromkeys(_CONTROLS + _INVISIBLE)  # a table for `str.translate`
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_REPLACED: dict[int, str | None] = {
    **REMOVED,
    **_SURROGATES,
    0x2581: "_",
}

# CPython sorts combining marks by insertion: a run of a million takes hours. In longer texts the
# long runs are sorted first, which gives a canonically equivalent text and takes linear time.
_LONG_TEXT = 1_000
_LONG_RUN = 32


@dataclass(frozen=True, slots=True)
class TracedText:
    """A normalized text; its character i comes from the raw characters starts[i] … ends[i] − 1.

    If normalization changes a cluster (a letter and its combining marks), every character of the
    result maps to the whole cluster. No character maps to a removed one.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def normalize(text: str, form: Form = "NFC") -> str:
    """Return the text in its normalized form."""
    # Most texts are normalized already. In a printable text, the only white space is " " and the
    # only replaced character is ▁.
    printable = text.isprintable()
    if not printable or "\u2581" in text:
        text = text.translate(_REPLACED)
    text = compose(text, form)
    if printable and "  " not in text and text == text.strip():
        return text
    return " ".join(text.split())


def replace_surrogates(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate, so that UTF-8 can encode it."""
    return text.translate(_SURROGATES)


def trace_normalization(text: str, form: Form = "NFC") -> TracedText:
    """Return the normalized text and the raw span of each of its characters, in linear time."""
    normalized = normalize(text, form)
    if normalized == text:
        return TracedText(text, range(len(text)), range(1, len(text) + 1))
    starts: list[int] = []
    ends: list[int] = []
    gap: tuple[int, int] | None = None  # span of pending white space
    for cluster, offsets in _clusters(text, form):
        composed = compose(cluster, form)
        cluster_span = (offsets[0], offsets[-1] + 1)
        for index, character in enumerate(composed):
            start, end = cluster_span
            if composed == cluster:
                start, end = offsets[index], offsets[index] + 1
            if character.isspace():
                gap = (gap[0], end) if gap else (start, end)
                continue
            if gap and starts:
                starts.append(gap[0])
                ends.append(gap[1])
            gap = None
            starts.append(start)
            ends.append(end)
    return TracedText(normalized, starts, ends)


def _clusters(text: str, form: Form) -> list[tuple[str, list[int]]]:
    """Split the text, without removed characters, into parts that normalize independently."""
    clusters: list[tuple[list[str], list[int]]] = []
    for offset, raw in enumerate(text):
        character = _REPLACED.get(ord(raw), raw)
        if character is None:
            continue
        if clusters and _joins_previous(character, form):
            clusters[-1][0].append(character)
            clusters[-1][1].append(offset)
        else:
            clusters.append(([character], [offset]))
    return [("".join(characters), offsets) for characters, offsets in clusters]


@lru_cache(maxsize=1 << 12)
def _joins_previous(character: str, form: Form) -> bool:
    """Whether normalization may join this character to the one before it.

    Only combining marks and the vowels and finals of Hangul join; a test checks all of Unicode.
    """
    first = unicodedata.normalize(_DECOMPOSED[form], character)[0]
    return unicodedata.category(first)[0] == "M" or "\u1161" <= first <= "\u11ff"


def compose(text: str, form: Form) -> str:
    """Return the text in a Unicode normalization form, in linear time."""
    if text.isascii():
        return text
    if len(text) > _LONG_TEXT:
        text = _long_runs(form).sub(lambda run: _sort_marks(run[0], form), text)
    return unicodedata.normalize(form, text)


def _sort_marks(run: str, form: Form) -> str:
    marks = "".join(unicodedata.normalize(_DECOMPOSED[form], mark) for mark in run)
    return "".join(sorted(marks, key=unicodedata.combining))  # Unicode requires a stable sort


@cache
def _long_runs(form: Form) -> re.Pattern[str]:
    """Pattern of long runs of characters that decompose into combining marks."""
    marks = [
        re.escape(chr(code))
        for code in range(0x300, 0x20000)  # there are none beyond; a test checks it
        if unicodedata.combining(unicodedata.normalize(_DECOMPOSED[form], chr(code))[0])
    ]
    return re.compile(f"[{''.join(marks)}]{{{_LONG_RUN},}}")
