"""Words and pieces as labels: how wide they are, how they are shortened, which way they run.

No font is at hand when a picture is written, so a width is that of the character's class in the
widest of the usual fonts (DejaVu Sans): a label may get more room than it needs, never less.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from regard.svg import Number

_NARROW = frozenset("iljtfrI.,:;!'|()[]`· \u2009")
_BROAD = frozenset("mwMW%@—…")
# Of a font's size. The East Asian ones stand in a square; emoji are a little wider than one.
_NARROW_EM, _LETTER_EM, _CAPITAL_EM, _SQUARE_EM, _EMOJI_EM = 0.4, 0.63, 0.77, 1.0, 1.3
_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # invisible


def text_width(words: str, size: Number) -> float:
    """The width, at most, of a line of text in a font of this size."""
    return size * sum(map(_ems, words), 0.0)


@lru_cache(4096)
def _ems(character: str) -> float:
    kind = unicodedata.category(character)
    if kind in ("Mn", "Me", "Cf"):  # they stand above, below or nowhere
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return _EMOJI_EM if kind == "So" else _SQUARE_EM
    if character in _NARROW:
        return _NARROW_EM
    if character in _BROAD or kind in ("Sm", "So", "Cc"):
        return _SQUARE_EM
    return _CAPITAL_EM if kind in ("Lu", "Lo") else _LETTER_EM


def shorten(words: str, room: Number, size: Number) -> str:
    """The beginning that fits, with … for the rest; no mark is parted from its letter."""
    ems = [0.0]  # [n]: of the first n characters
    for character in words:
        ems.append(ems[-1] + _ems(character))
        if ems[-1] * size > room:
            break
    else:
        return words
    end = bisect_right(ems, room / size - _ems("…")) - 1
    while end > 0 and _holds_on(words, end):
        end -= 1
    return words[: max(end, 0)] + "…"


def _holds_on(words: str, place: int) -> bool:
    """Whether the character at `place` belongs to the one before it."""
    return unicodedata.category(words[place])[0] == "M" or "\u200d" in words[place - 1 : place + 1]


def fold(words: str, room: Number, size: Number) -> list[str]:
    """Into lines that fit, between words; a word that is too long is shortened."""
    lines: list[str] = []
    for word in (shorten(word, room, size) for word in words.split()):
        if lines and text_width(f"{lines[-1]} {word}", size) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def runs_left(labels: Sequence[str]) -> bool:
    """Whether most letters are of a script that is written from right to left."""
    kinds = [unicodedata.bidirectional(character) for label in labels for character in label]
    return sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L")


def isolate(label: str) -> str:
    """It runs its own way and cannot turn what stands beside it."""
    plain = "".join(character for character in label if character not in _TURNING)
    turns = any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in plain)
    return f"{_ISOLATE}{plain}{_END_OF_ISOLATE}" if turns else plain
