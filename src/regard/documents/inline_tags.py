"""Inline content as a text with elements: a builder that formats share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

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
