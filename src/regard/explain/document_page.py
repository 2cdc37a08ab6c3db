"""Documents as a page on which what counted is shaded: sentences at their side, words behind them.

A word is shaded by its weight within its sentence times the root of the sentence's, so that words
of sentences that hardly counted stay pale and those of the others are not all alike (Yang et al.
2016, 3.6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from regard import html
from regard.text.tokenizer import Span

LEVELS = 10  # shades: as many as can be told apart

_STYLE = """
:root { --word: 26, 92, 168; --sentence: 176, 58, 46; }
@media (prefers-color-scheme: dark) { :root { --word: 90, 160, 255; --sentence: 255, 130, 110; } }
table { width: auto; margin-bottom: .8rem; } th, td { padding-right: 1.5rem; }
article { line-height: 1.9; overflow-wrap: anywhere; }
article p { margin: 0 0 .15rem; padding-left: .7rem; border-left: .5rem solid transparent; }
i { font-style: normal; border-radius: 3px; padding: .08em 0; }
.key { color: var(--soft); font-size: .9rem; }
"""


@dataclass(frozen=True, slots=True)
class WeightedWord:
    span: Span  # of the text's characters
    weight: float  # all of a sentence's sum to one


@dataclass(frozen=True, slots=True)
class WeightedSentence:
    span: Span
    weight: float  # all of a document's sum to one
    words: tuple[WeightedWord, ...]


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document and what is said of it."""

    text: str
    title: str
    sentences: tuple[WeightedSentence, ...]
    probabilities: Mapping[str, float]


def document_page(documents: Sequence[DocumentView]) -> str:
    parts = [
        "<h1>regard classify</h1>",
        '<p class="key">The bar beside a sentence shows how much the sentence counted, the shade '
        "behind a word how much the word did. Attention shows where a model looked, not why it "
        "decided so.</p>",
        *map(_document, documents),
    ]
    return html.html_page("regard classify", parts, _STYLE + _levels())


def _document(document: DocumentView) -> str:
    likely = sorted(document.probabilities.items(), key=lambda one: -one[1])
    rows = [(name, f"{share:.3f}") for name, share in likely[:LEVELS]]
    most = max((sentence.weight for sentence in document.sentences), default=0.0)
    strength = max((_strength(s, w) for s in document.sentences for w in s.words), default=0.0)
    body = "".join(_sentence(document.text, one, most, strength) for one in document.sentences)
    return "\n".join(
        [
            f'<h2 dir="auto">{escape(document.title)}</h2>',
            html.html_table(("class", "probability"), rows) if rows else "",
            f'<article dir="auto">{body or "—"}</article>',
        ]
    )


def _sentence(text: str, sentence: WeightedSentence, most: float, strength: float) -> str:
    said, at = [], sentence.span[0]
    for word in sentence.words:
        start, end = word.span
        shade = _level(_strength(sentence, word), strength)
        said += [
            escape(text[at:start]),
            f'<i class="w{shade}" title="{word.weight:.3f}">{escape(text[start:end])}</i>',
        ]
        at = end
    said.append(escape(text[at : sentence.span[1]]))
    bar = _level(sentence.weight, most)
    return f'<p class="s{bar}" title="{sentence.weight:.3f}">{"".join(said)}</p>'


def _strength(sentence: WeightedSentence, word: WeightedWord) -> float:
    return float(sentence.weight**0.5) * word.weight


def _level(value: float, most: float) -> int:
    return round(LEVELS * value / most) if most > 0 else 0


def _levels() -> str:
    """No level hides the ink: at the most six tenths of the hue."""
    return "".join(
        f".w{level} {{ background: rgba(var(--word), {0.6 * level / LEVELS:.2f}); }}\n"
        f".s{level} {{ border-left-color: rgba(var(--sentence), {level / LEVELS:.2f}); }}\n"
        for level in range(1, LEVELS + 1)
    )
