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
    from markdown_it import MarkdownIt

    from regard.documents.formats.markdown_inline import Environment

MAX_BLOCK = 20_000  # characters of a paragraph
MAX_ROUNDS = 3  # of checks of the whole document
FRONT_MATTER_KEYS = frozenset(["title", "linktitle", "description", "summary"])
_END = r"[ \t]*(?:\r\n|\r|\n)"  # of a line
_YAML_FRONT = re.compile(rf"---{_END}(.*?[\r\n])?(?:---|\.\.\.)(?:{_END}|[ \t]*\Z)", re.DOTALL)
_TOML_FRONT = re.compile(rf"\+\+\+{_END}(.*?[\r\n])?\+\+\+(?:{_END}|[ \t]*\Z)", re.DOTALL)
_TOML_STRING = re.compile(
    r"(?<![^\r\n])[ \t]*([\w-]+)[ \t]*=[ \t]*(\"(?:[^\"\\\r\n]|\\.)*\"|'[^'\r\n]*')[ \t]*"
    r"(?:#[^\r\n]*)?(?![^\r\n])"
)
_TOML_TABLE = re.compile(r"(?<![^\r\n])[ \t]*\[")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


@cache
def _parser() -> MarkdownIt:
    try:
        from regard.documents.formats.markdown_blocks import create_parser
    except ImportError:
        raise DocumentError(
            "Markdown needs markdown-it-py and mdit-py-plugins. Install them with "
            "`pip install 'regard[documents]'`."
        ) from None
    return create_parser()


def find_markdown_segments(text: str) -> list[DocumentSegment]:
    """The segments of a file, in order."""
    parser = _parser()
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
        marked = parse_inline(content, parser, environment)
        if has_words(translated_text(marked)):
            escaped = {mark for mark in _ESCAPED.findall(content.content) if mark in INLINE_MARKS}
            segments.append(
                DocumentSegment(
                    content.start,
                    content.end,
                    marked,
                    line_of(content.start),
                    f"{block.kind} {''.join(sorted(escaped))}",
                )
            )
    return segments


def _front_matter(text: str) -> tuple[list[DocumentSegment], int]:
    """The segments of the front matter, and where the document begins."""
    for pattern, find in ((_YAML_FRONT, find_yaml_segments), (_TOML_FRONT, _toml_segments)):
        front = pattern.match(text)
        if front is None:
            continue
        try:
            front_segments = find(front[1] or "")
        except DocumentError:
            return [], front.end()
        moved = [
            replace(segment, start=segment.start + front.start(1), end=segment.end + front.start(1))
            for segment in front_segments
            if segment.location.lower() in FRONT_MATTER_KEYS
        ]
        return moved, front.end()
    return [], 0


def _toml_segments(text: str) -> list[DocumentSegment]:
    """The strings of the first table of a TOML file that are on one line."""
    try:
        values = tomllib.loads(re.sub(r"\r\n?", "\n", text))
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    table = _TOML_TABLE.search(text)
    return [
        DocumentSegment(*match.span(2), MarkedText(value), match[1], "toml")
        for match in _TOML_STRING.finditer(text, 0, table.start() if table else len(text))
        if isinstance(value := values.get(match[1]), str) and has_words(value)
    ]


def _render_value(marked: MarkedText, style: str) -> str:
    """A value of the front matter."""
    if style != "toml":
        return render_yaml(marked, style)
    return json.dumps(render_markup(marked), ensure_ascii=False).replace("\x7f", "\\u007f")


def escape_markdown(text: str, style: str) -> str:
    """Escape what Markdown could read as markup."""
    _parser()
    from regard.documents.formats.markdown_writing import escape_inline

    return escape_inline(text) if _is_block(style) else text


def _is_block(style: str) -> bool:
    """Whether a segment is a block, and not a value of the front matter."""
    return " " in style


@dataclass(frozen=True, slots=True)
class MarkdownFormat(TextFormat):
    """Markdown. A restored document is parsed again and compared with the translations."""

    def restore(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
    ) -> bytes:
        text, mark, encoding = decode_document(content)
        if any(marked is not None for marked in translations):
            text = replace_segments(text, segments, translations, _Document(text).render)
        return mark + text.encode(encoding)

    def unwritable(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
    ) -> list[int]:
        text, _, _ = decode_document(content)
        document = _Document(text)
        chosen = list(translations)
        refused: set[int] = set()
        for _ in range(MAX_ROUNDS):
            differing = document.differences(segments, chosen)
            if not differing:
                break
            refused.update(differing)
            for index in differing:
                chosen[index] = None
        return sorted(refused)


class _Document:
    """A document whose segments are replaced."""

    def __init__(self, text: str) -> None:
        parser = _parser()
        from regard.documents.formats.markdown_blocks import find_blocks
        from regard.documents.formats.markdown_writing import MarkdownWriter

        self.text, self._find_blocks = text, find_blocks
        environment: Environment = {}
        self._blocks = [*find_blocks(text, _front_matter(text)[1], parser, environment)]
        self._writer = MarkdownWriter(parser, environment)

    def render(self, marked: MarkedText, style: str) -> str:
        """A translation in the style of its segment."""
        if not _is_block(style):
            return _render_value(marked, style)
        return self._writer.write(marked, style).text

    def differences(
        self, segments: Sequence[DocumentSegment], translations: Sequence[MarkedText | None]
    ) -> list[int]:
        """Segments whose text in the restored document differs from their translation."""
        writer = self._writer
        written = {
            segment.start: (index, writer.write(marked, segment.style))
            for index, (segment, marked) in enumerate(zip(segments, translations, strict=True))
            if marked is not None and _is_block(segment.style)
        }
        forms = iter([*written.values()])
        restored = replace_segments(
            self.text,
            segments,
            translations,
            lambda marked, style: (
                next(forms)[1].text if _is_block(style) else _render_value(marked, style)
            ),
        )
        wanted: list[tuple[str, str]] = []
        indices: list[int] = []
        for block in self._blocks:
            index, form = written.get(block.content.start, (-1, None))
            content = (
                writer.canonical_source(block.content)
                if form is None
                else writer.canonical(form.marked)
            )
            wanted.append((block.kind, content))
            indices.append(index)
        present = [
            (block.kind, writer.canonical_source(block.content))
            for block in self._find_blocks(restored, _front_matter(restored)[1], _parser(), {})
        ]
        if len(wanted) == len(present):
            differing = [n for n in range(len(wanted)) if wanted[n] != present[n]]
        else:
            differing = [*range(*_difference(wanted, present))]
        return [indices[n] for n in differing if indices[n] >= 0]


def _difference(first: Sequence[object], second: Sequence[object]) -> tuple[int, int]:
    """The range of `first` without what is equal at the beginning and at the end of `second`."""
    shorter = min(len(first), len(second))
    begin = next((n for n in range(shorter) if first[n] != second[n]), shorter)
    rest = shorter - begin
    equal_end = next((n for n in range(rest) if first[-1 - n] != second[-1 - n]), rest)
    return max(begin - 1, 0), len(first) - equal_end


MARKDOWN = MarkdownFormat(
    "markdown",
    find_markdown_segments,
    _render_value,
    escape_markdown,
)
