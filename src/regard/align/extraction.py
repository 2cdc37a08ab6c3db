"""Word alignments from where a model looked.

Looks are between pieces, and there are many: layers, heads, and for each word two moments, when it
was produced and when it was read in as the last word. A `Pointer` names one look and one moment;
which of them points best is found by measuring (`choose`). Attention is not alignment: in a
Transformer a neighbouring layer or the other moment can be as bad as chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from regard.align.links import Links
from regard.align.symmetrize import transpose_links
from regard.inference.forced_decoding import (
    ForcedDecoding,
    cross_attention_names,
    force_decode,
    get_attention,
)
from regard.models import EncoderDecoder
from regard.text.tokenizer import Span, TokenizedPieces, Tokenizer
from regard.text.words import pieces_by_word, split_words

END = "</s>"


@dataclass(frozen=True, slots=True)
class AlignmentHead:
    """Which look is read as an alignment, and how."""

    attention: str  # the attention's name in the model
    head: int | None  # None: the mean of all
    shift: int  # 0: as the word was produced; 1: a step later, as it was read in
    null: bool  # whether a word that looks at the end mark most stands for nothing
    agreement: float = 0.0  # F1 with the links by which it was chosen

    @property
    def summary(self) -> str:
        head = "mean of all heads" if self.head is None else f"head {self.head}"
        return f"{self.attention}, {head}, {('as a word is said', 'as it is read in')[self.shift]}"


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """A text in pieces and in words."""

    raw: str
    pieces: TokenizedPieces
    words: list[Span]

    @classmethod
    def from_text(cls, tokenizer: Tokenizer, raw: str, *, spaced: bool = False) -> TokenizedText:
        """`spaced`: its words are what stands between spaces, as gold alignments count them."""
        return cls(raw, tokenizer.pieces(raw), _spaced_words(raw) if spaced else split_words(raw))

    @classmethod
    def from_tokens(cls, tokenizer: Tokenizer, ids: Sequence[int]) -> TokenizedText:
        """What a model said, in the pieces in which it said it."""
        raw, pieces = tokenizer.spell(ids)
        return cls(raw, pieces, split_words(raw))

    @property
    def word_pieces(self) -> list[list[int]]:
        return pieces_by_word(self.pieces.spans, self.words)

    @property
    def labels(self) -> tuple[str, ...]:
        """Of all positions that can be looked at: its pieces, and its end."""
        return (*self.pieces.pieces, END)

    def to_record(self) -> dict[str, Any]:
        """As a record has it."""
        end = len(self.raw)
        return {
            "kind": "text",
            "text": self.raw,
            "pieces": self.labels,
            "spans": [*self.pieces.spans, (end, end)],
            "words": self.words,
            "word_pieces": self.word_pieces,
        }

    @property
    def word_texts(self) -> list[str]:
        return [self.raw[start:end] for start, end in self.words]


@dataclass(frozen=True, slots=True)
class WordAlignment:
    """A pair, word by word."""

    source: TokenizedText
    target: TokenizedText
    weights: Float[Tensor, "J I"]  # how each target word's look is shared out; the last is nothing
    links: Links  # (source word, target word)


def force_texts(
    model: EncoderDecoder[Any, Any],
    pairs: Sequence[tuple[TokenizedText, TokenizedText]],
    names: Collection[str] | None = None,
    *,
    with_logps: bool = False,
) -> list[ForcedDecoding]:
    """As `reread`, of texts instead of their ids, and if not asked otherwise the looks alone."""
    ids = [(one.pieces.ids, other.pieces.ids) for one, other in pairs]
    return force_decode(model, ids, names, with_logps=with_logps)


def align_words(
    alignment_head: AlignmentHead,
    source: TokenizedText,
    target: TokenizedText,
    forced: ForcedDecoding,
) -> WordAlignment:
    looks = word_attention(
        forced.attention[alignment_head.attention], source, target, alignment_head.shift
    )
    weights = _select_head(looks, alignment_head.head)
    return WordAlignment(source, target, weights, _links(weights, alignment_head.null))


def concatenate_alignments(
    source: str, target: str, parts: Sequence[tuple[Span, Span, WordAlignment]]
) -> WordAlignment:
    """Of two texts that were aligned in parts, each with the characters that it has of them."""
    texts = []
    for raw, side in ((source, 0), (target, 1)):
        begins = [(spans[side][0], (a.source, a.target)[side]) for *spans, a in parts]
        texts.append(
            TokenizedText(
                raw, _pieces(begins), [w for at, t in begins for w in _moved(t.words, at)]
            )
        )
    weights = torch.zeros(len(texts[1].words), len(texts[0].words) + 1)
    links: set[tuple[int, int]] = set()
    row = column = 0
    for *_, part in parts:
        rows, columns = part.weights.size(0), part.weights.size(1) - 1
        weights[row : row + rows, column : column + columns] = part.weights[:, :-1]
        weights[row : row + rows, -1] = part.weights[:, -1]
        links |= {(column + i, row + j) for i, j in part.links}
        row, column = row + rows, column + columns
    return WordAlignment(texts[0], texts[1], weights, Links(links))


def has_alignment_head(model: EncoderDecoder[Any, Any], alignment_head: AlignmentHead) -> bool:
    """Whether a pointer, which may come from a file, names a look and a moment of the model."""
    if alignment_head.attention not in cross_attention_names(model) or alignment_head.shift not in (
        0,
        1,
    ):
        return False
    heads = get_attention(model, alignment_head.attention).score.heads
    return alignment_head.head is None or 0 <= alignment_head.head < heads


def choose_alignment_head(
    pairs: Sequence[tuple[TokenizedText, TokenizedText]],
    readings: Sequence[ForcedDecoding],
    silver: Sequence[Links],
) -> AlignmentHead:
    """The pointer whose links agree best with `silver` ones."""
    found = all_links(pairs, readings)
    scores = {pointer: _f1(links, silver) for pointer, links in found.items()}
    best = max(scores, key=scores.__getitem__)
    return replace(best, agreement=scores[best])


def choose_alignment_heads(
    forth: Sequence[tuple[TokenizedText, TokenizedText]],
    back: Sequence[tuple[TokenizedText, TokenizedText]],
    there: Sequence[ForcedDecoding],
    again: Sequence[ForcedDecoding],
) -> tuple[AlignmentHead, AlignmentHead]:
    """The pointers of two models, one of each direction, whose links agree best with each other.

    `forth` and `back` are the same pairs, as each model reads them. What both find, though they
    look from opposite sides, is seldom an accident.
    """
    one = all_links(forth, there)
    other = {
        p: [transpose_links(links) for links in found]
        for p, found in all_links(back, again).items()
    }
    scores = {(a, b): _f1(one[a], other[b]) for a in one for b in other}
    first, second = max(scores, key=scores.__getitem__)
    agreement = scores[first, second]
    return replace(first, agreement=agreement), replace(second, agreement=agreement)


def _f1(some: Sequence[Links], others: Sequence[Links]) -> float:
    both = sum(len(one & other) for one, other in zip(some, others, strict=True))
    return 2 * both / max(1, sum(map(len, some)) + sum(map(len, others)))


def all_links(
    pairs: Sequence[tuple[TokenizedText, TokenizedText]], readings: Sequence[ForcedDecoding]
) -> dict[AlignmentHead, list[Links]]:
    """The links of all pairs, by each look, head and moment that could be read as them."""
    found: dict[AlignmentHead, list[Links]] = defaultdict(list)
    for (source, target), reading in zip(pairs, readings, strict=True):
        for pointer, links in _all_heads(source, target, reading):
            found[pointer].append(links)
    return found


def _all_heads(
    source: TokenizedText, target: TokenizedText, reading: ForcedDecoding
) -> Iterator[tuple[AlignmentHead, Links]]:
    for name, look in reading.attention.items():
        for shift in (0, 1):
            looks = word_attention(look, source, target, shift)
            for head in (None, *range(look.size(0))):
                for null in (False, True):
                    yield (
                        AlignmentHead(name, head, shift, null),
                        _links(_select_head(looks, head), null),
                    )


def _select_head(looks: Float[Tensor, "H J I"], head: int | None) -> Float[Tensor, "J I"]:
    return looks.mean(dim=0) if head is None else looks[head]


def word_attention(
    look: Float[Tensor, "H T S"], source: TokenizedText, target: TokenizedText, shift: int
) -> Float[Tensor, "H J I"]:
    """Between words: the sum over a source word's pieces, the mean over a target word's."""
    words, pieces = len(source.words), look.size(2)
    gather = np.zeros((pieces, words + 1), np.float32)
    gather[:, :words] = _owners(source, pieces).T
    gather[-1, -1] = 1.0  # the end mark
    spread = _owners(target, look.size(1), shift)
    spread /= np.maximum(1, spread.sum(axis=1, keepdims=True))
    return torch.from_numpy(spread) @ look.float() @ torch.from_numpy(gather)


def _owners(text: TokenizedText, positions: int, shift: int = 0) -> Float[np.ndarray, "W P"]:
    """One where a piece is of a word, which is where it stands or `shift` further."""
    owned = [(word, at + shift) for word, pieces in enumerate(text.word_pieces) for at in pieces]
    owners = np.zeros((len(text.words), positions), np.float32)
    owners[tuple(np.array(owned, np.intp).reshape(-1, 2).T)] = 1.0
    return owners


def _links(weights: Float[Tensor, "J I"], null: bool) -> Links:
    nothing = weights.size(1) - 1
    if nothing == 0 or weights.size(0) == 0:
        return Links()
    best = (weights if null else weights[:, :-1]).argmax(dim=1).tolist()
    return Links((i, j) for j, i in enumerate(best) if i != nothing)


def _pieces(begins: Sequence[tuple[int, TokenizedText]]) -> TokenizedPieces:
    parts = [(t.pieces.ids, t.pieces.pieces, _moved(t.pieces.spans, at)) for at, t in begins]
    ids, names, spans = (tuple(chain.from_iterable(each)) for each in zip(*parts, strict=True))
    return TokenizedPieces(ids, names, spans)


def _moved(spans: Sequence[Span], by: int) -> list[Span]:
    return [(start + by, end + by) for start, end in spans]


def _spaced_words(text: str) -> list[Span]:
    spans, place = [], 0
    for word in text.split():
        start = text.index(word, place)
        place = start + len(word)
        spans.append((start, place))
    return spans
