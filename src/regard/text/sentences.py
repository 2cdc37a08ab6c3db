"""Sentence splitting by rules, as spans of the raw text.

A sentence ends at . ! ? … or their equivalents in other scripts, including the closing quotes and
brackets after them. After 。！？ no space is needed; elsewhere white space must follow, and the
next letter must not be lower case. A full stop does not end a sentence after an abbreviation, an
initial or a number of one or two digits (the 3. of a German date). An empty line always ends a
sentence.

A wrong split does more harm than a missed one, so doubtful places are not split.
"""

from __future__ import annotations

import re

from regard.text.tokenizer import Span

_ENDS = re.compile(r"[.!?…‼⁇⁈⁉؟۔।॥።။។]+|[。！？｡]+|\n[^\S\n]*\n")
_WITHOUT_SPACE = "。！？｡"
_CLOSERS = frozenset("\"'”’»«›‹)]}」』）】〉》")

# Abbreviations in lower case, without full stops. Words that also end sentences (me, est, art, no)
# are left out, or count only before a number.
_ENGLISH = (
    "mr mrs ms dr prof rev gen col sgt capt lt gov sen rep hon st mt jr sr vs inc ltd co corp dept "
    "eds pp cf eg ie etc al approx jan feb mar apr jun jul aug sept oct nov dec"
)
_FRENCH = "mme mlle mgr pr av bd chap éd env janv févr avr juil déc réf tél"
_GERMAN = (
    "hr fr bzw ca evtl ggf inkl nr str tel usw vgl zb dh ua uu zt abs geb gest jh jhd mio mrd sog "
    "std tsd zzgl"
)
_ABBREVIATIONS = frozenset(f"{_ENGLISH} {_FRENCH} {_GERMAN}".split())
_NUMBERED = frozenset(["no", "nos", "nº", "art", "fig", "figs", "vol", "p", "s"])
_LONGEST = max(map(len, _ABBREVIATIONS)) * 2  # with a full stop after each letter


def split_sentences(text: str) -> list[Span]:
    """Return the (start, end) of each sentence, without the white space around it."""
    spans: list[Span] = []
    start = 0
    for found in _ENDS.finditer(text):
        end = _close(text, found.end())
        if end <= start or not _ends_here(text, found, end):
            continue
        _add(spans, text, start, end)
        start = end
    _add(spans, text, start, len(text))
    return spans


def _add(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))


def _close(text: str, place: int) -> int:
    """Return the offset after the closing quotes and brackets at `place`.

    French has a space before a closing quote: « Oui. »
    """
    while place < len(text):
        if text[place] in _CLOSERS:
            place += 1
        elif text[place].isspace() and text[place + 1 : place + 2] == "»":
            place += 2
        else:
            break
    return place


def _ends_here(text: str, found: re.Match[str], end: int) -> bool:
    mark = found[0]
    if mark[0] in _WITHOUT_SPACE or mark[0] == "\n":
        return True
    if end < len(text) and not text[end].isspace():
        return False
    following = _next_visible(text, end)
    if following.islower():
        return False
    return mark != "." or end > found.end() or not _is_abbreviated(text, found.start(), following)


def _next_visible(text: str, place: int) -> str:
    """Return the next character that is no white space or opening quote; "" at the end."""
    while place < len(text) and (text[place].isspace() or text[place] in "\"'“‘«„([{¿¡–—-"):
        place += 1
    return text[place : place + 1]


def _is_abbreviated(text: str, stop: int, following: str) -> bool:
    """Whether the full stop at `stop` belongs to the word before it."""
    before = text[max(0, stop - _LONGEST) : stop].split()
    if not before or text[stop - 1].isspace():
        return False
    word = before[-1].lower().lstrip("\"'“‘’«„([{")
    if word.isdecimal():
        return len(word) <= 2
    initial = len(word.rpartition(".")[2]) == 1  # J. S. Bach, z. B., U.S.
    plain = word.replace(".", "")
    return initial or plain in _ABBREVIATIONS or (plain in _NUMBERED and following.isdecimal())
