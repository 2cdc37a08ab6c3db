"""The blocks of Markdown, with the place of their content in the file.

markdown-it-py and mdit-py-plugins parse CommonMark, the extensions of GitHub, footnotes, definition
lists, math, containers (`:::`), admonitions (`!!!`), and roles and targets of MyST.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from regard.documents.formats.markdown_inline import (
    Environment,
    InlineContent,
    InlineParser,
    read_shortcode,
)

MAX_NESTED = 100  # blocks and links

_ADMONITIONS = frozenset(
    "admonition attention caution danger dropdown error hint important note seealso tip "  # noqa: SIM905
    "versionadded versionchanged warning".split()
)
_KINDS = {  # by the token before the content
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "th_open": "cell",
    "td_open": "cell",
    "dt_open": "paragraph",
    "admonition_title_open": "title",
}
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_SPACE = " \t\v\f"
_CLOSING_MARKS = re.compile(r"[ \t]+#+$")
_DIRECTIVE_OPTION = re.compile(r":[\w-]+:(?:\s|$)")
_ATTRIBUTES = re.compile(r"[ \t]*\{[#.:][^{}\n]*\}$")


def create_parser() -> MarkdownIt:
    """A parser of blocks; its `inline` is an `InlineParser`."""
    parser = MarkdownIt(
        "commonmark",
        {
            "maxNesting": MAX_NESTED,
            "tasklists": True,
            "alerts": True,
            "strikethrough_single_tilde": True,
        },
    )
    parser.inline = InlineParser()
    parser.inline.ruler.before("text", "shortcode", read_shortcode)
    parser.enable("table")
    parser.disable("linkify")
    parser.use(footnote_plugin, move_to_end=False)
    parser.use(deflist_plugin)
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, allow_blank_lines=False,
               double_inline=True)
    parser.use(container_plugin, "block", validate=_has_markdown)
    parser.use(colon_fence_plugin)
    parser.use(admon_plugin)
    parser.use(myst_role_plugin)
    parser.use(myst_block_plugin)
    parser.disable(["myst_line_comment", "myst_block_break"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _has_markdown(parameters: str, markup: str) -> bool:
    """Whether a container has Markdown: those of MyST with other directives are left alone."""
    name = parameters.strip()
    if not name.startswith("{") or name.startswith(("{.", "{#")):
        return True
    return name.strip("{} ").partition("}")[0] in _ADMONITIONS


@dataclass(frozen=True, slots=True)
class Block:
    """The content of a block.

    Args:
        kind: paragraph, heading, cell or title.
        content: Its lines, and where they are.
    """

    kind: str
    content: InlineContent


def find_blocks(
    source: str, start: int, parser: MarkdownIt, environment: Environment
) -> Iterator[Block]:
    """The blocks of a text from `start`, in order; the environment gets references and footnotes."""
    text = source[start:]
    lines = [(start + found.start(1), start + found.end(1)) for found in _LINE.finditer(text)]
    reader = _BlockReader(source, lines)
    tokens = parser.parse(text, environment)
    row: list[Token] = []
    in_directive = False
    for before, token in pairwise(tokens):
        if before.type == "container_block_open":
            in_directive = before.info.strip().startswith("{")
        elif before.type == "tr_open":
            row = []
        if token.type == "tr_close":
            yield from reader.cells(row)
        if token.type != "inline" or token.map is None:
            continue
        kind = _KINDS.get(before.type)
        if kind == "cell":
            row.append(token)
        elif kind is not None and token.content:
            found = reader.read(kind, token, bool(before.markup) and before.markup[0] == "#")
            if found is not None and in_directive:
                found = _without_options(found)
            in_directive = False
            if found is not None:
                yield Block(kind, found)


def _without_options(content: InlineContent) -> InlineContent | None:
    """Leave out the options at the beginning of a directive."""
    start = 0
    while _DIRECTIVE_OPTION.match(content.content, start):
        end = content.content.find("\n", start)
        if end < 0:
            return None
        start = end + 1
    return InlineContent(content.content[start:], content.places[start:], content.source)


@dataclass(frozen=True, slots=True)
class _BlockReader:
    """Finds the content of blocks in the lines of a file."""

    source: str
    lines: Sequence[tuple[int, int]]

    def read(self, kind: str, token: Token, has_marks: bool) -> InlineContent | None:
        """The content of a block that is no table; None if the file does not have it.

        `has_marks`: a heading that begins with #.
        """
        assert token.map is not None
        if kind == "title":
            return self._title(token)
        if kind == "heading" and has_marks:
            return self._heading(token)
        places: list[int] = []
        content = token.content.split("\n")
        for number, line in enumerate(content, token.map[0]):
            if number >= len(self.lines):
                return None
            body = line.lstrip(_SPACE)
            end = self.lines[number][1]
            if number == token.map[0] + len(content) - 1:
                end = self._trimmed_end(number)
            if not self._has(body, end - len(body), self.lines[number][0]):
                return None
            indentation = len(line) - len(body)  # tabs in it may have become spaces
            places += [end - len(body)] * indentation
            places += range(end - len(body), end)
            places.append(end)  # of the line break
        return InlineContent(token.content, places, self.source)

    def cells(self, row: Sequence[Token]) -> Iterator[Block]:
        """The cells of a row of a table."""
        if not row or row[0].map is None:
            return
        start, end = self.lines[row[0].map[0]]
        parts = [*self._split_row(start, end)]
        for skipped in (0, 1):  # the part before the first pipe
            if skipped < len(parts) and self._are_cells(row, parts[skipped:], skipped):
                break
        else:
            return
        for token, (content, places) in zip(row, parts[skipped:], strict=False):
            if not token.content:
                continue
            first = content.rindex(token.content)
            last = first + len(token.content)
            yield Block(
                "cell", InlineContent(token.content, places[first : last + 1], self.source)
            )

    def _are_cells(
        self, row: Sequence[Token], parts: Sequence[tuple[str, list[int]]], skipped: int
    ) -> bool:
        texts = [content.strip() for content, _ in parts]
        first_is_equal = skipped or texts[0].endswith(row[0].content)
        return bool(
            first_is_equal
            and (row[0].content or skipped)
            and all(
                token.content == text
                for token, text in zip(row[1 - skipped :], texts[1 - skipped :], strict=False)
            )
        )

    def _split_row(self, start: int, end: int) -> Iterator[tuple[str, list[int]]]:
        """The parts between the pipes of a line, without the \\ of escaped pipes."""
        characters: list[str] = []
        places: list[int] = []
        escaped = False
        for place in range(start, end):
            character = self._character(place)
            if character == "|" and escaped:
                characters[-1] = "|"
            elif character == "|":
                yield "".join(characters), [*places, place]
                characters, places = [], []
            else:
                characters.append(character)
                places.append(place)
            escaped = character == "\\"
        yield "".join(characters), [*places, end]

    def _heading(self, token: Token) -> InlineContent | None:
        assert token.map is not None
        number = token.map[0]
        start, end = self.lines[number][0], self._trimmed_end(number)
        if not self._has(token.content, end - len(token.content), start):
            end -= len(_CLOSING_MARKS.search(self.source, start, end)[0])
            if not self._has(token.content, end - len(token.content), start):
                return None
        attributes = _ATTRIBUTES.search(token.content)
        content = token.content[: attributes.start()] if attributes else token.content
        first = end - len(token.content)
        return InlineContent(content, range(first, first + len(content) + 1), self.source)

    def _title(self, token: Token) -> InlineContent | None:
        assert token.map is not None
        number = token.map[0]
        last = self._trimmed_end(number) - 1  # of the quote
        first = last - len(token.content)
        if self.source[last] != '"' or not self._has(token.content, first, self.lines[number][0]):
            return None
        return InlineContent(token.content, range(first, last + 1), self.source)

    def _trimmed_end(self, number: int) -> int:
        start, end = self.lines[number]
        while end > start and self.source[end - 1] in _SPACE:
            end -= 1
        return end

    def _has(self, body: str, place: int, low: int) -> bool:
        """Whether a line from `low` has this text at a place."""
        found = self.source[max(place, low) : place + len(body)]
        return place >= low and found.replace("\0", "\ufffd") == body

    def _character(self, place: int) -> str:
        return "\ufffd" if self.source[place] == "\0" else self.source[place]
