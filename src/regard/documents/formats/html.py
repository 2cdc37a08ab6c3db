"""HTML: text between block elements is a segment, with the inline elements in it.

The tokens are slices of the file, which is not repaired. A tag without its counterpart divides
segments. Elements of code, `translate="no"` and `class="notranslate"` keep their content. What
people read in an attribute, a list of options or an area of text is a segment of its own, also
within a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape

from regard.documents.formats.base import (
    DocumentSegment,
    LineNumbers,
    TextFormat,
    has_words,
    render_escaped,
)
from regard.documents.html_elements import (
    INLINE,
    KEPT,
    NESTED,
    ElementRanges,
    forbids_translation,
    read_attributes,
)
from regard.documents.html_tokenizer import (
    CONTENT,
    HtmlToken,
    attribute_value,
    token_text,
    tokenize_html,
)
from regard.documents.inline_tags import InlineBuilder
from regard.documents.marked_text import MarkedText, translated_text

_AS_TEXT, _IN_QUOTES, _IN_APOSTROPHES = "text", "quoted", "in apostrophes"
_SPACES = re.compile(r"[\t\n\f\r ]+")
_LINE = re.compile(r"[^\r\n]+")
_KEPT_HERE = (KEPT - NESTED) | {name for name, kind in CONTENT.items() if kind != "rcdata"}
_MAX_DEPTH = 8  # of segments within segments: each copies what is in it


@dataclass(frozen=True, slots=True)
class _Item:
    """Tokens that are one thing in a sentence: a text, a tag, or an element with its content.

    Args:
        first: The index of the first token.
        end: The index after the last one.
        keeps: Whether the content is not translated.
    """

    first: int
    end: int
    keeps: bool = False

    @property
    def is_element(self) -> bool:
        return self.end > self.first + 1


def find_html_segments(text: str) -> list[DocumentSegment]:
    """The segments of a file, in order: runs of inline content, and attributes."""
    page = _Page(text)
    segments = [*page.segments(0, len(page.tokens))]
    return sorted(segments, key=lambda segment: segment.start)


class _Page:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(tokenize_html(text))
        if not text.startswith("<?xml"):
            self.tokens = list(map(_without_ignored_slash, self.tokens))
        self.elements = ElementRanges(self.tokens)
        self.line_of = LineNumbers(text)

    def segments(self, first: int, last: int, depth: int = 0) -> Iterator[DocumentSegment]:
        """The segments of a range of tokens."""
        run: list[_Item] = []
        while first < last:
            item = self._item(first, last, depth)
            if self._is_inline(item):
                run.append(item)
            else:
                yield from self._run_segments(run, depth)
                yield from self._segments_inside(item, depth)
                run = []
            first = item.end
        yield from self._run_segments(run, depth)

    def _item(self, index: int, last: int, depth: int) -> _Item:
        token = self.tokens[index]
        if token.kind != "open":
            return _Item(index, index + 1)
        keeps = token.name in _KEPT_HERE or forbids_translation(self.text, token)
        has_end = index in self.elements.partners
        nested = token.name in NESTED and has_end and depth < _MAX_DEPTH
        if not keeps and not nested:
            return _Item(index, index + 1)
        return _Item(index, min(last, self.elements.ends[index] + has_end), keeps)

    def _is_inline(self, item: _Item) -> bool:
        token = self.tokens[item.first]
        if token.kind in ("text", "comment", "ignored"):
            return True
        has_partner = item.first in self.elements.partners
        return token.name in INLINE and (has_partner or token.kind == "empty" or token.name == "br")

    def _run_segments(self, run: Sequence[_Item], depth: int) -> Iterator[DocumentSegment]:
        """Divide a run at tags whose partner is elsewhere, and make a segment of each part."""
        members = {item.first for item in run}
        part: list[_Item] = []
        for item in run:
            partner = self.elements.partners.get(item.first)
            if item.is_element or partner is None or partner in members:
                part.append(item)
                continue
            yield from self._part_segments(part, depth)
            yield from self._segments_inside(item, depth)
            part = []
        yield from self._part_segments(part, depth)

    def _part_segments(self, part: Sequence[_Item], depth: int) -> Iterator[DocumentSegment]:
        """A segment and those inside its elements, or those alone if it has no words."""
        low, high = self._trimmed(part)
        sentence = [*self._sentence(part[low:high], depth)]
        around = [*part[:low], *part[high:]] if sentence else part
        for item in around:
            yield from self._segments_inside(item, depth)
        yield from sentence

    def _sentence(self, part: Sequence[_Item], depth: int) -> Iterator[DocumentSegment]:
        if not part:
            return
        start, end = self.tokens[part[0].first].start, self.tokens[part[-1].end - 1].end
        written = self.text[start:end]
        if self.tokens[part[0].first].kind == "text":
            start += len(written) - len(written.lstrip())
        if self.tokens[part[-1].first].kind == "text":
            end -= len(written) - len(written.rstrip())
        builder = InlineBuilder(collapse=True)
        inside: list[tuple[int, _Item]] = []  # the element that each tag is
        for item in part:
            token = self.tokens[item.first]
            if token.kind in ("open", "empty"):
                inside.append((len(builder.elements), item))
            self._add(builder, item, max(token.start, start), min(token.end, end))
        marked = builder.build()
        if not has_words(translated_text(marked)):
            return
        yield DocumentSegment(start, end, marked, self.line_of(start), _AS_TEXT)
        for number, item in inside:
            tag = self.tokens[item.first].start
            for segment in self._segments_inside(item, depth):
                if segment.element >= 0:  # within another segment in this element
                    yield segment
                else:
                    yield replace(segment, element=number, offset=segment.start - tag)

    def _add(self, builder: InlineBuilder, item: _Item, start: int, end: int) -> None:
        token = self.tokens[item.first]
        raw = self.text[start:end]
        if token.kind == "text":
            builder.add_text(self._plain(replace(token, start=start, end=end)))
        elif item.is_element:
            content = self.tokens[item.first : item.end]
            whole = self.text[token.start : content[-1].end]
            if item.keeps:
                builder.add_raw(whole, "".join(map(self._plain, content)))
            else:
                builder.add_empty(whole)
        elif token.name == "br":
            builder.add_break(raw)
        elif token.kind == "open":
            builder.open(raw)
        elif token.kind == "close":
            builder.close(raw)
        else:
            builder.add_empty(raw)

    def _plain(self, token: HtmlToken) -> str:
        """The text of a token, without the characters that browsers leave out."""
        return token_text(self.text, token).replace("\0", "") if token.kind == "text" else ""

    def _trimmed(self, part: Sequence[_Item]) -> tuple[int, int]:
        """The range of a part without what is at its ends and has no text.

        White space, tags without text, elements around everything, and controls.
        """
        low, high = 0, len(part)
        while low < high:
            first, last = part[low], part[high - 1]
            if self._has_no_text(first):
                low += 1
            elif self._has_no_text(last):
                high -= 1
            elif not first.is_element and self.elements.partners.get(first.first) == last.first:
                low, high = low + 1, high - 1
            else:
                break
        return low, high

    def _has_no_text(self, item: _Item) -> bool:
        token = self.tokens[item.first]
        if token.kind == "text":
            return not self.text[token.start : token.end].strip()
        if item.is_element:
            return not item.keeps
        return token.kind not in ("open", "close") or token.name == "br"

    def _segments_inside(self, item: _Item, depth: int) -> Iterator[DocumentSegment]:
        """The segments in the attributes of a tag, and in the content of a control."""
        token = self.tokens[item.first]
        yield from self._attribute_segments(token)
        if not item.is_element or item.keeps:
            return
        if token.name == "textarea":
            yield from self._line_segments(self.tokens[item.first + 1])
        else:
            yield from self.segments(item.first + 1, item.end - 1, depth + 1)

    def _attribute_segments(self, token: HtmlToken) -> Iterator[DocumentSegment]:
        if token.kind not in ("open", "empty") or not token.attributes:
            return
        if forbids_translation(self.text, token):
            return
        names = read_attributes(self.text, token)
        for attribute in token.attributes:
            value = attribute_value(self.text, attribute) if attribute.name in names else ""
            if not has_words(value):
                continue
            start, end = _without_space(self.text, attribute.start, attribute.end)
            marked = MarkedText(_SPACES.sub(" ", value.strip("\t\n\f\r ")))
            location = f"{self.line_of(start)}, {attribute.name}"
            quote = "" if attribute.quoted else '"'
            style = _IN_APOSTROPHES if self.text[attribute.start - 1] == "'" else _IN_QUOTES
            yield DocumentSegment(start, end, marked, location, style, quote, quote)

    def _line_segments(self, token: HtmlToken) -> Iterator[DocumentSegment]:
        """The lines of an area of text, which keeps them."""
        if token.kind != "text":
            return
        for line in _LINE.finditer(self.text, token.start, token.end):
            start, end = _without_space(self.text, *line.span())
            plain = self._plain(replace(token, start=start, end=end)) if start < end else ""
            if has_words(plain):
                yield DocumentSegment(start, end, MarkedText(plain), self.line_of(start), _AS_TEXT)


def _without_ignored_slash(token: HtmlToken) -> HtmlToken:
    """The token, without the slash that browsers ignore at the end of a tag with text."""
    if token.kind == "empty" and token.name in _KEPT_HERE - {"math", "svg"}:
        return replace(token, kind="open")
    return token


def _without_space(text: str, start: int, end: int) -> tuple[int, int]:
    """A range without the white space at its ends."""
    part = text[start:end]
    start += len(part) - len(part.lstrip("\t\n\f\r "))
    return start, max(start, end - (len(part) - len(part.rstrip("\t\n\f\r "))))


def escape_html(text: str, style: str) -> str:
    written = escape(text, quote=False)
    if style == _IN_APOSTROPHES:
        return written.replace("'", "&#39;")
    return written.replace('"', "&quot;") if style == _IN_QUOTES else written


HTML = TextFormat(
    "html",
    find_html_segments,
    render_escaped(escape_html),
    escape_html,
)
