"""The words of the Hansards' gold links, written as people write them: what models have read.

Gold sentences are words with spaces between, and the French ones are taken apart: « l'ordre des
choses » stands there as `le ordre de les choses`. Written together again, a word may have its
characters in common with the next: `de` and `les` both are « des ».
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from regard.text.tokenizer import Span

_ELIDED = re.compile("le|la|de|ne|ce|que|je|se|me|te|lorsque|puisque|jusque", re.IGNORECASE)
# before a vowel, and before those words with a silent h that parliaments use
_SILENT = re.compile(
    r"[aeiouyàâéèêëîïôûœ]|h(eur|omm|onor|onn|ist|ôpi|ôte|abit|ui|uman)", re.IGNORECASE
)
_MERGED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
_CLOSING = {"fr": (",", ".", ")", "-"), "en": (",", ".", ")", "-", "%", "?", "!", ";", ":", "'s")}
_OPENING = ("(", "-", "aujourd'")


def detokenize_hansards(words: Sequence[str], language: str) -> tuple[str, list[Span]]:
    """The text, beginning with a capital, and the characters of each word in it."""
    text, spans = "", list[Span]()
    glued = True  # to what comes next: no space between
    rest = list(words)
    while rest:
        word, count = rest[0], 1
        surface = word
        if language == "fr" and _elides(rest):
            surface = f"{word[:-1]}'"
        elif language == "fr" and tuple(rest[:2]) in _MERGED and not _elides(rest[1:]):
            surface, count = _MERGED[word, rest[1]], 2
        if not (glued or word in _CLOSING[language]):
            text += " "
        spans += [(len(text), len(text) + len(surface))] * count
        text += surface
        glued = word in _OPENING or surface.endswith("'")
        rest = rest[count:]
    return text[:1].upper() + text[1:], spans


def _elides(words: Sequence[str]) -> bool:
    """Whether the first word loses its vowel before the second."""
    return len(words) > 1 and bool(_ELIDED.fullmatch(words[0]) and _SILENT.match(words[1]))
