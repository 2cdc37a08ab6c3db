"""Slices of a file with tags, and the slices of well-formed XML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.parsers import expat

from regard.errors import DocumentError

MAX_XML_DEPTH = 200
MAX_XML_ELEMENTS = 2_000_000

_XML = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(/?)([^\s/>!?]+)(?:[^>\"']|\"[^\"]*\"|'[^']*')*>",
    re.DOTALL,
)


@dataclass(slots=True)  # a frozen one takes four times as long to make
class MarkupToken:
    """A slice of a file: text, an opening, closing or empty tag, or other markup."""

    kind: str  # text, open, close, empty, other
    start: int
    end: int
    name: str = ""


def match_tags(tokens: Sequence[MarkupToken]) -> dict[int, int]:
    """The partner of each tag that is nested properly, by index."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    counts: dict[str, int] = {}
    for index, token in enumerate(tokens):
        if token.kind == "open":
            opened.append(index)
            counts[token.name] = counts.get(token.name, 0) + 1
        elif token.kind == "close" and counts.get(token.name):
            while opened:
                candidate = opened.pop()
                counts[tokens[candidate].name] -= 1
                if tokens[candidate].name == token.name:
                    partners[candidate], partners[index] = index, candidate
                    break
    return partners


def tokenize_xml(text: str) -> list[MarkupToken]:
    """Split XML into slices. Raises DocumentError if it is not well-formed or has a DOCTYPE."""
    check_xml(text)
    tokens, cursor = [], 0
    for match in _XML.finditer(text):
        start, end = match.span()
        if start > cursor:
            tokens.append(MarkupToken("text", cursor, start))
        cursor = end
        if match[2] is None:
            tokens.append(MarkupToken("other", start, end))
        else:
            kind = "close" if match[1] else "empty" if text[end - 2] == "/" else "open"
            tokens.append(MarkupToken(kind, start, end, match[2]))
    if cursor < len(text):
        tokens.append(MarkupToken("text", cursor, len(text)))
    return tokens


def check_xml(text: str, *, doctype: bool = False) -> None:
    """Raise DocumentError if a text is not well-formed XML without a DOCTYPE.

    `doctype`: whether it may have one that declares nothing. The file that a DOCTYPE names is not
    read, and an entity that it may declare is refused.
    """
    parser = expat.ParserCreate("utf-8")
    depth = count = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth += 1
        count += 1
        if depth > MAX_XML_DEPTH:
            raise DocumentError(f"XML elements are nested more than {MAX_XML_DEPTH} deep.")
        if count > MAX_XML_ELEMENTS:
            raise DocumentError(f"there are more than {MAX_XML_ELEMENTS:,} XML elements.")

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    def start_doctype(name: str, system: str | None, public: str | None, declares: int) -> None:
        if declares or not doctype:
            raise DocumentError(
                "XML with a DOCTYPE that declares entities or elements is not read. Remove it."
                if doctype
                else "XML with a DOCTYPE is not read. Remove the DOCTYPE."
            )

    def skipped_entity(name: str, is_parameter: int) -> None:
        raise DocumentError(f"the entity &{name}; is not known. Write the character.")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = start_doctype
    parser.SkippedEntityHandler = skipped_entity
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        raise DocumentError(
            f"line {error.lineno}: not well-formed XML ({expat.ErrorString(error.code)}). "
            "Correct the document."
        ) from None
