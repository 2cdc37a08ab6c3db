"""PO files of gettext: untranslated messages are segments, and their msgstr is filled.

Messages that have a translation, fuzzy ones among them, and obsolete ones stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from regard.documents.formats.base import DocumentSegment, TextFormat, has_words
from regard.documents.formats.strings import mark_string
from regard.documents.marked_text import MarkedText, render_markup, translated_text
from regard.errors import DocumentError

_LINE = re.compile(
    r"[ \t]*(?:(?P<keyword>msgctxt|msgid_plural|msgid|msgstr)(?:\[(?P<form>\d{1,3})\])?[ \t]*)?"
    r'(?P<string>"(?:[^"\\\r\n]|\\.)*")[ \t]*$'
)
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)")
_CODES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_WRITTEN = {"\\": "\\\\", '"': '\\"'} | {
    character: f"\\{code}" for code, character in _CODES.items()
}
_SPECIAL = re.compile(r'[\\"\a-\r]')


@dataclass(slots=True)
class Message:
    """The strings of a message by keyword, the ranges of its translations, and its beginning."""

    strings: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)
    start: int = 0
    line_end: str = "\n"

    def add_string(self, keyword: str, match: re.Match[str], offset: int) -> None:
        """Add a string in a line to that of its keyword; `offset`: of the line."""
        self.strings[keyword] += _ESCAPE.sub(_unescape, match["string"][1:-1])
        if keyword.startswith("msgstr"):
            start, _ = self.ranges.get(keyword, (offset + match.start("string"), 0))
            self.ranges[keyword] = (start, offset + match.end("string"))


def find_po_segments(text: str) -> list[DocumentSegment]:
    """The untranslated messages of a file, in order."""
    segments = []
    for message in read_messages(text):
        singular = message.strings.get("msgid", "")
        if not singular or any(message.strings[key] for key in message.ranges):
            continue
        for key, (start, end) in message.ranges.items():
            first = key in ("msgstr", "msgstr[0]")
            source = singular if first else message.strings.get("msgid_plural", singular)
            marked = mark_string(source, partial(_written, source))
            if not has_words(translated_text(marked)):
                continue
            segment = DocumentSegment(start, end, marked, source[:60], in_place=False)
            if first:  # the range begins with the message, where a flag has its place
                prefix = text[message.start : start]
                fuzzy = f"#, fuzzy{message.line_end}{prefix}"
                states = {"check": fuzzy, "fuzzy": fuzzy}
                segment = replace(segment, start=message.start, prefix=prefix, prefixes=states)
            segments.append(segment)
    return segments


def read_messages(text: str) -> Iterator[Message]:
    """The messages of a file with a translation or a place for it, in order."""
    message, keyword, offset = Message(), "", 0
    for number, line in enumerate(_LINES.findall(text), 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            keyword = ""
            if message.ranges:
                yield message
                message = Message()
            offset += len(line)
            continue
        match = _LINE.match(line.rstrip("\r\n"))
        if match is None or not (match["keyword"] or keyword):
            raise DocumentError(f"line {number}: {bare[:40]!r} is not PO. Correct the document.")
        if match["keyword"]:
            keyword = match["keyword"] + (f"[{match['form']}]" if match["form"] else "")
            if message.ranges and match["keyword"] in ("msgid", "msgctxt"):
                yield message
                message = Message()
            if not message.strings:
                message.start = offset
                message.line_end = line[len(line.rstrip("\r\n")) :] or "\n"
            message.strings[keyword] = ""
        message.add_string(keyword, match, offset)
        offset += len(line)
    if message.ranges:
        yield message


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "x":
        return chr(int(code[1:], 16))
    return chr(int(code, 8)) if code[0] in "01234567" else _CODES.get(code, code)


def escape_po(text: str, style: str = "") -> str:
    """Text as it is between the quotes of a string."""
    return _SPECIAL.sub(lambda match: _WRITTEN[match[0]], text)


def _written(text: str, start: int, end: int) -> str:
    return escape_po(text[start:end])


def render_po(marked: MarkedText, style: str) -> str:
    return f'"{render_markup(marked, escape_po)}"'


PO = TextFormat("po", find_po_segments, render_po, escape_po)
