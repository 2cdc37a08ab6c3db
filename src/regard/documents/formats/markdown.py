"""Markdown: headings, paragraphs, table cells and titles of the front matter are segments.

A paragraph of several lines is written as one line. Everything that is not translated is a slice of
the file: code, math, HTML, destinations of links, directives, and the markup between the blocks.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from regard.documents.formats.base import (
    DocumentSegment,
    LineNumbers,
    TextFormat,
    decode_document,
    has_words,
    replace_segments,
)
from regard.documents.formats.yaml_strings import find_yaml_segments, render_yaml
from regard.documents.marked_text import MarkedText, render_markup, translated_text
from regard.errors import DocumentError

if TYPE_CHECKING:
    from regard.documents.formats.markdown_inline import Environment
    from regard.documents.formats.markdown_writing import MarkdownWriter

MAX_BLOCK = 20_000  # characters of a paragraph
MAX_ROUNDS = 3  # of checks of the whole document
FRONT_MATTER_KEYS = frozenset(["title", "linktitle", "description", "summary"])
_YAML_FRONT = re.compile(r"---[ \t]*\r?\n(.*?\n)?---[ \t]*(?:\r?\n|$)", re.DOTALL)
_TOML_FRONT = re.compile(r"\+\+\+[ \t]*\r?\n(.*?\n)?\+\+\+[ \t]*(?:\r?\n|$)", re.DOTALL)
_TOML_STRING = re.compile(
    r"^[ \t]*([\w-]+)[ \t]*=[ \t]*(\"(?:[^\"\\\r\n]|\\.)*\"|'[^'\r\n]*')[ \t]*(?:#[^\r\n]*)?\r?$",
    re.MULTILINE,
)
_TOML_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


@cache
def _writer() -> MarkdownWriter:
    try:
        from regard.documents.formats.markdown_blocks import create_parser
        from regard.documents.formats.markdown_writing import MarkdownWriter
    except ImportError:
        raise DocumentError(
            "Markdown needs markdown-it-py and mdit-py-plugins. Install them with "
            "`pip install 'regard[documents]'`."
        ) from None
    return MarkdownWriter(create_parser())


def find_markdown_segments(text: str) -> list[DocumentSegment]:
    """The segments of a file, in order."""
    return _read(text)[0]


def _read(
    text: str, *, placeholders: bool = True
) -> tuple[list[DocumentSegment], Environment]:
    """The segments of a file, and its references and footnotes.

    `placeholders`: whether placeholders become elements.
    """
    parser = _writer().parser
    from regard.documents.formats.markdown_blocks import find_blocks
    from regard.documents.formats.markdown_inline import parse_inline
    from regard.documents.formats.markdown_writing import INLINE_MARKS

    segments, start = _front_matter(text)
    environment: Environment = {}
    line_of = LineNumbers(text)
    for block in find_blocks(text, start, parser, environment):
        content = block.content
        if not has_words(content.content):
            continue
        if len(content.content) > MAX_BLOCK:
            raise DocumentError(
                f"a paragraph has {len(content.content):,} characters. At most {MAX_BLOCK:,} are "
                "read: divide it."
            )
        marked = parse_inline(content, parser, environment, placeholders=placeholders)
        if has_words(translated_text(marked)):
            escaped = {mark for mark in _ESCAPED.findall(content.content) if mark in INLINE_MARKS}
            segments.append(
                DocumentSegment(
                    content.places[0],
                    content.places[len(content.content)],
                    marked,
                    line_of(content.places[0]),
                    f"{block.kind} {''.join(sorted(escaped))}",
                )
            )
    return segments, environment


def _front_matter(text: str) -> tuple[list[DocumentSegment], int]:
    """The segments of the front matter, and where the document begins."""
    for pattern, find in ((_YAML_FRONT, find_yaml_segments), (_TOML_FRONT, _toml_segments)):
        front = pattern.match(text)
        if front is None:
            continue
        try:
            found = find(front[1] or "")
        except DocumentError:
            return [], front.end()
        moved = [
            replace(segment, start=segment.start + front.start(1), end=segment.end + front.start(1))
            for segment in found
            if segment.place.lower() in FRONT_MATTER_KEYS
        ]
        return moved, front.end()
    return [], 0


def _toml_segments(text: str) -> list[DocumentSegment]:
    """The strings of the first table of a TOML file that are on one line."""
    try:
        values = tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    table = _TOML_TABLE.search(text)
    return [
        DocumentSegment(*found.span(2), MarkedText(value), found[1], "toml")
        for found in _TOML_STRING.finditer(text, 0, table.start() if table else len(text))
        if isinstance(value := values.get(found[1]), str) and has_words(value)
    ]


def render_markdown(marked: MarkedText, style: str) -> str:
    """A translation in the style of its segment."""
    if style == "toml":
        return json.dumps(render_markup(marked), ensure_ascii=False).replace("\x7f", "\\u007f")
    if " " not in style:
        return render_yaml(marked, style)
    return _writer().write(marked, style).text


def escape_markdown(text: str, style: str) -> str:
    """Escape what Markdown could read as markup."""
    _writer()
    from regard.documents.formats.markdown_writing import escape_markdown

    return escape_markdown(text) if " " in style else text


@dataclass(frozen=True, slots=True)
class MarkdownFormat(TextFormat):
    """Markdown; a document is read again to see whether it says what it should."""

    def unwritable(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
    ) -> list[int]:
        """The segments whose translation would be read differently in the document."""
        text, _, _ = decode_document(content)
        chosen = list(translations)
        refused: set[int] = set()
        for _ in range(MAX_ROUNDS):
            restored = replace_segments(text, segments, chosen, self.render)
            differing = _differing(segments, chosen, restored)
            if not differing:
                break
            refused.update(differing)
            for index in differing:
                chosen[index] = None
        return sorted(refused)


def _differing(
    segments: Sequence[DocumentSegment],
    translations: Sequence[MarkedText | None],
    restored: str,
) -> list[int]:
    """The translations that are not read as they should be in a restored document."""
    from regard.documents.formats.markdown_writing import canonical

    writer = _writer()
    found, environment = _read(restored, placeholders=False)

    def says(marked: MarkedText, style: str) -> tuple[str, str]:
        kind = style.partition(" ")[0]
        return kind, canonical(marked, writer.parser, environment)

    written = [
        segment.marked if marked is None else writer.write(marked, segment.style).marked
        for segment, marked in zip(segments, translations, strict=True)
        if " " in segment.style
    ]
    first = len(segments) - len(written)  # the front matter
    wanted = [
        (index, says(marked, segments[index].style))
        for index, marked in enumerate(written, first)
        if has_words(translated_text(marked))
    ]
    present = [says(segment.marked, segment.style) for segment in found if " " in segment.style]
    if len(wanted) == len(present):
        differing = [
            index for (index, one), other in zip(wanted, present, strict=True) if one != other
        ]
    else:
        begin, end = _equal_ends([one for _, one in wanted], present)
        differing = [index for index, _ in wanted[begin:end]]
    return [index for index in differing if translations[index] is not None]


def _equal_ends(one: Sequence[object], other: Sequence[object]) -> tuple[int, int]:
    """The range of `one` that is not equal to the beginning or the end of `other`."""
    shorter = min(len(one), len(other))
    begin = next((n for n in range(shorter) if one[n] != other[n]), shorter)
    rest = shorter - begin
    after = next((n for n in range(rest) if one[-1 - n] != other[-1 - n]), rest)
    return begin, max(len(one) - after, min(begin + 1, len(one)))


MARKDOWN = MarkdownFormat(
    "markdown",
    find_markdown_segments,
    render_markdown,
    escape_markdown,
)
