"""Tags within sentences, and tokens of markup."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from xml.parsers import expat

from regard.documents.marked_text import InlineElement, MarkedText
from regard.errors import DocumentError

MAX_NESTED = 100

_SPACES = re.compile(r"[ \t\r\n\f]+")  # not those that HTML keeps, such as \u00a0


@dataclass(slots=True)
class InlineBuilder:
    """Collects the text and the tags of a segment, from left to right.

    Args:
        collapse: Whether white space between tags counts as one space, as in HTML.
    """

    collapse: bool = False
    text: str = ""
    elements: list[InlineElement] = field(default_factory=list)
    _open: list[int] = field(default_factory=list)

    def add_text(self, text: str) -> None:
        if self.collapse:
            text = _SPACES.sub(" ", text)
        self.text += text

    def open(self, opening: str) -> None:
        """Begin an element. Raises DocumentError if there are too many around it."""
        if len(self._open) >= MAX_NESTED:
            raise DocumentError(f"inline elements are nested more than {MAX_NESTED} deep.")
        self.elements.append(InlineElement(len(self.text), -1, opening, parent=self._parent))
        self._open.append(len(self.elements) - 1)

    def close(self, closing: str) -> None:
        """End the element that was opened last."""
        index = self._open.pop()
        self.elements[index] = replace(self.elements[index], end=len(self.text), closing=closing)

    def add_empty(self, raw: str, *, ordered: bool = False, separates: bool = False) -> None:
        """Add an element without text."""
        here = len(self.text)
        self.elements.append(
            InlineElement(
                here, here, parent=self._parent, raw=raw, ordered=ordered, separates=separates
            )
        )

    def add_break(self, raw: str, *, ordered: bool = False) -> None:
        """Add an element without text that separates words."""
        separates = bool(self.text) and not self.text[-1].isspace()
        if separates:
            self.text += " "
        self.add_empty(raw, ordered=ordered, separates=separates)

    def add_raw(self, raw: str, text: str) -> None:
        """Add an element whose text is not translated."""
        start = len(self.text)
        self.add_text(text)
        self.elements.append(InlineElement(start, len(self.text), parent=self._parent, raw=raw))

    def build(self) -> MarkedText:
        if self._open:
            raise ValueError("an element is not closed")
        return MarkedText(self.text, tuple(self.elements))

    @property
    def _parent(self) -> int | None:
        return self._open[-1] if self._open else None


# -- slices of a file with tags, and the slices of well-formed XML ---------------------------------


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


def element_end(tokens: Sequence[MarkupToken], partners: Mapping[int, int], index: int) -> int:
    """The last token of the element that a token begins; other tokens end with themselves."""
    return partners.get(index, index) if tokens[index].kind == "open" else index


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
