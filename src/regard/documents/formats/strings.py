"""Strings of software: texts with placeholders, and with tags if these are nested."""

from __future__ import annotations

from regard.documents.formats.html import tokenize_html
from regard.documents.inline_tags import InlineBuilder
from regard.documents.marked_text import MarkedText
from regard.documents.markup_tokens import match_tags


def mark_string(text: str) -> MarkedText:
    """A string with the HTML tags in it as elements. Entities stay text: the string is not HTML."""
    if "<" not in text:
        return MarkedText(text)
    tokens = list(tokenize_html(text))
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
