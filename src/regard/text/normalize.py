"""Any string made plain, and where each of its characters came from.

A normalised text is in NFC (or NFKC), has no white space but single spaces between words, none at
its ends, and none of the characters that cannot be seen, written or told from the tokeniser's own:

    white space of any kind     → one space
    controls, zero-width marks  → nothing: they would split words that look the same. The joiners
                                  U+200C and U+200D stay: Persian, Indic scripts and emoji need them
    lone surrogates             → U+FFFD: they cannot be encoded
    U+2581 ▁                    → _: SentencePiece writes a space that way

So every Python string becomes a text that can be encoded, and normalising twice changes nothing.
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

RULES = 1  # the number of this set of rules; it is part of every tokeniser's fingerprint

_CONTROLS = [
    code for code in (*range(0x20), *range(0x7F, 0xA0)) if not chr(code).isspace()
]  # \t, \n, U+0085 and their like are white space
_UNSEEN = [
    0x00AD,  # soft hyphen
    0x061C,  # Arabic letter mark
    0x200B,  # zero-width space
    *(0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),  # direction
    *(0x2060, 0xFEFF),  # word joiner, byte order mark
]
_REPLACED: dict[int, str | None] = {
    **dict.fromkeys(_CONTROLS + _UNSEEN),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
    0x2581: "_",
}

# CPython sorts combining marks by insertion: a run of a million takes hours. Texts longer than this
# have their long runs sorted first, which is the same text to Unicode and linear to normalise.
_LONG_TEXT = 1_000
_LONG_RUN = 32


@dataclass(frozen=True, slots=True)
class TracedText:
    """A normalised text; its character i comes from the raw characters starts[i] … ends[i] − 1.

    Where normalising changed a cluster (a letter and its marks), every character of the result
    comes from the whole cluster. Characters that were dropped belong to nobody.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def normalize(text: str, form: Form = "NFC") -> str:
    # Most texts are normal already. A printable one has no white space but " ", and of what is
    # replaced it can have only ▁.
    printable = text.isprintable()
    if not printable or "\u2581" in text:
        text = text.translate(_REPLACED)
    text = _compose(text, form)
    if printable and "  " not in text and text == text.strip():
        return text
    return " ".join(text.split())


def trace_normalization(text: str, form: Form = "NFC") -> TracedText:
    """The normalised text and the raw span of each of its characters, in linear time."""
    normal = normalize(text, form)
    if normal == text:
        return TracedText(text, range(len(text)), range(1, len(text) + 1))
    starts: list[int] = []
    ends: list[int] = []
    gap: tuple[int, int] | None = None  # white space that was read and not yet written
    for cluster, places in _clusters(text, form):
        composed = _compose(cluster, form)
        whole = (places[0], places[-1] + 1)
        for index, character in enumerate(composed):
            start, end = (places[index], places[index] + 1) if composed == cluster else whole
            if character.isspace():
                gap = (gap[0], end) if gap else (start, end)
                continue
            if gap and starts:
                starts.append(gap[0])
                ends.append(gap[1])
            gap = None
            starts.append(start)
            ends.append(end)
    return TracedText(normal, starts, ends)


def _clusters(text: str, form: Form) -> list[tuple[str, list[int]]]:
    """The text without what is dropped, cut where normalising one part cannot touch the next."""
    clusters: list[tuple[list[str], list[int]]] = []
    for place, raw in enumerate(text):
        character = _REPLACED.get(ord(raw), raw)
        if character is None:
            continue
        if clusters and _clings(character, form):
            clusters[-1][0].append(character)
            clusters[-1][1].append(place)
        else:
            clusters.append(([character], [place]))
    return [("".join(characters), places) for characters, places in clusters]


@lru_cache(maxsize=1 << 12)
def _clings(character: str, form: Form) -> bool:
    """Whether normalising may join this character to the one before it.

    Only marks and the vowels and finals of Hangul do: tests check it for all of Unicode.
    """
    first = unicodedata.normalize(_DECOMPOSED[form], character)[0]
    return unicodedata.category(first)[0] == "M" or "\u1161" <= first <= "\u11ff"


def _compose(text: str, form: Form) -> str:
    if text.isascii():
        return text
    if len(text) > _LONG_TEXT:
        text = _long_runs(form).sub(lambda run: _sort_marks(run[0], form), text)
    return unicodedata.normalize(form, text)


def _sort_marks(run: str, form: Form) -> str:
    marks = "".join(unicodedata.normalize(_DECOMPOSED[form], mark) for mark in run)
    return "".join(sorted(marks, key=unicodedata.combining))  # stable, as Unicode demands


@cache
def _long_runs(form: Form) -> re.Pattern[str]:
    """Long runs of characters that decompose into something that Unicode sorts."""
    marks = [
        re.escape(chr(code))
        for code in range(0x300, 0x20000)  # there are none beyond: tests check it
        if unicodedata.combining(unicodedata.normalize(_DECOMPOSED[form], chr(code))[0])
    ]
    return re.compile(f"[{''.join(marks)}]{{{_LONG_RUN},}}")
