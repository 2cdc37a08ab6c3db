"""Java properties: values are segments."""

from __future__ import annotations

import re

from regard.documents.formats.base import DocumentSegment, TextFormat, has_words
from regard.documents.formats.strings import mark_string
from regard.documents.marked_text import MarkedText, render_markup, translated_text

_LINE = re.compile(
    r"^[ \t\f]*(?![#!])(?P<key>(?:[^\\\s:=]|\\.)+)[ \t\f]*[:=]?[ \t\f]*"
    r"(?P<value>(?:[^\\\r\n]|\\(?:\r\n|.))*)",
    re.MULTILINE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|\r?\n[ \t\f]*|.)", re.DOTALL)
_COMMENT = re.compile(r"^[ \t\f]*[#!].*$", re.MULTILINE)
_CODES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


def find_properties(text: str) -> list[DocumentSegment]:
    """The segments of a file, in order."""
    comments = [found.span() for found in _COMMENT.finditer(text)]
    segments, comment, place = [], 0, 0
    while (found := _LINE.search(text, place)) is not None:
        place = max(found.end(), found.start() + 1)
        while comment < len(comments) and comments[comment][1] <= found.start():
            comment += 1
        if (
            comment < len(comments)
            and comments[comment][0] <= found.start("key") < (comments[comment][1])
        ):
            place = comments[comment][1]
            continue
        marked = mark_string(_ESCAPE.sub(_unescape, found["value"]))
        if has_words(translated_text(marked)):
            segments.append(DocumentSegment(*found.span("value"), marked, found["key"]))
    return segments


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] == "u" and len(code) == 5:
        return chr(int(code[1:], 16))
    if code[0] in "\r\n":  # the line goes on
        return ""
    return _CODES.get(code, code)


def render_property(marked: MarkedText, style: str) -> str:
    text = render_markup(marked).replace("\\", "\\\\")
    for code, character in _CODES.items():
        text = text.replace(character, f"\\{code}")
    return f"\\{text}" if text.startswith(" ") else text


PROPERTIES = TextFormat("properties", find_properties, render_property)
