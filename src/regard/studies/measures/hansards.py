"""Detokenization of the Hansards gold sentences into natural text, as models were trained on.

Gold sentences are separated by spaces, and French contractions are expanded: « l'ordre des
choses » is `le ordre de les choses`. After contraction two words may share their characters: `de`
and `les` are both « des ».
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from regard.text.tokenizer import Span

_ELIDED = re.compile("le|la|de|ne|ce|que|je|se|me|te|lorsque|puisque|jusque", re.IGNORECASE)
# before a vowel, and before the words with a silent h that occur in debates
_SILENT = re.compile(
    r"[aeiouyàâéèêëîïôûœ]|h(eur|omm|onor|onn|ist|ôpi|ôte|abit|ui|uman)", re.IGNORECASE
)
_MERGED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
_CLOSING = {"fr": (",", ".", ")", "-"), "en": (",", ".", ")", "-", "%", "?", "!", ";", ":", "'s")}
_OPENING = ("(", "-", "aujourd'")


def detokenize_hansards(words: Sequence[str], language: str) -> tuple[str, list[Span]]:
    """The text with an initial capital, and the character span of each word."""
    text, spans = "", list[Span]()
    attached = True  # no space before the next word
    remaining = list(words)
    while remaining:
        word, count = remaining[0], 1
        surface = word
        if language == "fr" and _elides(remaining):
            surface = f"{word[:-1]}'"
        elif language == "fr" and tuple(remaining[:2]) in _MERGED and not _elides(remaining[1:]):
            surface, count = _MERGED[word, remaining[1]], 2
        if not (attached or word in _CLOSING[language]):
            text += " "
        spans += [(len(text), len(text) + len(surface))] * count
        text += surface
        attached = word in _OPENING or surface.endswith("'")
        remaining = remaining[count:]
    return text[:1].upper() + text[1:], spans


def _elides(words: Sequence[str]) -> bool:
    """Whether the first word is elided before the second."""
    return len(words) > 1 and bool(_ELIDED.fullmatch(words[0]) and _SILENT.match(words[1]))
