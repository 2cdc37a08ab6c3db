"""Strings of software: texts with placeholders, and with tags if these are nested."""

from __future__ import annotations

from dataclasses import replace

from regard.documents.formats.html import tokenize_html
from regard.documents.inline_tags import InlineBuilder
from regard.documents.marked_text import MarkedText
from regard.documents.markup_tokens import match_tags
from regard.documents.placeholders import CODE


def mark_string(text: str) -> MarkedText:
    """A string with the HTML tags in it as elements, except those in code.

    Entities stay text: the string is not HTML.
    """
    if "<" not in text:
        return MarkedText(text)
    code = [found.span() for found in CODE.finditer(text)]
    tokens = [
        replace(token, kind="text")
        if any(start < token.end and token.start < end for start, end in code)
        else token
        for token in tokenize_html(text)
    ]
    partners = match_tags(tokens)
    builder = InlineBuilder()
    for index, token in enumerate(tokens):
        raw = text[token.start : token.end]
        if token.kind == "text":
            builder.add_text(raw)
        elif index in partners and token.kind == "open":
            builder.open(raw)
        elif index in partners:
            builder.close(raw)
        else:
            builder.add_empty(raw)
    return builder.build()
