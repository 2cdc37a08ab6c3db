"""Word splitting as spans of the raw text, and the alignment of pieces and words.

One rule for all languages. A word is a run of letters, digits and combining marks. Every other
character except white space is a word by itself (punctuation, symbols, emoji with their modifiers).
An apostrophe between letters and a point or comma between digits do not split (don't, l'eau, 3.14,
10,000); a hyphen does. Each Han character, kana and other character of East Asian scripts without
spaces is a word. Thai, Lao, Khmer and Burmese are not split. Characters that normalization removes
do not count, and an invisible character begins no word.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from regard.text.normalize import REMOVED
from regard.text.tokenizer import Span

_APOSTROPHES = "'’ʼ"
_POINTS = ".,"
_INSIDE = _APOSTROPHES + _POINTS
_MODIFIERS = range(0x1F3FB, 0x1F400)  # skin tones

# First and last code points, in order, of characters that are words by themselves.
_SINGLE_RANGES = [
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
_FIRST = [first for first, _ in _SINGLE_RANGES]


def split_words(text: str) -> list[Span]:
    """Return the (start, end) of each word, in order, in linear time."""
    if text.isprintable():
        return _split_visible(text)
    visible = [index for index, character in enumerate(text) if ord(character) not in REMOVED]
    spans = _split_visible(text.translate(REMOVED))
    return [(visible[start], visible[end - 1] + 1) for start, end in spans]


def split_at_spaces(text: str) -> list[Span]:
    """Return the (start, end) of the words of a text whose words are separated by white space."""
    spans, position = [], 0
    for word in text.split():
        start = text.index(word, position)
        position = start + len(word)
        spans.append((start, position))
    return spans


def _split_visible(text: str) -> list[Span]:
    spans: list[Span] = []
    start = -1  # of the current word; −1: none
    open_ended = False  # whether a letter continues the current word
    joined = False  # whether a joiner attaches the next symbol to it
    for index, character in enumerate(text):
        kind = _kind(character)
        if start < 0:
            if kind == "format":
                continue
        elif kind == "letter" and open_ended:
            continue
        elif kind in ("mark", "format"):
            joined = character == "\u200d"
            continue
        elif kind == "symbol" and joined:
            joined = False
            continue
        elif character in _INSIDE and open_ended and _stays_inside(text, index):
            continue
        else:
            spans.append((start, index))
        start = -1 if kind == "space" else index
        open_ended = kind == "letter"
        joined = False
    if start >= 0:
        spans.append((start, len(text)))
    return spans


def words_by_piece(pieces: Sequence[Span], words: Sequence[Span]) -> list[list[int]]:
    """Return, for each piece, the indices of the words it overlaps, in linear time.

    A piece between words (a lone ▁) belongs to the next word, or to the last one. Every piece has
    a word if there is any.
    """
    overlapped: list[list[int]] = []
    first = 0
    for start, end in pieces:
        while first < len(words) - 1 and words[first][1] <= start:
            first += 1
        last = first
        while last < len(words) - 1 and words[last + 1][0] < end:
            last += 1
        overlapped.append(list(range(first, min(last + 1, len(words)))))
    return overlapped


def pieces_by_word(pieces: Sequence[Span], words: Sequence[Span]) -> list[list[int]]:
    """Return, for each word, the indices of its pieces: the inverse of `words_by_piece`."""
    pieces_of_words: list[list[int]] = [[] for _ in words]
    for piece, overlapped in enumerate(words_by_piece(pieces, words)):
        for word in overlapped:
            pieces_of_words[word].append(piece)
    return pieces_of_words


@lru_cache(maxsize=1 << 12)
def _kind(character: str) -> str:
    """Return one of letter, single, symbol, mark, format, space."""
    if character.isspace():
        return "space"
    code = ord(character)
    if code in _MODIFIERS:
        return "mark"
    category = unicodedata.category(character)
    if category[0] in "LN":
        return "single" if _stands_alone(code) else "letter"
    if category == "Cf":  # invisible, such as the joiners
        return "format"
    return "mark" if category[0] == "M" else "symbol"


def _stands_alone(code: int) -> bool:
    if code < 0x2E80:
        return False
    return code <= _SINGLE_RANGES[bisect_right(_FIRST, code) - 1][1]


def _stays_inside(text: str, index: int) -> bool:
    """Whether the character at `index` joins its neighbors into one word."""
    if not 0 < index < len(text) - 1:
        return False
    previous, following = text[index - 1], text[index + 1]
    if text[index] in _APOSTROPHES:
        return previous.isalpha() and following.isalpha()
    return previous.isdecimal() and following.isdecimal()


def join_weights(parts: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """The weights of links of a text whose parts were aligned one by one.

    Each part is of target words × source words, and its last column of no source word. The memory
    of the whole grows with the square of the text; what can be computed from the parts should be.
    """
    if len(parts) == 1:
        return parts[0]
    size = sum(len(part) for part in parts), sum(part.shape[1] - 1 for part in parts) + 1
    weights = np.zeros(size, np.float32)
    row = column = 0
    for part in parts:
        rows, columns = len(part), part.shape[1] - 1
        weights[row : row + rows, column : column + columns] = part[:, :-1]
        weights[row : row + rows, -1] = part[:, -1]
        row, column = row + rows, column + columns
    return weights
