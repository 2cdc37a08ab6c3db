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
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    inner = text[first:last]
    code = [match.span() for match in CODE.finditer(inner)]
    tokens = [
        replace(token, kind="text")
        if any(start < token.end and token.start < end for start, end in code)
        else token
        for token in _tags_and_texts(inner)
    ]
    partners = match_tags(tokens)
    builder = InlineBuilder()
    builder.add_text(text[:first])
    for index, token in enumerate(tokens):
        start, end = first + token.start, first + token.end
        if token.kind == "text":
            for part in _LINE_BREAK.split(text[start:end]):
                if part[:1] in ("\r", "\n"):
                    markup = part if written is None else written(start, start + len(part))
                    builder.add_break(markup, ordered=True)
                else:
                    builder.add_text(part)
                start += len(part)
            continue
        markup = text[start:end] if written is None else written(start, end)
        if index in partners and token.kind == "open":
            builder.open(markup)
        elif index in partners:
            builder.close(markup)
        elif token.name == "br":
            builder.add_break(markup)
        else:
            builder.add_empty(markup)
    builder.add_text(text[last:])
    return builder.build()


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
