"""Malformed HTML: what browsers show is translated, and everything else stays."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from regard.documents.formats.html import HTML
from regard.documents.marked_text import MarkedText
from tests.documents.identity import real_documents, sample
from tests.documents.malformed_html import PAGE, malformed
from tests.documents.visible_text import Part, read_parts


def capitals(text: str) -> str:
    """A text in capitals, of the same length."""
    return "".join(c.upper() if len(c.upper()) == 1 else c for c in text)


def in_capitals(marked: MarkedText) -> MarkedText:
    """A text in capitals, except what its elements keep."""
    text = capitals(marked.text)
    for one in marked.elements:
        if one.raw is not None:
            text = text[: one.start] + marked.text[one.start : one.end] + text[one.end :]
    return MarkedText(text, marked.elements)


def translated(page: str) -> str:
    """A page whose segments are in capitals."""
    segments = HTML.find(page)
    return HTML.restore(
        page.encode(), segments, [in_capitals(segment.marked) for segment in segments]
    ).decode()


def parts(page: str) -> list[Part]:
    """What html5lib reads; white space does not count."""
    found = read_parts("html", page.encode())
    found = [replace(part, text=re.sub(r"\s+", "", part.text)) for part in found]
    return [part for part in found if part.text]


def difference(page: str) -> str:
    """What is not in capitals that html5lib reads as text, or what else is changed."""
    expected = [replace(p, text=capitals(p.text)) if p.is_text else p for p in parts(page)]
    found = parts(translated(page))
    for one, other in zip(expected, found, strict=False):
        if one != other:
            return f"expected {one}, found {other}"
    return "" if len(expected) == len(found) else "the page has more or fewer parts"
