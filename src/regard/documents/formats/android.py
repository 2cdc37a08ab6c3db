"""Android string resources: strings, and the items of string arrays and plurals, are segments.

Texts are written as aapt reads them: white space is one space unless it is in quotes or escaped,
and references such as @string/name stay.
"""

from __future__ import annotations

import re
from html import escape, unescape

from regard.documents.formats.base import DocumentSegment, TextFormat, has_words, trimmed_range
from regard.documents.formats.strings import CODE_UNITS, decode_units
from regard.documents.inline_tags import InlineBuilder, MarkupToken, match_tags, tokenize_xml
from regard.documents.marked_text import MarkedText, render_markup, translated_text
from regard.errors import DocumentError

_CDATA = "CDATA"
_NAME = re.compile(r"""\sname\s*=\s*["']([^"']*)["']""")
_KEEPS = re.compile(r"""\stranslatable\s*=\s*["']false["']""")
_ITEMS = frozenset(["string-array", "plurals"])  # other items are values of styles and the like
_REFERENCE = re.compile(
    r"@(?:null|empty|[+*]?(?:[\w.]+:)?\w+/[\w.]+)|\?(?:[\w.]+:)?(?:\w+/)?[\w.]+"
)
_PART = re.compile(
    rf"(?P<line>\\n|\\t)|(?P<code>{CODE_UNITS})|\\(?P<character>.)|(?P<quote>\")"
    r"|(?P<space>[ \t\r\n\f\v]+)",
    re.DOTALL,
)
_QUOTED = re.compile(r'"(?P<text>(?:[^"\\<]|\\.)*)"', re.DOTALL)
_ESCAPED = {"\\": "\\\\", "'": "\\'", '"': '\\"', "\n": "\\n", "\t": "\\t"}
_SPECIAL = re.compile(r"[\\'\"\n\t]|(?<=[ \n\t]) ")
_IN_QUOTES = re.compile(r"[\\\"\n\t]")


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
    resource_name, kept_until, items_until = "", -1, -1
    for index, token in enumerate(tokens):
        if token.kind != "open":
            continue
        tag = text[token.start : token.end]
        if named := _NAME.search(tag):
            resource_name = named[1]
            if _KEEPS.search(tag):
                kept_until = partners[index]
        if token.name in _ITEMS:
            items_until = partners[index]
        is_text = token.name == "string" or (token.name == "item" and index < items_until)
        if is_text and index > kept_until:
            last = partners[index]
            segment = _segment(text, tokens[index + 1 : last], token.end, tokens[last].start)
            if segment is not None and has_words(translated_text(segment[2])):
                start, end, marked, style = segment
                kept_reason = "CDATA is not translated: write the text with escapes." * (
                    style == _CDATA
                )
                segments.append(
                    DocumentSegment(
                        start, end, marked, resource_name, style, kept_reason=kept_reason
                    )
                )
    return segments


def _segment(
    text: str, tokens: list[MarkupToken], start: int, end: int
) -> tuple[int, int, MarkedText, str] | None:
    """The range of a string within its outer white space and quotes, its text, and its style."""
    start, end = trimmed_range(text, start, end)
    if _REFERENCE.fullmatch(text, start, end):
        return None
    quoted = _QUOTED.fullmatch(text, start, end)
    style = "plain" if quoted is None else "quoted"
    if quoted is not None:
        start, end = quoted.span("text")
    partners = match_tags(tokens)
    builder = InlineBuilder()
    in_quotes = quoted is not None
    index = 0
    while index < len(tokens):
        token = tokens[index]
        raw = text[max(start, token.start) : min(end, token.end)]
        if token.kind == "text":
            in_quotes = _add_text(builder, raw, in_quotes)
        elif raw.startswith("<![CDATA["):
            return start, end, MarkedText(raw[9:-3]), _CDATA
        elif token.kind == "open" and token.name == "xliff:g":
            last = partners[index]
            inner = [text[token.start : token.end] for token in tokens[index : last + 1]]
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
    return start, end, builder.build(), style


def _add_text(builder: InlineBuilder, raw: str, in_quotes: bool) -> bool:
    """Add the text that aapt reads; returns whether a quote is open at the end."""
    cursor = 0
    for match in _PART.finditer(raw):
        builder.add_text(unescape(raw[cursor : match.start()]))
        cursor = match.end()
        if match["line"]:
            builder.add_break(match["line"], ordered=True)
        elif match["quote"]:
            in_quotes = not in_quotes
        elif match["space"]:
            builder.add_text(match["space"] if in_quotes else " ")
        else:
            builder.add_text(decode_units(match["code"]) if match["code"] else match["character"])
    builder.add_text(unescape(raw[cursor:]))
    return in_quotes


def escape_android(text: str, style: str) -> str:
    """Text as it is between tags, in quotes or not."""
    text = escape(text, quote=False)
    if style == "quoted":
        return _IN_QUOTES.sub(lambda match: _ESCAPED[match[0]], text)
    return _SPECIAL.sub(lambda match: _ESCAPED.get(match[0], "\\u0020"), text)


def render_android(marked: MarkedText, style: str) -> str:
    """A string whose ends aapt reads as text: no white space, and no sign of a reference."""
    written = render_markup(marked, lambda text: escape_android(text, style))
    if style == "quoted":
        return written
    if written.startswith(("@", "?")):
        written = f"\\{written}"
    start = len(written) - len(written.lstrip(" "))
    end = len(written.rstrip(" "))
    if start < end:
        written = "\\u0020" * start + written[start:end] + "\\u0020" * (len(written) - end)
    return written


ANDROID = TextFormat("android", find_android_segments, render_android, escape_android)
