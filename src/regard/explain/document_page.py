"""An HTML page that shades documents by attention: a bar for each sentence, a colour for words.

The colour of a word is √(sentence weight) · (word weight), so that words of unimportant sentences
stay pale without hiding differences between the others (Yang et al. 2016, 3.6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from html import escape

import torch
from jaxtyping import Float
from torch import Tensor

from regard import html
from regard.attention import AttentionOutput
from regard.batch import Documents, Tokens, pad
from regard.inference.forced_decoding import Ids
from regard.models import Classifier, eval_mode
from regard.nn.image import HierarchicalEncoder, length_blocks
from regard.text.tokenizer import Span

# -- classify documents and return the attention weight of each sentence and each piece ------------


BUDGET = 1 << 14  # pieces in a batch of documents; a single document may have more


@dataclass(frozen=True, slots=True)
class DocumentAttention:
    """Class log-probabilities of one document, and the weights if they were requested."""

    logps: tuple[float, ...]  # of each class
    sentences: tuple[float, ...] = ()  # sum to 1
    pieces: tuple[tuple[float, ...], ...] = ()  # of each sentence; each sums to 1


@torch.inference_mode()
def attend_documents(
    model: Classifier[Documents], documents: Sequence[Sequence[Ids]], *, weights: bool = True
) -> list[DocumentAttention]:
    """Classify documents: each has at least one sentence, each sentence at least one piece."""
    results: list[DocumentAttention] = []
    with eval_mode(model):
        for batch in _batches(documents):
            results += _attend_batch(model, batch, weights)
    return results


def _attend_batch(
    model: Classifier[Documents], documents: list[Sequence[Ids]], weights: bool
) -> list[DocumentAttention]:
    encoder = model.encoder
    assert isinstance(encoder, HierarchicalEncoder), "only a hierarchical encoder takes documents"
    device = next(model.parameters()).device
    words = pad([sentence for document in documents for sentence in document]).to(device)
    counts = torch.tensor([len(document) for document in documents], device=device)
    word_weights: list[Tensor] = []
    sentence_weights: list[Tensor] = []
    with ExitStack() as recording:
        if weights:
            for pooling, recorded in (
                (encoder.word_pooling, word_weights),
                (encoder.sentence_pooling, sentence_weights),
            ):
                recording.enter_context(pooling.attention.record(_append_weights(recorded)))
        logps = model(Documents(words, counts)).float().log_softmax(dim=-1).tolist()
    if not weights:
        return [DocumentAttention(tuple(row)) for row in logps]
    piece_weights = iter(_in_order(words, word_weights))
    return [
        DocumentAttention(
            tuple(row),
            tuple(sentence_weights[0][i, : len(document)].tolist()),  # B N
            tuple(tuple(next(piece_weights)[: len(sentence)]) for sentence in document),
        )
        for i, (row, document) in enumerate(zip(logps, documents, strict=True))
    ]


def _append_weights(recorded: list[Tensor]) -> Callable[[AttentionOutput], None]:
    def append(output: AttentionOutput) -> None:
        assert output.weights is not None
        recorded.append(output.weights.mean(dim=1)[:, 0].float())  # the mean of all heads: B S

    return append


def _in_order(words: Tokens, blocks: list[Float[Tensor, "_ _"]]) -> list[list[float]]:
    """Undo the encoder's grouping of sentences into blocks of similar length."""
    by_row: dict[int, list[float]] = {}
    for rows, weights in zip(length_blocks(words), blocks, strict=True):
        by_row |= zip(rows.tolist(), weights.tolist(), strict=True)
    return [by_row[row] for row in range(len(by_row))]


def _batches(documents: Sequence[Sequence[Ids]]) -> Iterator[list[Sequence[Ids]]]:
    batch: list[Sequence[Ids]] = []
    size = 0
    for document in documents:
        pieces = sum(map(len, document))
        if batch and size + pieces > BUDGET:
            yield batch
            batch, size = [], 0
        batch.append(document)
        size += pieces
    if batch:
        yield batch


# -- document page ---------------------------------------------------------------------------------


LEVELS = 10  # shades that readers can distinguish

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
    span: Span  # characters of the text
    weight: float  # a sentence's words sum to 1


@dataclass(frozen=True, slots=True)
class WeightedSentence:
    span: Span
    weight: float  # a document's sentences sum to 1
    words: tuple[WeightedWord, ...]


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document with its class probabilities and attention weights."""

    text: str
    title: str
    sentences: tuple[WeightedSentence, ...]
    probabilities: Mapping[str, float]


def document_page(documents: Sequence[DocumentView]) -> str:
    parts = [
        "<h1>regard classify</h1>",
        '<p class="key">The bar beside a sentence shows the attention weight of the sentence, the '
        "shade of a word the weight of the word. Attention weights do not explain why the model "
        "chose a class.</p>",
        *map(_document, documents),
    ]
    return html.html_page("regard classify", parts, _STYLE + _levels())


def _document(document: DocumentView) -> str:
    ranked = sorted(document.probabilities.items(), key=lambda item: -item[1])
    rows = [(name, f"{probability:.3f}") for name, probability in ranked[:LEVELS]]
    highest = max((sentence.weight for sentence in document.sentences), default=0.0)
    strength = max((_strength(s, w) for s in document.sentences for w in s.words), default=0.0)
    body = "".join(
        _sentence(document.text, sentence, highest, strength) for sentence in document.sentences
    )
    return "\n".join(
        [
            f'<h2 dir="auto">{escape(document.title)}</h2>',
            html.html_table(("class", "probability"), rows) if rows else "",
            f'<article dir="auto">{body or "—"}</article>',
        ]
    )


def _sentence(text: str, sentence: WeightedSentence, highest: float, strength: float) -> str:
    parts, position = [], sentence.span[0]
    for word in sentence.words:
        start, end = word.span
        shade = _level(_strength(sentence, word), strength)
        parts += [
            escape(text[position:start]),
            f'<i class="w{shade}" title="{word.weight:.3f}">{escape(text[start:end])}</i>',
        ]
        position = end
    parts.append(escape(text[position : sentence.span[1]]))
    bar = _level(sentence.weight, highest)
    return f'<p class="s{bar}" title="{sentence.weight:.3f}">{"".join(parts)}</p>'


def _strength(sentence: WeightedSentence, word: WeightedWord) -> float:
    return float(sentence.weight**0.5) * word.weight


def _level(value: float, highest: float) -> int:
    return round(LEVELS * value / highest) if highest > 0 else 0


def _levels() -> str:
    """CSS for all levels; an opacity of at most 0.6 keeps the text readable."""
    return "".join(
        f".w{level} {{ background: rgba(var(--word), {0.6 * level / LEVELS:.2f}); }}\n"
        f".s{level} {{ border-left-color: rgba(var(--sentence), {level / LEVELS:.2f}); }}\n"
        for level in range(1, LEVELS + 1)
    )
