"""The inline syntax of Markdown, with the place of every token in the file.

markdown-it-py parses it, but keeps only the lines of blocks. `InlineParser` runs the same rules and
records which characters each of them has read, so that all markup is a slice of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from regard.documents.html_elements import KEPT
from regard.documents.html_tokenizer import VOID
from regard.documents.inline_tags import InlineBuilder
from regard.documents.marked_text import MarkedText
from regard.documents.placeholders import add_raw_elements, find_placeholders

Environment = dict[str, Any]  # of markdown-it: references and footnotes of the document

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)")
_KEEPS = re.compile(r"\stranslate\s*=\s*[\"']?no\b", re.I)
SHORTCODE = re.compile(r"\{\{[<%][^{}]*[>%]\}\}")  # of Hugo
_MASK = "\ue000"  # a character for private use
_MASKED = re.compile(f"{_MASK}+")
_SPACE = " \t\n\r\v\f"
_BREAKS = re.compile(r"\s*\n\s*")
_SPAN = "span"
_LABEL = "label"


class InlineParser(ParserInline):
    """The parser of markdown-it-py; the `meta` of a token has the range that it was read from."""

    def __init__(self) -> None:
        super().__init__()
        self.ruler2.disable("fragments_join")  # it merges tokens
        self.ruler.before("text", "shortcode", _read_shortcode)
        self.add_terminator_char(_MASK)

    def tokenize(self, state: StateInline) -> None:
        """Run the rules at each place, like the method of the base class."""
        rules = self.ruler.getRules("")
        end, deepest = state.posMax, state.md.options["maxNesting"]
        if state.tokens and state.tokens[-1].type == "link_open":  # called by the rule of links
            state.tokens[-1].meta[_LABEL] = (state.pos, end)
        text_start = state.pos
        while state.pos < end:
            start, token_count = state.pos, len(state.tokens)
            had_text = bool(state.pending)
            if state.level >= deepest or not any(rule(state, False) for rule in rules):
                state.append_pending(state.src[start])
                state.pos = start + 1
            pushed = state.tokens[token_count:]
            if not had_text:
                text_start = start
            elif pushed and pushed[0].type == "text":  # the text before; breaks cut its spaces
                pushed[0].meta[_SPAN] = (text_start, text_start + len(pushed[0].content))
                del pushed[0]
            _set_spans(pushed, start, state.pos)
        if state.pending:
            token = state.pushPending()
            token.meta[_SPAN] = (text_start, text_start + len(token.content))


def _set_spans(tokens: Sequence[Token], start: int, end: int) -> None:
    """Divide what a rule has read between its tokens."""
    if len(tokens) == 1:
        tokens[0].meta[_SPAN] = (start, end)
    elif tokens and tokens[0].info == "auto":  # <https://example.com>
        for token in tokens:
            token.meta[_SPAN] = (start, end)
    elif tokens and tokens[0].type == "link_open":
        label = tokens[0].meta[_LABEL]
        tokens[0].meta[_SPAN] = (start, label[0])
        tokens[-1].meta[_SPAN] = (label[1], end)
    else:  # delimiters
        for token in tokens:
            token.meta[_SPAN] = (start, start + len(token.content))
            start += len(token.content)


def _read_shortcode(state: StateInline, silent: bool) -> bool:
    """The rule for shortcodes of Hugo, which `parse_inline` masks: links may have them."""
    match = _MASKED.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.push("shortcode", "", 0).content = match[0]
    state.pos = match.end()
    return True


@dataclass(slots=True)
class _Part:
    """A part of the content: text, raw, empty, break, open, close, or an HTML tag.

    Args:
        kind: Of these.
        start: Its first character in the content.
        end: The character after its last one.
        text: What is read, or the name of a tag.
        partner: The index of the other tag.
    """

    kind: str
    start: int
    end: int
    text: str = ""
    partner: int = -1


@dataclass(frozen=True, slots=True)
class InlineContent:
    """The content of a block, and where it is in the file.

    Args:
        content: Lines without the markup of the blocks around them.
        places: The place of each character in `source`, and of the end.
        source: The text of the file.
    """

    content: str
    offsets: Sequence[int]
    source: str

    def part(self, start: int, end: int) -> InlineContent:
        """A part of the content."""
        return InlineContent(self.content[start:end], self.offsets[start : end + 1], self.source)

    @property
    def start(self) -> int:
        """Where it begins in the file."""
        return self.offsets[0]

    @property
    def end(self) -> int:
        """Where it ends in the file."""
        return self.offsets[len(self.content)]

    def slice(self, start: int, end: int) -> str:
        """The characters in the file of a range of the content."""
        return self.source[self.offsets[start] : self.offsets[end]]


def parse_inline(
    content: InlineContent,
    parser: MarkdownIt,
    environment: Environment,
    *,
    placeholders: bool = True,
) -> MarkedText:
    """The text and the elements of a block.

    Args:
        content: Of the block.
        parser: Has an `InlineParser`.
        environment: Has the references and footnotes of the document.
        placeholders: Whether placeholders become elements too, with their characters in the file.
    """
    masked = SHORTCODE.sub(lambda match: _MASK * len(match[0]), content.content)
    tokens = parser.inline.parse(masked, parser, environment, [])
    parts = [*_parts(tokens, environment, 0)]
    if masked != content.content:
        _unmask(parts, content)
    _pair_tags(parts)
    writer = _Writer(content)
    writer.write(parts)
    marked = writer.builder.build()
    if not placeholders:
        return marked
    spans = find_placeholders(marked.text)
    return add_raw_elements(marked, [(*span, writer.slice_of_text(*span)) for span in spans])


def _parts(tokens: Sequence[Token], environment: Environment, offset: int) -> Iterator[_Part]:
    """The parts of parsed content that begins at `offset`."""
    automatic = False
    for token in tokens:
        start, end = (position + offset for position in token.meta[_SPAN])
        if token.info == "auto":
            automatic = token.nesting > 0
        elif automatic:
            yield _Part("raw", start, end, token.content)
        elif token.type == "image":
            yield from _with_children(token.children or [], token.content, start, end, environment)
        elif token.type == "footnote_ref" and "label" not in token.meta:
            note = environment["footnotes"]["list"][token.meta["id"]]
            yield from _with_children(note["tokens"], note["content"], start, end, environment)
        elif token.type != "text" or token.content:
            yield _part(token, start, end)


def _part(token: Token, start: int, end: int) -> _Part:
    """The part that is a token without tokens inside."""
    match token.type:
        case "text_special" if token.content in _SPACE:
            return _Part("raw", start, end, " ")
        case "text" | "text_special":
            return _Part("text", start, end, token.content)
        case "code_inline" | "math_inline" | "math_inline_double" | "myst_role" | "shortcode":
            return _Part("raw", start, end, token.content)
        case "softbreak":
            return _Part("text", start, end, " ")
        case "hardbreak":
            return _Part("break", start, end, " ")
        case "em_open" | "strong_open" | "s_open":
            return _Part("open", end - len(token.markup), end)
        case "em_close" | "strong_close" | "s_close":
            return _Part("close", start, start + len(token.markup))
        case "link_open":
            return _Part("open", start, end)
        case "link_close":
            return _Part("close", start, end)
        case "html_inline":
            return _html_part(token.content, start, end)
        case _:  # a reference to a footnote
            return _Part("empty", start, end)


def _unmask(parts: Sequence[_Part], content: InlineContent) -> None:
    """Give the texts of parts their shortcodes again."""
    for part in parts:
        if _MASK in part.text:
            part.text = content.content[part.start : part.end].strip("`\n")


def _with_children(
    tokens: Sequence[Token], content: str, start: int, end: int, environment: Environment
) -> Iterator[_Part]:
    """An element that markdown-it parses by itself: the text of an image or a footnote."""
    inner = start + 2  # after `![` or `^[`
    yield _Part("open", start, inner)
    yield from _parts(tokens, environment, inner)
    yield _Part("close", inner + len(content), end)


def _html_part(markup: str, start: int, end: int) -> _Part:
    named = _TAG.match(markup)
    name = "" if named is None else named[2].lower()
    if named is not None and named[1]:
        return _Part("tag-close", start, end, name)
    if name == "br":
        return _Part("break", start, end)
    if not name or name in VOID or markup.endswith("/>"):
        return _Part("empty", start, end)
    return _Part("tag-open", start, end, name)


def _pair_tags(parts: Sequence[_Part]) -> None:
    """Pair HTML tags that are nested with everything else; others are elements without text."""
    stack: list[int] = []
    opened: dict[str, int] = {}  # how many tags of each name are open
    for index, part in enumerate(parts):
        if part.kind in ("open", "tag-open"):
            stack.append(index)
            opened[part.text] = opened.get(part.text, 0) + 1
        elif part.kind in ("close", "tag-close"):
            if not opened.get(part.text):  # the name of other elements is empty
                part.kind = "empty"
                continue
            if part.kind == "tag-close" and _crosses(parts, stack, part.text):
                part.kind = "empty"
                continue
            while parts[stack[-1]].text != part.text:
                opened[parts[stack[-1]].text] -= 1
                parts[stack.pop()].kind = "empty"
            opened[part.text] -= 1
            partner = stack.pop()
            parts[partner].partner, part.partner = index, partner
    for index in stack:
        parts[index].kind = "empty"


def _crosses(parts: Sequence[_Part], stack: Sequence[int], name: str) -> bool:
    """Whether an element that is not HTML began after the last open tag of this name."""
    for index in reversed(stack):
        if parts[index].text == name:
            return False
        if parts[index].kind == "open":
            return True
    return True


@dataclass(slots=True)
class _Writer:
    """Writes parts to a builder, and records the origin of its text."""

    content: InlineContent
    builder: InlineBuilder = field(default_factory=InlineBuilder)
    origins: list[tuple[int, int, int, int]] = field(default_factory=list)  # of parts of the text

    def write(self, parts: Sequence[_Part]) -> None:
        index = cursor = 0
        while index < len(parts):
            part = parts[index]
            if part.kind == "break" and part.start > cursor:
                part.start = cursor  # the spaces before it belong to it
            end = part.end
            if part.kind in ("open", "tag-open") and self._keeps(part):
                last = parts[part.partner]
                inner = "".join(
                    inner_part.text
                    for inner_part in parts[index : part.partner]
                    if inner_part.kind in ("text", "raw")
                )
                self.builder.add_raw(self.content.slice(part.start, last.end), inner)
                index, end = part.partner, last.end
            else:
                self._write(part, parts)
            cursor = end
            index += 1

    def _keeps(self, part: _Part) -> bool:
        """Whether the content of an HTML element is not translated."""
        if part.kind != "tag-open":
            return False
        markup = self.content.content[part.start : part.end]
        return part.text in KEPT or _KEEPS.search(markup) is not None

    def _write(self, part: _Part, parts: Sequence[_Part]) -> None:
        markup = self.content.slice(part.start, part.end)
        if part.kind == "text":
            text_start = len(self.builder.text)
            self.builder.add_text(part.text)
            self.origins.append((text_start, len(self.builder.text), part.start, part.end))
        elif part.kind == "raw":
            self.builder.add_raw(markup, part.text)
        elif part.kind == "break":
            self.builder.add_break(markup)
        elif part.kind == "empty":
            self.builder.add_empty(markup)
        elif part.kind in ("open", "tag-open"):
            self.builder.open(markup)
        else:
            self.builder.close(self._closing(part, markup, parts))

    def _closing(self, part: _Part, markup: str, parts: Sequence[_Part]) -> str:
        """The end of an element; that of a short reference names its label: its text changes."""
        opening = parts[part.partner]
        if markup not in ("]", "][]") or self.content.content[opening.start] == "^":
            return markup
        label = self.content.content[opening.end : part.start]
        if "\n" not in label:
            label = self.content.slice(opening.end, part.start)
        return f"][{_BREAKS.sub(' ', label)}]"

    def slice_of_text(self, start: int, end: int) -> str:
        """The characters in the file of a range of the text; empty if it has markup at an end."""
        first, last = self._origin(start), self._origin(end - 1)
        if first is None or last is None:
            return ""
        return self.content.slice(first[0], last[1])

    def _origin(self, index: int) -> tuple[int, int] | None:
        """The range in the content of a character of the text."""
        number = bisect_right(self.origins, index, key=lambda origin: origin[0]) - 1
        if number < 0:
            return None
        first, stop, start, end = self.origins[number]
        if index >= stop:
            return None
        if stop - first == end - start:  # no entity and no escaped character
            return start + index - first, start + index - first + 1
        return start, end
