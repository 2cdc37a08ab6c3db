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
from markdown_it.common.utils import MD_TRIM_CHARS
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
    SHORTCODE,
    Environment,
    InlineContent,
    InlineParser,
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
_OPTIONS = re.compile(r"(?::[\w-]+:(?:[ \t][^\n]*)?(?:\n|\Z))*")
_BLANK = r"&(?:nbsp|ensp|emsp|thinsp|Tab|NewLine|#(?:9|10|13|32|160|[xX](?:9|20|[aA]0)));"
_LEADING = re.compile(rf"(?:{_BLANK}|\s|{SHORTCODE.pattern}[ \t]*\n)*")
_TRAILING = re.compile(rf"(?:{_BLANK}|\n[ \t]*{SHORTCODE.pattern}|\s)\Z")
MAX_TRAILING = 1_000  # characters of a shortcode at the end
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
    parser.enable("table")
    parser.disable("linkify")
    parser.use(footnote_plugin, move_to_end=False)
    parser.use(deflist_plugin)
    parser.use(
        dollarmath_plugin,
        allow_space=False,
        allow_digits=False,
        allow_blank_lines=False,
        double_inline=True,
    )
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
class MarkdownBlock:
    """The content of a block.

    Args:
        kind: paragraph, heading, cell, row or title. "row" is a cell that begins its line.
        content: Its lines, and where they are.
    """

    kind: str
    content: InlineContent


def find_blocks(
    source: str, start: int, parser: MarkdownIt, environment: Environment
) -> Iterator[MarkdownBlock]:
    """The blocks of a text from `start`, in order; references go to the environment."""
    text = source[start:]
    lines = [(start + match.start(1), start + match.end(1)) for match in _LINE.finditer(text)]
    reader = _BlockReader(source, lines)
    tokens = parser.parse(text, environment)
    row: list[Token] = []
    in_directive = False
    for previous, token in pairwise(tokens):
        if previous.type == "container_block_open":
            in_directive = previous.info.strip().startswith("{")
        elif previous.type == "tr_open":
            row = []
        if token.type == "tr_close":
            yield from reader.cells(row)
        if token.type != "inline" or token.map is None:
            continue
        kind = _KINDS.get(previous.type)
        if kind == "cell":
            row.append(token)
        elif kind is not None and token.content:
            content = reader.read(kind, token, previous.markup.startswith("#"))
            if content is not None:
                content = _trimmed(content, has_options=in_directive)
            in_directive = False
            if content is not None:
                yield MarkdownBlock(kind, content)


def _trimmed(content: InlineContent, *, has_options: bool) -> InlineContent | None:
    """Leave out spaces, lines of shortcodes and the options of a directive at the ends."""
    text = content.content
    start = 0
    for pattern in [_OPTIONS, _LEADING] if has_options else [_LEADING]:
        if (skipped := pattern.match(text, start)) is not None:
            start = skipped.end()
    end = start + len(text[start:].rstrip(MD_TRIM_CHARS))
    while (match := _TRAILING.search(text, max(start, end - MAX_TRAILING), end)) is not None:
        end = match.start()
    return content.part(start, end) if start < end else None


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
        offsets: list[int] = []
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
            offsets += [end - len(body)] * indentation
            offsets += range(end - len(body), end)
            offsets.append(end)  # of the line break
        return InlineContent(token.content, offsets, self.source)

    def cells(self, row: Sequence[Token]) -> Iterator[MarkdownBlock]:
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
        for token, (content, offsets) in zip(row, parts[skipped:], strict=False):
            if not token.content:
                continue
            first = content.rindex(token.content)
            last = first + len(token.content)
            kind = "row" if token is row[0] and not skipped else "cell"
            content_of_cell = InlineContent(token.content, offsets[first : last + 1], self.source)
            yield MarkdownBlock(kind, content_of_cell)

    def _are_cells(
        self, row: Sequence[Token], parts: Sequence[tuple[str, list[int]]], skipped: int
    ) -> bool:
        texts = [content.strip(MD_TRIM_CHARS) for content, _ in parts]
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
        offsets: list[int] = []
        escaped = False
        for offset in range(start, end):
            character = self._character(offset)
            if character == "|" and escaped:
                characters[-1] = "|"
            elif character == "|":
                yield "".join(characters), [*offsets, offset]
                characters, offsets = [], []
            else:
                characters.append(character)
                offsets.append(offset)
            escaped = character == "\\"
        yield "".join(characters), [*offsets, end]

    def _heading(self, token: Token) -> InlineContent | None:
        assert token.map is not None
        number = token.map[0]
        start, end = self.lines[number][0], self._trimmed_end(number)
        if not self._has(token.content, end - len(token.content), start):
            closing = _CLOSING_MARKS.search(self.source, start, end)
            end = end if closing is None else closing.start()
            if not self._has(token.content, end - len(token.content), start):
                return None
        first = end - len(token.content)
        content = InlineContent(token.content, range(first, end + 1), self.source)
        attributes = _ATTRIBUTES.search(token.content)
        return content if attributes is None else content.part(0, attributes.start())

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
        while end > start and self.source[end - 1] in MD_TRIM_CHARS:
            end -= 1
        return end

    def _has(self, body: str, offset: int, low: int) -> bool:
        """Whether a line from `low` has this text at a place."""
        body_source = self.source[max(offset, low) : offset + len(body)]
        return offset >= low and body_source.replace("\0", "\ufffd") == body

    def _character(self, offset: int) -> str:
        return "\ufffd" if self.source[offset] == "\0" else self.source[offset]
