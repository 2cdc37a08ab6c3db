"""Plain text: each line is a segment."""

from __future__ import annotations

import re

from regard.documents.formats.base import (
    DocumentSegment,
    LineNumbers,
    TextFormat,
    has_words,
    trimmed_range,
)
from regard.documents.marked_text import MarkedText, render_markup

_LINE = re.compile(r"[^\r\n]+")
_BREAKS = re.compile(r"[\r\n]+")


def find_lines(text: str) -> list[DocumentSegment]:
    """The lines that have letters, without the white space around them."""
    segments, line_of = [], LineNumbers(text)
    for line in _LINE.finditer(text):
        start, end = trimmed_range(text, *line.span())
        if has_words(text[start:end]):
            marked = MarkedText(text[start:end])
            segments.append(DocumentSegment(start, end, marked, line_of(start)))
    return segments


def render_line(marked: MarkedText, style: str) -> str:
    return _BREAKS.sub(" ", render_markup(marked))


PLAIN_TEXT = TextFormat("text", find_lines, render_line)
