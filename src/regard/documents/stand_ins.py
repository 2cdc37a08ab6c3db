"""Stand-ins for texts that a translation keeps: words such as K1Z, which models copy.

Models mangle placeholders, markup and code, because sentences have few of them. They copy words
that look like codes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from regard.documents.marked_text import MarkedText

_LETTERS = ("KZ", "QX", "XV", "WJ")
STAND_IN = re.compile(r"(?<!\w)[KQXW]\d+[ZXVJ](?!\w)")


def hide_kept_texts(marked: MarkedText) -> tuple[MarkedText, dict[str, str]]:
    """Replace the texts of raw elements by stand-ins; also return the texts by stand-in.

    A text that touches a letter or a digit stays as it is: it is part of a word.
    """
    text = marked.text
    letters = next((pair for pair in _LETTERS if not _has_code(text, pair)), None)
    hidden: dict[str, str] = {}
    ranges: list[tuple[int, int, str]] = []
    spans = sorted((one.start, one.end) for one in marked.elements if one.raw is not None)
    for start, end in spans:
        before = start > 0 and (text[start - 1].isalnum() or (ranges and ranges[-1][1] == start))
        if (
            letters is None
            or before
            or text[end : end + 1].isalnum()
            or not text[start:end].strip()
        ):
            continue
        code = f"{letters[0]}{len(hidden) + 1}{letters[1]}"
        hidden[code] = text[start:end]
        ranges.append((start, end, code))
    return replace_ranges(marked, ranges), hidden


def replace_ranges(marked: MarkedText, ranges: Sequence[tuple[int, int, str]]) -> MarkedText:
    """Replace ranges of a text, in order, that do not overlap, and move the elements with it."""
    if not ranges:
        return marked
    moved = list(range(len(marked.text) + 1))  # the new place of each character
    parts, cursor, length = [], 0, 0
    for start, end, new in ranges:
        parts += [marked.text[cursor:start], new]
        for place in range(cursor, start + 1):
            moved[place] = length + place - cursor
        for place in range(start + 1, end):
            moved[place] = moved[start]
        length = moved[start] + len(new)
        cursor = end
        moved[end] = length
    for place in range(cursor, len(moved)):
        moved[place] = length + place - cursor
    elements = [replace(one, start=moved[one.start], end=moved[one.end]) for one in marked.elements]
    return MarkedText("".join([*parts, marked.text[cursor:]]), tuple(elements))


def _has_code(text: str, letters: str) -> bool:
    return letters[0] in text and letters[1] in text
