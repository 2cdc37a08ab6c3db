"""Placeholder codes for texts that a translation keeps: words such as K1Z, which models copy.

Models often alter placeholders, markup and source code, because these are rare in sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from regard.documents.marked_text import MarkedText

_LETTERS = ("KZ", "QX", "XV", "WJ")
PLACEHOLDER_CODE = re.compile(r"(?<!\w)[KQXW]\d+[ZXVJ](?!\w)")


def hide_kept_texts(marked: MarkedText) -> tuple[MarkedText, dict[str, str]]:
    """Replace the texts of raw elements by placeholder codes; also return the texts by code.

    A text that touches a letter or a digit stays as it is: it is part of a word.
    """
    text = marked.text
    letters = next((pair for pair in _LETTERS if not _has_code(text, pair)), None)
    hidden: dict[str, str] = {}
    ranges: list[tuple[int, int, str]] = []
    spans = sorted(
        (element.start, element.end) for element in marked.elements if element.raw is not None
    )
    for start, end in spans:
        touches_word = start > 0 and (
            text[start - 1].isalnum() or (ranges and ranges[-1][1] == start)
        )
        if (
            letters is None
            or touches_word
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
        for index in range(cursor, start + 1):
            moved[index] = length + index - cursor
        for index in range(start + 1, end):
            moved[index] = moved[start]
        length = moved[start] + len(new)
        cursor = end
        moved[end] = length
    for index in range(cursor, len(moved)):
        moved[index] = length + index - cursor
    elements = [
        replace(element, start=moved[element.start], end=moved[element.end])
        for element in marked.elements
    ]
    return MarkedText("".join([*parts, marked.text[cursor:]]), tuple(elements))


def _has_code(text: str, letters: str) -> bool:
    return letters[0] in text and letters[1] in text
