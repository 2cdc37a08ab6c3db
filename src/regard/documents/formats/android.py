"""Android string resources: strings, and the items of arrays and plurals, are segments."""

from __future__ import annotations

import re
from html import escape, unescape

from regard.documents.formats.base import (
    DocumentSegment,
    TextFormat,
    has_words,
    render_escaped,
)
from regard.documents.inline_tags import InlineBuilder
from regard.documents.marked_text import MarkedText, translated_text
from regard.documents.markup_tokens import MarkupToken, match_tags, tokenize_xml
from regard.errors import DocumentError

_NAME = re.compile(r"""\sname\s*=\s*["']([^"']*)["']""")
_KEEPS = re.compile(r"""\stranslatable\s*=\s*["']false["']""")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[^n])", re.DOTALL)
_BREAK = re.compile(r"(\\n)")


def find_android_segments(text: str) -> list[DocumentSegment]:
    """The segments of a file, in order."""
    tokens = tokenize_xml(text)
    if next((token.name for token in tokens if token.kind == "open"), "") != "resources":
        raise DocumentError(
            "the root element is not resources. Only Android strings.xml files are read as XML; "
            "for XLIFF, name the format."
        )
    partners = match_tags(tokens)
    segments = []
    place, kept_until = "", -1
    for index, token in enumerate(tokens):
        if token.kind != "open":
            continue
        tag = text[token.start : token.end]
        if named := _NAME.search(tag):
            place = named[1]
            if _KEEPS.search(tag):
                kept_until = partners[index]
        if token.name in ("string", "item") and index > kept_until:
            last = partners[index]
            marked = _inline(text, tokens[index + 1 : last])
            if marked is not None and has_words(translated_text(marked)):
                span = token.end, tokens[last].start
                segments.append(DocumentSegment(*span, marked, place))
    return segments


def _inline(text: str, tokens: list[MarkupToken]) -> MarkedText | None:
    partners = match_tags(tokens)
    builder = InlineBuilder(collapse=True)
    index = 0
    while index < len(tokens):
        token = tokens[index]
        raw = text[token.start : token.end]
        if token.kind == "text":
            for part in _BREAK.split(raw):
                if part == "\\n":
                    builder.add_break(part)
                elif part:
                    builder.add_text(_ESCAPE.sub(_unescape, unescape(part)))
        elif raw.startswith("<![CDATA["):
            return None
        elif token.kind == "open" and token.name == "xliff:g":
            last = partners[index]
            inner = [text[each.start : each.end] for each in tokens[index : last + 1]]
            plain = [part for part in inner if not part.startswith("<")]
            builder.add_raw("".join(inner), "".join(map(unescape, plain)))
            index = last
        elif token.kind == "open":
            builder.open(raw)
        elif token.kind == "close":
            builder.close(raw)
        else:
            builder.add_empty(raw)
        index += 1
    return builder.build()


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    return chr(int(code[1:], 16)) if code[0] == "u" and len(code) == 5 else code


def escape_android(text: str, style: str) -> str:
    text = text.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"').replace("\n", "\\n")
    text = f"\\{text}" if text.startswith(("@", "?")) else text
    return escape(text, quote=False)


ANDROID = TextFormat(
    "android",
    find_android_segments,
    render_escaped(escape_android),
    escape_android,
)
