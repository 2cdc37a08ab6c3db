"""Texts that are not files: lines with tags and placeholders, and XML.

The tags of a line stay in it. XML is the content of an element, so it has any number of elements
and need not begin with one. Its elements divide it into segments, stay in a sentence, or keep their
content. By default an element divides the text if there are only elements beside it, and beside
words it stays in their sentence. This is DeepL's `outline_detection`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from html import escape, unescape

from regard.documents.formats.base import (
    DocumentSegment,
    LineNumbers,
    TextFormat,
    has_words,
    render_escaped,
    trimmed_range,
)
from regard.documents.formats.strings import mark_string
from regard.documents.formats.tables import find_lines, render_line
from regard.documents.html_elements import INLINE
from regard.documents.inline_tags import InlineBuilder, MarkupToken, match_tags, tokenize_xml
from regard.documents.marked_text import translated_text

# -- lines -----------------------------------------------------------------------------------------


def find_marked_lines(text: str) -> list[DocumentSegment]:
    """The lines that have letters, with their tags as elements. Entities stay text."""
    return [
        replace(line, marked=marked)
        for line in find_lines(text)
        if has_words(translated_text(marked := mark_string(line.marked.text)))
    ]


LINES = TextFormat("text", find_marked_lines, render_line)


# -- XML -------------------------------------------------------------------------------------------


_START, _END = "<text>", "</text>"
_DECLARATION = re.compile(r"\s*<\?xml\b.*?\?>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_LINE_END = re.compile(r"(\r\n|\n|\r)")


@dataclass(frozen=True, slots=True)
class XmlTags:
    """What the tags of a text mean, by their names.

    Args:
        ignored: Elements whose content is not translated.
        splitting: Elements that divide the text.
        non_splitting: Elements that stay in their sentence.
        outline: Whether further elements divide the text where only elements are beside them.
        lines: Whether the ends of lines divide the text.
    """

    ignored: frozenset[str] = frozenset()
    splitting: frozenset[str] = frozenset()
    non_splitting: frozenset[str] = frozenset()
    outline: bool = True
    lines: bool = True


def xml_text(tags: XmlTags) -> TextFormat:
    """The format of a text with these tags."""
    return TextFormat(
        "xml", partial(find_xml_segments, tags=tags), render_escaped(_escape), _escape
    )


def find_xml_segments(text: str, tags: XmlTags) -> list[DocumentSegment]:
    """The segments of a text, in order. Raises DocumentError if it is not well-formed."""
    declaration = _DECLARATION.match(text)
    first = 0 if declaration is None else declaration.end()
    return list(_Text(text, first, tags).segments())


class _Text:
    """The elements of a text. The root, which is added, is the element of the first token."""

    def __init__(self, text: str, first: int, tags: XmlTags) -> None:
        self.text, self.tags = text, tags
        offset = first - len(_START)
        self.tokens = tokenize_xml(f"{_START}{text[first:]}{_END}")
        for token in self.tokens:
            token.start += offset
            token.end += offset
        self.partners = match_tags(self.tokens)
        self.line_of = LineNumbers(text)
        self.dividing = self._dividing_elements()

    def _dividing_elements(self) -> set[int]:
        """The first tokens of elements that divide the text, and of all elements around them."""
        parents: dict[int, int] = {}
        with_words: set[int] = set()  # elements that have words beside their elements
        around: list[int] = []
        index = 0
        while index < len(self.tokens):
            token = self.tokens[index]
            if token.kind == "open" and self._is_ignored(token):
                with_words.add(around[-1])
                index = self.partners[index]
            elif token.kind == "open":
                if around:
                    parents[index] = around[-1]
                around.append(index)
            elif token.kind == "close":
                around.pop()
            elif token.kind == "text" and self.text[token.start : token.end].strip():
                with_words.add(around[-1])
            index += 1
        dividing = {0}
        for index, parent in reversed(parents.items()):
            if index in dividing or self._divides(index, parent in with_words):
                dividing |= {index, parent}
        return dividing

    def _is_ignored(self, token: MarkupToken) -> bool:
        return token.name in self.tags.ignored

    def _divides(self, index: int, beside_words: bool) -> bool:
        name = self.tokens[index].name
        if name in self.tags.splitting:
            return True
        known_inline = name in self.tags.non_splitting or name.lower() in INLINE
        return self.tags.outline and not known_inline and not beside_words

    def segments(self) -> Iterator[DocumentSegment]:
        """The segments between dividing elements, and between lines outside of elements."""
        run: list[tuple[int, int, int]] = []  # tokens, and the characters of them
        index = 0
        while index < len(self.tokens):
            token = self.tokens[index]
            last = index
            if token.kind == "open" and index not in self.dividing:
                last = self.partners[index]
            elif token.kind in ("open", "close") or token.name in self.tags.splitting:
                yield from self._segment(run)
                run, index = [], index + 1
                continue
            start, end = token.start, self.tokens[last].end
            if token.kind == "text" and self.tags.lines:
                for line_end in _LINE_END.finditer(self.text, start, end):
                    run.append((index, start, line_end.start()))
                    yield from self._segment(run)
                    run, start = [], line_end.end()
            run.append((index, start, end))
            index = last + 1

    def _segment(self, run: list[tuple[int, int, int]]) -> Iterator[DocumentSegment]:
        while run and not self.text[run[0][1] : run[0][2]].strip():
            run = run[1:]
        while run and not self.text[run[-1][1] : run[-1][2]].strip():
            run = run[:-1]
        if not run:
            return
        start, end = run[0][1], run[-1][2]
        if self.tokens[run[0][0]].kind == "text":
            start, _ = trimmed_range(self.text, start, run[0][2])
        if self.tokens[run[-1][0]].kind == "text":
            _, end = trimmed_range(self.text, max(start, run[-1][1]), end)
        builder = InlineBuilder()
        for index, first, last in run:
            if self.tokens[index].kind == "text":
                self._add_text(builder, max(first, start), min(last, end))
            else:
                self._add_element(builder, index)
        marked = builder.build()
        if has_words(translated_text(marked)):
            yield DocumentSegment(start, end, marked, self.line_of(start))

    def _add_element(self, builder: InlineBuilder, first: int) -> None:
        index, last = first, self.partners.get(first, first)
        while index <= last:
            token = self.tokens[index]
            written = self.text[token.start : token.end]
            if token.kind == "open" and self._is_ignored(token):
                index = self.partners[index]
                whole = self.text[token.start : self.tokens[index].end]
                builder.add_raw(whole, unescape(_TAG.sub("", whole)))
            elif token.kind == "open":
                builder.open(written)
            elif token.kind == "close":
                builder.close(written)
            elif token.kind == "text":
                self._add_text(builder, token.start, token.end)
            elif written.startswith("<![CDATA["):
                builder.add_raw(written, written[9:-3])
            else:
                builder.add_empty(written)
            index += 1

    def _add_text(self, builder: InlineBuilder, start: int, end: int) -> None:
        """Add text; the end of a line is an element, as a translation has none."""
        for part in _LINE_END.split(self.text[start:end]):
            if _LINE_END.fullmatch(part):
                builder.add_break(part, ordered=True)
            else:
                builder.add_text(unescape(part))


def _escape(text: str, style: str) -> str:
    return escape(text, quote=False)
