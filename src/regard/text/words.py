"""The words of a text as spans of its characters, and which pieces make which word.

The rule is simple and knows no language. A word is a run of letters, digits and their marks; every
other character that is not white space is a word of its own (punctuation, symbols, emoji with what
is joined to them). An apostrophe between letters and a point or comma between digits stay inside
(don't, l'eau, 3.14, 10,000); a hyphen separates. Han characters, kana and what else is written
without spaces in East Asia are words one by one; Thai, Lao, Khmer and Burmese are not cut.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from regard.text.tokenizer import Span

_APOSTROPHES = "'’ʼ"
_POINTS = ".,"
_INSIDE = _APOSTROPHES + _POINTS
_JOINERS = "\u200c\u200d"
_MODIFIERS = range(0x1F3FB, 0x1F400)  # skin tones

# First and last code points, in order: kana and CJK symbols, Bopomofo, ideographs, Yi, and beyond.
_ONE_BY_ONE = [
    (0x2E80, 0x3007),  # radicals, the iteration mark and the zero
    (0x3021, 0x312F),  # kana and Bopomofo
    (0x31A0, 0x9FFF),  # Bopomofo, strokes, ideographs
    (0xA000, 0xA4CF),  # Yi
    (0xF900, 0xFAFF),  # ideographs
    (0xFF66, 0xFF9D),  # half-width kana
    (0x16FE0, 0x18DFF),  # Tangut
    (0x1AFF0, 0x1B2FF),  # kana
    (0x20000, 0x3FFFF),  # ideographs
]
_FIRST = [first for first, _ in _ONE_BY_ONE]


def split_words(text: str) -> list[Span]:
    """The (start, end) of each word of the raw text, in order, in linear time."""
    spans: list[Span] = []
    start = -1  # of the word that is being read; −1: none
    open_ended = False  # whether a letter may go on with it
    joined = False  # whether a joiner glues the next symbol to it
    for place, character in enumerate(text):
        kind = _kind(character)
        if kind == "mark" and start >= 0:
            joined = character == "\u200d"
            continue
        if kind == "letter" and start >= 0 and open_ended:
            continue
        if kind == "symbol" and joined:
            joined = False
            continue
        if character in _INSIDE and open_ended and start >= 0 and _stays_inside(text, place):
            continue
        if start >= 0:
            spans.append((start, place))
        start = -1 if kind == "space" else place
        open_ended = kind == "letter"
        joined = False
    if start >= 0:
        spans.append((start, len(text)))
    return spans


def words_by_piece(pieces: Sequence[Span], words: Sequence[Span]) -> list[list[int]]:
    """For each piece the words that it has characters of, in linear time.

    A piece between words (a lone ▁) goes to the word after it, or to the last. So every piece has
    a word, if there is one.
    """
    found: list[list[int]] = []
    first = 0
    for start, end in pieces:
        while first < len(words) - 1 and words[first][1] <= start:
            first += 1
        last = first
        while last < len(words) - 1 and words[last + 1][0] < end:
            last += 1
        found.append(list(range(first, min(last + 1, len(words)))))
    return found


def pieces_by_word(pieces: Sequence[Span], words: Sequence[Span]) -> list[list[int]]:
    """For each word its pieces: the same map, read the other way."""
    found: list[list[int]] = [[] for _ in words]
    for piece, owners in enumerate(words_by_piece(pieces, words)):
        for word in owners:
            found[word].append(piece)
    return found


@lru_cache(maxsize=1 << 12)
def _kind(character: str) -> str:
    """One of letter, single, symbol, mark, space."""
    if character.isspace():
        return "space"
    code = ord(character)
    if character in _JOINERS or code in _MODIFIERS:
        return "mark"
    category = unicodedata.category(character)
    if category[0] in "LN":
        return "single" if _stands_alone(code) else "letter"
    if category[0] == "M" or category == "Cf":
        return "mark"
    return "symbol"


def _stands_alone(code: int) -> bool:
    if code < 0x2E80:
        return False
    return code <= _ONE_BY_ONE[bisect_right(_FIRST, code) - 1][1]


def _stays_inside(text: str, place: int) -> bool:
    """Whether the character at `place` binds the two beside it into one word."""
    if not 0 < place < len(text) - 1:
        return False
    before, after = text[place - 1], text[place + 1]
    if text[place] in _APOSTROPHES:
        return before.isalpha() and after.isalpha()
    return before.isdecimal() and after.isdecimal()
