"""Java properties: values are segments.

A file is UTF-8, or ISO-8859-1, which Java expected until version 9. A file without other characters
than ASCII gets none, so that both readers understand it: `\\u00e9` is written for é.
"""

from __future__ import annotations

import re
from dataclasses import replace

from regard.documents.formats.base import (
    DocumentSegment,
    TextFormat,
    decode_document,
    has_words,
)
from regard.documents.formats.strings import (
    CODE_UNITS,
    WrittenString,
    decode_units,
    mark_string,
)
from regard.documents.marked_text import MarkedText, render_markup, translated_text
from regard.errors import DocumentError

_BREAK = r"(?:\r\n|\r|\n)"
_ESCAPED = rf"\\(?:{_BREAK}[ \t\f]*|[^\r\n]|\Z)"
_SPACE = rf"(?:[ \t\f]|\\{_BREAK})*"
# A comment, or a key with its value. It matches at the beginning of every line.
_LINE = re.compile(
    rf"[ \t\f]*(?:[#!][^\r\n]*|(?P<key>(?:[^\\ \t\f\r\n:=]|{_ESCAPED})*){_SPACE}"
    rf"(?:[:=]{_SPACE})?(?P<value>(?:[^\\\r\n]|{_ESCAPED})*))(?:{_BREAK}|\Z)"
)
_ESCAPE = re.compile(
    rf"(?P<code>{CODE_UNITS})|\\(?:(?P<goes_on>{_BREAK}[ \t\f]*)|(?P<character>.|\Z))"
)
_OLD = "latin-1"
_CODES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_WRITTEN = {"\\": "\\\\"} | {character: f"\\{code}" for code, character in _CODES.items()}
_SPECIAL = re.compile(r"[\\\n\t\r\f]")
_OTHER = re.compile(r"[^\0-\x7f]")


class PropertiesFormat(TextFormat):
    """Files of `java.util.Properties`."""

    def extract(self, content: bytes) -> list[DocumentSegment]:
        text, _, encoding = self.decode(content)
        segments = self.find(text)
        if not text.isascii() and encoding != _OLD:
            return segments
        return [replace(segment, style="ascii") for segment in segments]


def _decode(content: bytes) -> tuple[str, bytes, str]:
    try:
        return decode_document(content)
    except DocumentError:
        return content.decode(_OLD), b"", _OLD


def find_properties(text: str) -> list[DocumentSegment]:
    """The segments of a file, in order. Their style is "ascii" in a file of ASCII characters."""
    segments = []
    for line in _LINE.finditer(text):
        if line["value"]:
            string = WrittenString(line["value"], _ESCAPE, _unescape)
            marked = mark_string(string.text, string.slice)
            if has_words(translated_text(marked)):
                segments.append(DocumentSegment(*line.span("value"), marked, line["key"]))
    return segments


def _unescape(match: re.Match[str]) -> str:
    if match["code"]:
        return decode_units(match["code"])
    if match["goes_on"]:
        return ""
    return _CODES.get(match["character"], match["character"])


def escape_property(text: str, style: str) -> str:
    """Text as it is within a value."""
    written = _SPECIAL.sub(lambda match: _WRITTEN[match[0]], text)
    return _OTHER.sub(_as_code, written) if style == "ascii" else written


def _as_code(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[index : index + 4]}" for index in range(0, len(units), 4))


def render_property(marked: MarkedText, style: str) -> str:
    """A value; its first character must not be read as part of what divides it from the key."""
    text = render_markup(marked, lambda part: escape_property(part, style))
    return f"\\{text}" if text.startswith((" ", "=", ":")) else text


PROPERTIES = PropertiesFormat(
    "properties", find_properties, render_property, escape_property, _decode
)
