"""Plain text, CSV and TSV.

The delimiter of CSV is that which divides the first rows into the same number of columns. A cell
that begins with a quote, and that no delimiter or line end follows its last one, has no quotes: the
quote belongs to its text.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator

from regard.documents.formats.base import (
    DocumentSegment,
    LineNumbers,
    TextFormat,
    has_words,
    trimmed_range,
)
from regard.documents.formats.strings import WrittenString, mark_string
from regard.documents.marked_text import MarkedText, render_markup, translated_text
from regard.errors import DocumentError

# -- plain text: each line is a segment ------------------------------------------------------------


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


# -- tables ----------------------------------------------------------------------------------------


DELIMITERS = (",", ";", "\t", "|")
_FORMULA = ("=", "+", "-", "@")
_EXCEL = re.compile(r"sep=(.)(?:\r\n|\n|\r)")  # the first line of some files
_SAMPLE_LINES, _SAMPLE_CHARACTERS = 100, 100_000
_QUOTE = re.compile('""')
_OPEN_QUOTE = re.compile(r'"(?:[^"]++|"")*+\Z')


def find_csv_cells(text: str) -> list[DocumentSegment]:
    """The cells of a file with letters, in order. Raises DocumentError."""
    named = _EXCEL.match(text)
    delimiter = _delimiter(text) if named is None else named[1]
    return list(_cells(text, delimiter, 0 if named is None else named.end(), strict=True))


def find_tsv_cells(text: str) -> list[DocumentSegment]:
    """The cells of a file with letters, in order."""
    return list(_cells(text, "\t", 0, strict=False))


def _delimiter(text: str) -> str:
    """The delimiter with the largest share of rows that have the same number of cells."""
    lines = text[:_SAMPLE_CHARACTERS].splitlines(keepends=True)[:_SAMPLE_LINES]
    best, delimiter = (0.0, 0), DELIMITERS[0]
    for candidate in DELIMITERS:
        widths = Counter(map(len, csv.reader(lines, delimiter=candidate)))
        del widths[0]  # empty lines
        divided = [(count / widths.total(), width) for width, count in widths.items() if width > 1]
        if divided and max(divided) > best:
            best, delimiter = max(divided), candidate
    return delimiter


def _cells(text: str, delimiter: str, cursor: int, *, strict: bool) -> Iterator[DocumentSegment]:
    ends = rf"(?P<end>{re.escape(delimiter)}|\r\n|\r|\n|\Z)"
    quoted = re.compile(rf'"(?P<text>(?:[^"]++|"")*+)"{ends}')
    plain = re.compile(rf"(?P<text>[^{re.escape(delimiter)}\r\n]*+){ends}")
    row, column = 1, 1
    while cursor < len(text):
        name = f"row {row}, column {column}"
        match = quoted.match(text, cursor)
        is_quoted = match is not None
        if match is None:
            match = plain.match(text, cursor)
            assert match is not None
            if strict and _OPEN_QUOTE.match(text, cursor):
                raise DocumentError(f"{name}: a quote is not closed. Correct the document.")
        if has_words(match["text"]) and not match["text"].lstrip().startswith(_FORMULA):
            if is_quoted:
                string = WrittenString(match["text"], _QUOTE, lambda _: '"')
                marked = mark_string(string.text, string.slice)
            else:
                marked = mark_string(match["text"])
            if has_words(translated_text(marked)):
                has_quote = match["text"].startswith('"')
                kind = "quoted" if is_quoted else "literal" if has_quote else "plain"
                yield DocumentSegment(*match.span("text"), marked, name, delimiter + kind)
        row, column = (row, column + 1) if match["end"] == delimiter else (row + 1, 1)
        cursor = match.end()


def escape_cell(text: str, style: str) -> str:
    """Text as it is between the quotes of a cell, or in a cell without quotes."""
    return text.replace('"', '""') if style.endswith("quoted") else text


def render_cell(marked: MarkedText, style: str) -> str:
    """A cell; a text that programs would read as a formula begins with an apostrophe."""
    text = render_markup(marked, lambda part: escape_cell(part, style))
    if text.lstrip().startswith(_FORMULA):
        text = f"'{text}"
    divided = style[0] in text or "\n" in text or "\r" in text
    if style.endswith("quoted") or not (divided or (text[:1] == '"' and style.endswith("plain"))):
        return text
    return '"' + text.replace('"', '""') + '"'


CSV = TextFormat("csv", find_csv_cells, render_cell, escape_cell)
TSV = TextFormat("tsv", find_tsv_cells, render_cell, escape_cell)
