"""Texts with inline elements, and how they are written as markup.

An element covers a range of characters. Elements form a forest: a child is within its parent, and
siblings do not overlap. Elements that may cross (the milestones of XLIFF 2) are not part of it:
their two tags are independent of each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.text.tokenizer import Span
from regard.text.words import join_weights


@dataclass(frozen=True, slots=True)
class InlineElement:
    """An inline element of a text: `opening` and `closing` are its tags as they are in the file.

    Args:
        start: First character.
        end: The character after the last one; equal to `start` for an element without text.
        opening: The first tag, or the whole of an element that cannot have text.
        closing: The second tag.
        parent: The index of the smallest element around this one.
        raw: The whole element as it is in the file, if its text is not translated.
        crosses: Whether other elements may begin inside this one and end outside.
        ordered: Whether the element stays after the `ordered` ones before it.
        separates: Whether the element divides words in the place of a space: the text has a space
            beside it, which is not written.
        replaces: Whether `raw` replaces the translation of the text, and not a copy of it.
        follows: The index of the element that this one follows at the same place; None: the one
            before it; −1: none.
    """

    start: int
    end: int
    opening: str = ""
    closing: str = ""
    parent: int | None = None
    raw: str | None = None
    crosses: bool = False
    ordered: bool = False
    separates: bool = False
    replaces: bool = False
    follows: int | None = None


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text and its inline elements, in the order of their first tags."""

    text: str
    elements: tuple[InlineElement, ...] = ()

    def __post_init__(self) -> None:
        covered: dict[int | None, int] = defaultdict(int)  # end of the last sibling
        for parent, children in children_of(self.elements).items():
            outer = None if parent is None else self.elements[parent]
            first, last = (0, len(self.text)) if outer is None else (outer.start, outer.end)
            for index in children:
                element = self.elements[index]
                if not max(first, covered[parent]) <= element.start <= element.end <= last:
                    raise ValueError(f"element {index} overlaps another or is outside its parent")
                covered[parent] = element.end
        for element in self.elements:
            if not 0 <= element.start <= element.end <= len(self.text):
                raise ValueError("an element is outside the text")


def children_of(elements: Sequence[InlineElement]) -> dict[int | None, list[int]]:
    """The elements within each element, in the order of the text; None is the whole text."""
    children: dict[int | None, list[int]] = defaultdict(list)
    for index, element in enumerate(elements):
        if not element.crosses:
            children[element.parent].append(index)

    def document_order(index: int) -> tuple[int, int, float, int]:
        element = elements[index]
        number = index if element.follows is None else element.follows + 0.5
        return element.start, element.end, number, index

    for siblings in children.values():
        siblings.sort(key=document_order)
    return children


def innermost_elements(
    elements: Sequence[InlineElement], indices: Iterable[int]
) -> list[int | None]:
    """The innermost element around each character; `indices` are in order."""
    order = sorted(
        (element.start, -element.end, index)
        for index, element in enumerate(elements)
        if element.start < element.end and not element.crosses
    )
    innermost: list[int | None] = []
    around: list[int] = []
    cursor = 0
    for character in indices:
        while cursor < len(order) and order[cursor][0] <= character:
            start, _, index = order[cursor]
            while around and elements[around[-1]].end <= start:
                around.pop()
            around.append(index)
            cursor += 1
        while around and elements[around[-1]].end <= character:
            around.pop()
        innermost.append(around[-1] if around else None)
    return innermost


def translated_text(marked: MarkedText) -> str:
    """The text that is not in raw elements; spaces stand for these."""
    parts, cursor = [], 0
    for start, end in sorted(
        (element.start, element.end) for element in marked.elements if element.raw is not None
    ):
        if end > cursor:
            parts += [marked.text[cursor : max(start, cursor)], " "]
            cursor = end
    return "".join([*parts, marked.text[cursor:]])


def render_markup(marked: MarkedText, escape: Callable[[str], str] = str) -> str:
    """Write a text with its tags. `escape` is applied to the text between them."""
    children = children_of(marked.elements)
    milestones = sorted(
        (offset, index, tag)
        for index, element in enumerate(marked.elements)
        if element.crosses
        for offset, tag in ((element.start, element.opening), (element.end, element.closing))
    )
    parts: list[str] = []
    written = 0  # milestones

    def write_text(start: int, end: int) -> None:
        nonlocal written
        while written < len(milestones) and milestones[written][0] < end:
            offset, _, tag = milestones[written]
            parts.extend((escape(marked.text[start : max(offset, start)]), tag))
            start = max(offset, start)
            written += 1
        parts.append(escape(marked.text[start:end]))

    def write_range(parent: int | None, start: int, end: int) -> None:
        for index in children.get(parent, ()):
            element = marked.elements[index]
            space_before = element.separates and marked.text[start : element.start].endswith(" ")
            write_text(start, element.start - space_before)
            if element.raw is not None:
                parts.append(element.raw)
            else:
                parts.append(element.opening)
                write_range(index, element.start, element.end)
                parts.append(element.closing)
            start = element.end
            if element.separates and not space_before and marked.text[start:end].startswith(" "):
                start += 1
        write_text(start, end)

    write_range(None, 0, len(marked.text))
    parts.extend(tag for *_, tag in milestones[written:])
    return "".join(parts)


# -- the translation of a text with its word links, as documents need it ---------------------------


@dataclass(frozen=True, slots=True)
class AlignedTranslation:
    """The translation of a text, and the links of its words.

    Args:
        text: The translation.
        source_words: Characters of the words of the source.
        target_words: Characters of the words of the translation.
        parts: Of each part of the text that was aligned by itself, the weights of its links:
            target words × source words, and a last column of no source word. None: the
            translation is empty.
        warnings: What a person should check.
    """

    text: str
    source_words: Sequence[Span] = ()
    target_words: Sequence[Span] = ()
    parts: Sequence[NDArray[np.float32]] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def weights(self) -> NDArray[np.float32]:
        """Target words × source words, and a last column of no source word."""
        return join_weights(self.parts or ())
