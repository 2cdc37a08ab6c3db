"""Split a text into sentences, and long sequences into windows.

A sentence ends at . ! ? … or their equivalents in other scripts, including the closing quotes and
brackets after them. After 。！？ no space is needed; elsewhere white space must follow, and the
next letter must not be lower case. A full stop does not end a sentence after an abbreviation, an
initial or a number of one or two digits (the 3. of a German date). An empty line always ends a
sentence.

A wrong split does more harm than a missed one, so doubtful places are not split. In a language
whose abbreviations the rules do not contain, a sentence ends only where sentencex, which has those
of about 300 languages, agrees with the rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TypeVar

from regard.text.tokenizer import Span

# -- split long sequences into as few windows as possible, of nearly equal length ------------------


A = TypeVar("A")


def window_sizes(length: int, max_length: int) -> list[int]:
    """Return the length of each window; no windows for length 0."""
    count = -(-length // max_length)
    return [length // count + (i < length % count) for i in range(count)]


def split_windows(sequence: Sequence[A], max_length: int) -> list[Sequence[A]]:
    """Split a sequence into windows of at most `max_length` items."""
    edges = accumulate(window_sizes(len(sequence), max_length), initial=0)
    return [sequence[start:stop] for start, stop in pairwise(edges)]


# -- sentences -------------------------------------------------------------------------------------


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
_BY_RULES = frozenset(["en", "fr", "de", "ja"])  # the rules are better here: docs/experiments.md
_SURROGATES = re.compile("[\ud800-\udfff]")  # not encodable as UTF-8, which sentencex reads


@dataclass(frozen=True, slots=True)
class SentenceSplitter:
    """What a model bundle records of its sentence splitter.

    Args:
        language: Code of the language of the texts.
        sentencex: Version of sentencex that splits them together with the rules; None: rules only.
    """

    language: str | None = None
    sentencex: str | None = None

    @classmethod
    def of(cls, language: str | None) -> SentenceSplitter:
        """Return the splitter of new models whose texts are in `language`, if that is known."""
        if language is None or _primary(language) in _BY_RULES:
            return cls(language)
        from importlib.metadata import version  # slow to import

        return cls(language, version("sentencex"))

    def split(self, text: str) -> list[Span]:
        """Return the (start, end) of each sentence, without the white space around it."""
        if self.sentencex is None or self.language is None:
            return split_sentences(text)
        visible_ends = _visible_ends(text)
        ends = {visible_ends[end] for end in _sentencex_ends(text, _primary(self.language))}
        return _spans(text, [end for end in _rule_ends(text) if visible_ends[end] in ends])


BY_RULES = SentenceSplitter()


def split_sentences(text: str) -> list[Span]:
    """Return the (start, end) of each sentence by the rules, without the white space around it."""
    return _spans(text, _rule_ends(text))


def _rule_ends(text: str) -> list[int]:
    ends: list[int] = []
    for match in _ENDS.finditer(text):
        end = _close(text, match.end())
        if end > (ends[-1] if ends else 0) and _ends_here(text, match, end):
            ends.append(end)
    return ends


def _sentencex_ends(text: str, language: str) -> list[int]:
    from sentencex import get_sentence_boundaries  # its library loads only if a model needs it

    sentences = get_sentence_boundaries(language, _SURROGATES.sub("\ufffd", text))
    return [sentence["end_index"] for sentence in sentences]


def _visible_ends(text: str) -> list[int]:
    """Return, for each offset, that behind the last visible character before it."""
    ends = [0]
    for offset, character in enumerate(text, 1):
        ends.append(ends[-1] if character.isspace() else offset)
    return ends


def _primary(language: str) -> str:
    return re.split("[-_]", language.lower())[0]  # pt of pt-BR


def _spans(text: str, ends: list[int]) -> list[Span]:
    spans: list[Span] = []
    for start, end in zip([0, *ends], [*ends, len(text)], strict=True):
        _add(spans, text, start, end)
    return spans


def _add(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))


def _close(text: str, offset: int) -> int:
    """Return the offset after the closing quotes and brackets at `offset`.

    French has a space before a closing quote: « Oui. »
    """
    while offset < len(text):
        if text[offset] in _CLOSERS:
            offset += 1
        elif text[offset].isspace() and text[offset + 1 : offset + 2] == "»":
            offset += 2
        else:
            break
    return offset


def _ends_here(text: str, match: re.Match[str], end: int) -> bool:
    mark = match[0]
    if mark[0] in _WITHOUT_SPACE or mark[0] == "\n":
        return True
    if end < len(text) and not text[end].isspace():
        return False
    following = _next_visible(text, end)
    if following.islower():
        return False
    return mark != "." or end > match.end() or not _is_abbreviated(text, match.start(), following)


def _next_visible(text: str, offset: int) -> str:
    """Return the next character that is no white space or opening quote; "" at the end."""
    while offset < len(text) and (text[offset].isspace() or text[offset] in "\"'“‘«„([{¿¡–—-"):
        offset += 1
    return text[offset : offset + 1]


def _is_abbreviated(text: str, stop: int, following: str) -> bool:
    """Whether the full stop at `stop` belongs to the word before it."""
    preceding = text[max(0, stop - _LONGEST) : stop].split()
    if not preceding or text[stop - 1].isspace():
        return False
    word = preceding[-1].lower().lstrip("\"'“‘’«„([{")
    if word.isdecimal():
        return len(word) <= 2
    initial = len(word.rpartition(".")[2]) == 1  # J. S. Bach, z. B., U.S.
    plain = word.replace(".", "")
    return initial or plain in _ABBREVIATIONS or (plain in _NUMBERED and following.isdecimal())
