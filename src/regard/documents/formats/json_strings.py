"""JSON and ARB: string values are segments; keys stay as they are.

In ARB files, keys that begin with @ hold metadata, which stay too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from regard.documents.formats.base import DocumentSegment, TextFormat, has_words
from regard.documents.formats.strings import WrittenString, mark_string
from regard.documents.marked_text import MarkedText, render_markup, translated_text
from regard.errors import DocumentError

MAX_DEPTH = 200
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]', re.DOTALL)
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def find_json_segments(text: str) -> list[DocumentSegment]:
    """The segments of a file, in order. Raises DocumentError if it is not JSON."""
    depth = 0
    for match in _BRACKETS.finditer(text):
        depth += (match[0] in "[{") - (match[0] in "]}")
        if depth > MAX_DEPTH:
            raise DocumentError(f"values are nested more than {MAX_DEPTH} deep. Simplify it.")
    try:
        json.loads(text)
    except ValueError as error:
        raise DocumentError(f"not JSON ({error}). Correct the document.") from None
    return list(_segments(text))


def _segments(text: str) -> Iterator[DocumentSegment]:
    path: list[str] = []  # the keys of open objects; "[" of arrays
    is_key = False
    for match in _TOKEN.finditer(text):
        part = match[0]
        if part in ("{", "["):
            path.append("" if part == "{" else "[")
            is_key = part == "{"
        elif part in ("}", "]"):
            path.pop()
            is_key = False
        elif part == ",":
            is_key = path[-1] != "["
        elif part == ":":
            is_key = False
        elif is_key:
            path[-1] = json.loads(part, strict=False)
        else:
            if any(key.startswith("@") for key in path):
                continue
            string = WrittenString(part[1:-1], _ESCAPE, _decode)
            marked = mark_string(string.text, string.slice)
            if has_words(translated_text(marked)):
                location = ".".join(path).replace(".[", "[]").replace("[", "[", 1)
                yield DocumentSegment(match.start() + 1, match.end() - 1, marked, location)


def _decode(match: re.Match[str]) -> str:
    decoded: str = json.loads(f'"{match[0]}"')
    return decoded


def escape_json(text: str, style: str) -> str:
    """Text as it is between the quotes of a string."""
    written = json.dumps(text, ensure_ascii=False)[1:-1]
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", written)


def render_json(marked: MarkedText, style: str) -> str:
    return render_markup(marked, lambda text: escape_json(text, style))


JSON = TextFormat("json", find_json_segments, render_json, escape_json)
