"""Placeholders such as {name}, and the codes that stand for them during translation.

They become elements with raw markup. The projection places them, so each is in the translation
exactly once, whatever the model generates.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from regard.documents.marked_text import InlineElement, MarkedText, innermost_elements
from regard.text.normalize import REMOVED
from regard.text.tokenizer import Span

_MAX_DEPTH = 50  # of braces

CODE = re.compile(r"``[^`]{1,2000}``|(?::[a-z]{1,20}(?::[a-z]{1,20})?:)?`[^`\s][^`]{0,2000}`")
"""Code in backticks, with the roles of reStructuredText before it."""

# Each alternative takes linear time: no repetition can match the same characters in two ways.
_FIXED = re.compile(
    r"(?:https?|ftp)://[^\s<>\"'{}`]+|www\.[^\s<>\"'{}`]+"  # addresses
    r"|(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"
    r"|%(?:\d{1,3}\$|\(\w{1,64}\))?[-+#0]{0,5}(?:\d{1,5})?(?:\.\d{1,5})?(?:hh|h|ll|l|z|j|t|L)?"
    r"[diouxXeEfFgGaAcspn@](?![A-Za-z])"  # printf
    rf"|%\w{{1,64}}%|{CODE.pattern}"
)
_OPENING = re.compile(r"[$#%]?\{")
_TRAILING = ".,;:!?)]}'\"»”’"
_INVISIBLE = re.compile("[" + "".join(f"\\u{code:04x}" for code in REMOVED if code >= 0xA0) + "]")


def find_placeholders(text: str, keep: Sequence[str] = ()) -> list[Span]:
    """The characters of placeholders, addresses, code and the strings of `keep`, in order."""
    return _disjoint([*_braces(text), *_fixed(text), *_kept(text, keep)])


def _disjoint(spans: Sequence[Span]) -> list[Span]:
    """The first ones that do not overlap; of those at one place, the longest."""
    chosen: list[Span] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not chosen or start >= chosen[-1][1]:
            chosen.append((start, end))
    return chosen


def protect_placeholders(
    marked: MarkedText, escape: Callable[[str], str] = str, keep: Sequence[str] = ()
) -> MarkedText:
    """Add an element for each placeholder between tags, and for each part of one with tags in it.

    `escape`: writes text as it is in the file.
    """
    text, borders = marked.text, _borders(marked)
    placeholders = [
        (first + start, first + end)
        for first, last in pairwise([0, *borders, len(text)])
        for start, end in find_placeholders(text[first:last], keep)
    ]
    parts: list[Span] = []
    for start, end in _disjoint([*placeholders, *_braces(text)]):
        inside = borders[bisect_right(borders, start) : bisect_left(borders, end)]
        parts += pairwise([start, *inside, end])
    return add_raw_elements(marked, [(*part, escape(marked.text[slice(*part)])) for part in parts])


def _borders(marked: MarkedText) -> list[int]:
    """Where elements begin or end."""
    return sorted(
        {offset for element in marked.elements for offset in (element.start, element.end)}
    )


def add_raw_elements(
    marked: MarkedText, wanted: Iterable[tuple[int, int, str]], *, replaces: bool = False
) -> MarkedText:
    """Add an element with raw markup for each range that no element divides, at the end.

    Args:
        marked: The text.
        wanted: Ranges, in order, and their markup.
        replaces: Whether the markup replaces the translation of the range.
    """
    borders = _borders(marked)
    whole = [
        (start, end, raw)
        for start, end, raw in wanted
        if bisect_right(borders, start) == bisect_left(borders, end)
    ]
    parents = innermost_elements(marked.elements, (start for start, _, _ in whole))
    added = [
        InlineElement(start, end, parent=parent, raw=raw, replaces=replaces)
        for (start, end, raw), parent in zip(whole, parents, strict=True)
        if parent is None or marked.elements[parent].raw is None
    ]
    return MarkedText(marked.text, (*marked.elements, *added)) if added else marked


def extract_invisible(marked: MarkedText) -> MarkedText:
    """Turn invisible characters, which normalization removes, into elements without text."""
    invisible = [match.start() for match in _INVISIBLE.finditer(marked.text)]
    if not invisible:
        return marked
    removed = [0] * (len(marked.text) + 1)  # characters removed before each place
    for index in invisible:
        removed[index + 1] = 1
    for index in range(len(marked.text)):
        removed[index + 1] += removed[index]
    elements = [
        replace(
            element,
            start=element.start - removed[element.start],
            end=element.end - removed[element.end],
        )
        for element in marked.elements
    ]
    parents = innermost_elements(marked.elements, invisible)
    starts = [element.start for element in marked.elements]
    for index, parent in zip(invisible, parents, strict=True):
        if parent is not None and marked.elements[parent].raw is not None:
            continue  # part of the raw markup
        at = index - removed[index]
        follows = bisect_right(starts, index) - 1
        character = marked.text[index]
        elements.append(InlineElement(at, at, parent=parent, raw=character, follows=follows))
    return MarkedText(_INVISIBLE.sub("", marked.text), tuple(elements))


def repeated_placeholders(translation: MarkedText, keep: Sequence[str] = ()) -> list[str]:
    """Placeholders in the text of a translation that are not elements: the model added them."""
    raw_spans = sorted(
        (element.start, element.end) for element in translation.elements if element.raw is not None
    )
    starts = [start for start, _ in raw_spans]
    repeated = []
    for start, end in find_placeholders(translation.text, keep):
        number = bisect_right(starts, start) - 1
        if number < 0 or raw_spans[number][1] <= start:
            repeated.append(translation.text[start:end])
    return repeated


def changed_numbers(source: str, target: str) -> list[str]:
    """Numbers of the source that the target does not have as often; separators do not count."""
    counts = [Counter(_numbers(text)) for text in (source, target)]
    return sorted((counts[0] - counts[1]).elements())


def _numbers(text: str) -> Iterator[str]:
    for match in re.finditer(r"\d+(?:[.,\u00a0\u202f ]\d+)*", text):
        yield re.sub(r"\D", "", match[0])


def _fixed(text: str) -> Iterator[Span]:
    for match in _FIXED.finditer(text):
        end = match.end()
        if match[0].startswith(("http", "ftp", "www.")):
            end = match.start() + len(match[0].rstrip(_TRAILING))
        yield match.start(), end


def _braces(text: str) -> Iterator[Span]:
    """Balanced braces that hold a name, a number, or an ICU argument."""
    cursor = failures = 0
    while (match := _OPENING.search(text, cursor)) is not None:
        depth, index = 1, match.end()
        while index < len(text) and 0 < depth <= _MAX_DEPTH:
            depth += {"{": 1, "}": -1}.get(text[index], 0)
            index += 1
        if depth == 0 and index - match.end() > 1:
            yield match.start(), index
            cursor = index
        elif depth == 0:
            cursor = index
        else:
            failures += 1
            cursor = match.end()
            if failures > _MAX_DEPTH:
                return


def _kept(text: str, keep: Iterable[str]) -> Iterator[Span]:
    for string in keep:
        index = text.find(string) if string else -1
        while index >= 0:
            end = index + len(string)
            if not _continues(text, index, string[0]) and not _continues(text, end, string[-1]):
                yield index, end
            index = text.find(string, end)


def _continues(text: str, index: int, edge: str) -> bool:
    """Whether the characters on both sides of `index` belong to one word."""
    return (
        edge.isalnum()
        and 0 < index < len(text)
        and text[index - 1].isalnum()
        and (text[index].isalnum())
    )


# -- placeholder codes for texts that a translation keeps ------------------------------------------
# Words such as K1Z, which models copy.
#
# Models often alter placeholders, markup and source code, because these are rare in sentences.


_LETTERS = ("KZ", "QX", "XV", "WJ")
PLACEHOLDER_CODE = re.compile(r"(?<!\w)[KQXW]\d+[ZXVJ](?!\w)")


def hide_kept_texts(marked: MarkedText) -> tuple[MarkedText, dict[str, str]]:
    """Replace the texts of raw elements by placeholder codes; also return the texts by code.

    A text that touches a letter or a digit stays as it is: it is part of a word.
    """
    text = marked.text
    letters = next((pair for pair in _LETTERS if not _has_code(text, pair)), None)
    hidden: dict[str, str] = {}
    ranges: list[tuple[int, int, str]] = []
    spans = sorted(
        (element.start, element.end) for element in marked.elements if element.raw is not None
    )
    for start, end in spans:
        touches_word = start > 0 and (
            text[start - 1].isalnum() or (ranges and ranges[-1][1] == start)
        )
        if (
            letters is None
            or touches_word
            or text[end : end + 1].isalnum()
            or not text[start:end].strip()
        ):
            continue
        code = f"{letters[0]}{len(hidden) + 1}{letters[1]}"
        hidden[code] = text[start:end]
        ranges.append((start, end, code))
    return replace_ranges(marked, ranges), hidden


def replace_ranges(marked: MarkedText, ranges: Sequence[tuple[int, int, str]]) -> MarkedText:
    """Replace ranges of a text, in order, that do not overlap, and move the elements with it."""
    if not ranges:
        return marked
    moved = list(range(len(marked.text) + 1))  # the new place of each character
    parts, cursor, length = [], 0, 0
    for start, end, new in ranges:
        parts += [marked.text[cursor:start], new]
        for index in range(cursor, start + 1):
            moved[index] = length + index - cursor
        for index in range(start + 1, end):
            moved[index] = moved[start]
        length = moved[start] + len(new)
        cursor = end
        moved[end] = length
    for index in range(cursor, len(moved)):
        moved[index] = length + index - cursor
    elements = [
        replace(element, start=moved[element.start], end=moved[element.end])
        for element in marked.elements
    ]
    return MarkedText("".join([*parts, marked.text[cursor:]]), tuple(elements))


def _has_code(text: str, letters: str) -> bool:
    return letters[0] in text and letters[1] in text
