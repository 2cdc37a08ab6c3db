"""Markdown: markdown-it-py finds the blocks; headings, paragraphs and table cells are segments.

A paragraph of several lines is written as one line. Code, HTML blocks and link definitions stay as
they are; of the front matter, titles and descriptions are translated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from regard.documents.formats.base import (
    DocumentSegment,
    LineNumbers,
    TextFormat,
    has_words,
)
from regard.documents.formats.markdown_inline import parse_inline
from regard.documents.formats.yaml_strings import find_yaml_segments, render_yaml
from regard.documents.marked_text import (
    InlineElement,
    MarkedText,
    render_markup,
    translated_text,
)
from regard.errors import DocumentError

MAX_BLOCK = 20_000  # characters of a paragraph
FRONT_MATTER_KEYS = frozenset(["title", "linktitle", "description", "summary"])
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?\n)?---[ \t]*(?:\r?\n|$)", re.DOTALL)
_SPECIAL = re.compile(r"[\\`*\[\]<]|(?<!\w)_|_(?!\w)|&(?=#?\w{1,32};)|~~|\|")
_BLOCK_START = re.compile(r"[-+](?=\s|$)|#{1,6}(?=\s|$)|>|=+\s*$|-{2,}\s*$", re.MULTILINE)
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_SPACES_BEFORE_BREAK = re.compile(r" +(?=(?:  |\\)\r?\n)")
_AFTER_BREAK = "\0"  # Markdown has no such character
_BREAKS = re.compile(r"\s*[\r\n]+\s*")


def find_markdown_segments(text: str) -> list[DocumentSegment]:
    """The segments of a file, in order."""
    try:
        from markdown_it import MarkdownIt
        from markdown_it.common.utils import normalizeReference
    except ImportError:
        raise DocumentError(
            "Markdown needs markdown-it-py. Install it with `pip install 'regard[documents]'`."
        ) from None

    segments = []
    skipped = 0
    front = _FRONT_MATTER.match(text)
    if front is not None:
        skipped = front.end()
        segments += _front_matter(front)
    body = text[skipped:]
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.core.ruler.enableOnly(["normalize", "block"])  # `parse_inline` reads the rest
    environment: dict[str, dict[str, object]] = {}
    blocks = parser.parse(body, environment)
    references = environment.get("references", {})
    starts = _line_starts(body)
    cursors: dict[int, int] = {}
    line_of = LineNumbers(text)
    for token in blocks:
        if token.type != "inline" or token.map is None or not has_words(token.content):
            continue
        if len(token.content) > MAX_BLOCK:
            raise DocumentError(
                f"a paragraph has {len(token.content):,} characters. At most {MAX_BLOCK:,} are "
                "read: divide it."
            )
        ranges = _locate(body, starts, token.map[0], token.content.split("\n"), cursors)
        if ranges is None:
            continue
        gaps = [body[one[1] : two[0]] for one, two in pairwise(ranges)]
        marked = parse_inline(
            token.content, gaps, lambda label: normalizeReference(label) in references
        )
        if has_words(translated_text(marked)):
            start, end = skipped + ranges[0][0], skipped + ranges[-1][1]
            segments.append(DocumentSegment(start, end, marked, line_of(start), "inline"))
    return segments


def _front_matter(front: re.Match[str]) -> list[DocumentSegment]:
    try:
        found = find_yaml_segments(front[1] or "")
    except DocumentError:
        return []
    return [
        replace(each, start=each.start + front.start(1), end=each.end + front.start(1))
        for each in found
        if each.place.lower() in FRONT_MATTER_KEYS
    ]


def _line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer("\n", text))]


def _locate(
    text: str, starts: Sequence[int], first: int, lines: Sequence[str], cursors: dict[int, int]
) -> list[tuple[int, int]] | None:
    """The range of each line of a block's content; None if the parser changed it."""
    ranges = []
    for number, line in enumerate(lines, first):
        if number >= len(starts):
            return None
        end = starts[number + 1] if number + 1 < len(starts) else len(text)
        stripped = line.strip()
        place = text.find(stripped, max(starts[number], cursors.get(number, 0)), end)
        if place < 0:
            return None
        ranges.append((place, place + len(stripped)))
    for number, (_, end) in enumerate(ranges, first):
        cursors[number] = end
    return ranges


def render_markdown(marked: MarkedText, style: str) -> str:
    """A translation on one line, without the beginning of another block."""
    if style != "inline":
        return render_yaml(marked, style)
    marked = _without_blank_lines(marked)
    elements = [_mark_break(_without_empty_emphasis(one)) for one in marked.elements]
    marked = replace(marked, elements=tuple(elements))
    text = render_markup(marked, lambda part: escape_markdown(part, style)).strip()
    text = _SPACES_BEFORE_BREAK.sub("", text)
    return "".join(map(_escape_block_start, text.split(_AFTER_BREAK)))


def _mark_break(one: InlineElement) -> InlineElement:
    """Mark where the text of a line begins: a break may end with the `>` of a block quote."""
    if one.raw is None or "\n" not in one.raw:
        return one
    return replace(one, raw=one.raw + _AFTER_BREAK)


def _escape_block_start(line: str) -> str:
    """Escape what would begin a list, a heading, a quote or a numbered list."""
    text = line.lstrip()
    indentation = line[: len(line) - len(text)]
    if _BLOCK_START.match(text):
        return f"{indentation}\\{text}"
    if _NUMBERED.match(text):
        return indentation + _NUMBERED.sub(r"\1\\\2", text, count=1)
    return line


def _without_blank_lines(marked: MarkedText) -> MarkedText:
    """Drop hard breaks without text on both sides: an empty line would end the paragraph."""
    elements = list(marked.elements)
    breaks = [n for n, one in enumerate(elements) if one.raw is not None and "\n" in one.raw]
    before = 0
    for index in sorted(breaks, key=lambda each: elements[each].start):
        one = elements[index]
        if marked.text[before : one.start].strip() and marked.text[one.end :].strip():
            before = one.end
        else:
            elements[index] = replace(one, raw="")
    return replace(marked, elements=tuple(elements))


def _without_empty_emphasis(one: InlineElement) -> InlineElement:
    """Markdown has no emphasis without text: its delimiters would be text, or begin a block."""
    if one.start == one.end and one.opening == one.closing:
        return replace(one, opening="", closing="")
    return one


def escape_markdown(text: str, style: str) -> str:
    """Escape what Markdown would read as markup."""
    return _SPECIAL.sub(lambda found: _escape(found[0]), _BREAKS.sub(" ", text))


def _escape(mark: str) -> str:
    return "&amp;" if mark == "&" else "".join(f"\\{character}" for character in mark)


MARKDOWN = TextFormat(
    "markdown",
    find_markdown_segments,
    render_markdown,
    escape_markdown,
)
