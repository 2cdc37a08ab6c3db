"""CSV and TSV: cells with letters are segments. Formulas and numbers stay as they are."""

from __future__ import annotations

import re
from collections.abc import Callable

from regard.documents.formats.base import DocumentSegment, TextFormat, has_words
from regard.documents.formats.strings import mark_string
from regard.documents.marked_text import MarkedText, render_markup, translated_text
from regard.errors import DocumentError

_FORMULA = ("=", "+", "-", "@")


def _find_cells(separator: str) -> Callable[[str], list[DocumentSegment]]:
    cell = re.compile(
        rf'(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^{separator}\r\n"][^{separator}\r\n]*)|)'
        rf"(?P<end>{separator}|\r\n|\r|\n|\Z)"
    )

    def find(text: str) -> list[DocumentSegment]:
        segments, place, row, column = [], 0, 1, 1
        while place < len(text):
            found = cell.match(text, place)
            if found is None:
                raise DocumentError(
                    f"row {row}, column {column}: a quote is not closed. Correct the document."
                )
            value = found["plain"] if found["quoted"] is None else found["quoted"]
            value = (value or "").replace('""', '"') if found["quoted"] is not None else value or ""
            if has_words(value) and not value.lstrip().startswith(_FORMULA):
                marked = mark_string(value)
                if has_words(translated_text(marked)):
                    span = place, found.start("end")
                    style = separator + ("q" if found["quoted"] is not None else "")
                    name = f"row {row}, column {column}"
                    segments.append(DocumentSegment(*span, marked, name, style))
            row, column = (row, column + 1) if found["end"] == separator else (row + 1, 1)
            place = max(found.end(), place + 1) if found["end"] else found.end()
            if not found["end"]:
                break
        return segments

    return find


def render_cell(marked: MarkedText, style: str) -> str:
    """A cell; a text that programs would read as a formula begins with an apostrophe."""
    text = render_markup(marked)
    if text.lstrip().startswith(_FORMULA):
        text = f"'{text}"
    if style.endswith("q") or any(mark in text for mark in (style[0], '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


CSV = TextFormat("csv", _find_cells(","), render_cell)
TSV = TextFormat("tsv", _find_cells("\t"), render_cell)
