"""Strings of software: texts with placeholders, with tags if these are nested, and with escapes."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from regard.documents.html_tokenizer import CONTENT, HtmlToken, tokenize_html
from regard.documents.inline_tags import InlineBuilder, match_tags
from regard.documents.marked_text import MarkedText
from regard.documents.placeholders import CODE

# The escape of a character; two escapes of surrogates that are a pair stand for one.
CODE_UNITS = r"\\u(?:[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|[0-9a-fA-F]{4})"
_LINE_BREAK = re.compile(r"([\r\n]\s*)")


def decode_units(written: str) -> str:
    """Return the character that a match of `CODE_UNITS` stands for."""
    units = bytes.fromhex(written.replace("\\u", ""))
    return units.decode("utf-16-be", "surrogatepass")


@dataclass(frozen=True)
class WrittenString:
    """A string as a file writes it.

    Args:
        written: The characters of the file.
        escapes: Matches those that stand for others.
        decode: Returns what an escape stands for.
    """

    written: str
    escapes: re.Pattern[str]
    decode: Callable[[re.Match[str]], str]

    @cached_property
    def text(self) -> str:
        return self.escapes.sub(self.decode, self.written)

    @cached_property
    def _places(self) -> array[int]:
        """Where each character of the text is written, and where the last one ends."""
        offsets, cursor = array("L"), 0
        for match in self.escapes.finditer(self.written):
            offsets.extend(range(cursor, match.start()))
            offsets.extend([match.start()] * len(self.decode(match)))
            cursor = match.end()
        offsets.extend(range(cursor, len(self.written) + 1))
        return offsets

    def slice(self, start: int, end: int) -> str:
        """Part of the text as the file writes it."""
        return self.written[self._places[start] : self._places[end]]


def mark_string(text: str, written: Callable[[int, int], str] | None = None) -> MarkedText:
    """A string with the HTML tags in it as elements, except those in code, and its line breaks.

    Entities stay text: the string is not HTML.

    Args:
        text: The string.
        written: Returns a part of it as the file writes it; without it, the part itself.
    """
    if "<" not in text and _LINE_BREAK.search(text.strip()) is None:
        return MarkedText(text)

    def write(start: int, end: int) -> str:
        return text[start:end] if written is None else written(start, end)

    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    tokens = _code_as_text(text[first:last])
    partners = match_tags(tokens)
    builder = InlineBuilder()
    builder.add_text(text[:first])
    for index, token in enumerate(tokens):
        start, end = first + token.start, first + token.end
        if token.kind == "text":
            _add_lines(builder, text[start:end], start, write)
        elif index in partners and token.kind == "open":
            builder.open(write(start, end))
        elif index in partners:
            builder.close(write(start, end))
        elif token.name == "br":
            builder.add_break(write(start, end))
        else:
            builder.add_empty(write(start, end))
    builder.add_text(text[last:])
    return builder.build()


def _add_lines(
    builder: InlineBuilder, text: str, start: int, write: Callable[[int, int], str]
) -> None:
    """Add a part of a string, which begins at `start`, with its line breaks as elements."""
    for part in _LINE_BREAK.split(text):
        end = start + len(part)
        if part[:1] in ("\r", "\n"):
            builder.add_break(write(start, end), ordered=True)
        else:
            builder.add_text(part)
        start = end


def _code_as_text(text: str) -> list[HtmlToken]:
    """The tokens of a string; those in code are text."""
    code = [match.span() for match in CODE.finditer(text)]
    return [
        replace(token, kind="text")
        if any(start < token.end and token.start < end for start, end in code)
        else token
        for token in _tags_and_texts(text)
    ]


def _tags_and_texts(text: str) -> list[HtmlToken]:
    """The tokens of a string; a tag that is not complete is text, as in `a <b`.

    A sentence on the element `<title>` is not a title: the content of such elements is not read as
    tags only if they end.
    """
    tokens = list(tokenize_html(text))
    opened = sum(token.kind == "open" and token.name in CONTENT for token in tokens)
    closed = sum(token.kind == "close" and token.name in CONTENT for token in tokens)
    if opened > closed:
        tokens = list(tokenize_html(text, raw_text=False))
    return [
        replace(token, kind="text")
        if token.kind == "ignored" and token.end == len(text) and text[-1] != ">"
        else token
        for token in tokens
    ]
