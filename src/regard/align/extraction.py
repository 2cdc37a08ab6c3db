"""Word alignments of tokenized texts from attention weights.

Attention weights are between pieces, and a model has many of them: layers, heads, and two alignment
steps for each target word. One is the step that outputs the word, the other the next step, where
the word is the input. An `AlignmentHead` names one layer, one head and one step.
`choose_alignment_head` finds the one that agrees best with given links. Attention is not alignment:
in a Transformer a neighbouring layer or the other step can be as bad as chance.

A target word is linked to the source word that it attends to most, if its weight reaches the
threshold of the head. A head that was trained on links attends to the end of sentence where there
is none, so it needs no threshold (`null`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from regard.align.links import Links
from regard.align.tokenized_text import AlignmentHead, TokenizedText
from regard.align.word_alignment import WordAlignment
from regard.inference.forced_decoding import (
    ForcedDecoding,
    cross_attention_names,
    force_decode,
    get_attention,
)
from regard.models import EncoderDecoder

WeightedLinks: TypeAlias = dict[tuple[int, int], float]
"""Links (source word, target word) with their attention weights."""


def force_texts(
    model: EncoderDecoder[Any, Any],
    pairs: Sequence[tuple[TokenizedText, TokenizedText]],
    names: Collection[str] | None = None,
    *,
    with_logps: bool = False,
) -> list[ForcedDecoding]:
    """Force-decode pairs of texts, as `force_decode` does with token ids."""
    ids = [(source.pieces.ids, target.pieces.ids) for source, target in pairs]
    return force_decode(model, ids, names, with_logps=with_logps)


def align_words(
    alignment_head: AlignmentHead,
    source: TokenizedText,
    target: TokenizedText,
    forced: ForcedDecoding,
) -> WordAlignment:
    """Align the words of a pair by the weights of `alignment_head`."""
    weights = word_attention(
        forced.attention[alignment_head.attention], source, target, alignment_head.shift
    )
    weights = _select_head(weights, alignment_head.head)
    weighted = _weighted_links(weights, alignment_head.null)
    links = Links(link for link, weight in weighted.items() if weight >= alignment_head.threshold)
    return WordAlignment(source, target, (weights.numpy(),), links)


def has_alignment_head(model: EncoderDecoder[Any, Any], alignment_head: AlignmentHead) -> bool:
    """Whether the layer, head and step of `alignment_head` exist in the model.

    The alignment head may come from an untrusted file.
    """
    if alignment_head.attention not in cross_attention_names(model):
        return False
    if alignment_head.shift not in (0, 1):
        return False
    heads = get_attention(model, alignment_head.attention).score.heads
    return alignment_head.head is None or 0 <= alignment_head.head < heads


def choose_alignment_head(
    pairs: Sequence[tuple[TokenizedText, TokenizedText]],
    forced: Sequence[ForcedDecoding],
    silver: Sequence[Links],
) -> AlignmentHead:
    """The alignment head, with its threshold, whose links have the highest F1 with `silver`."""
    heads = [
        _with_best_threshold(head, pair_links, silver)
        for head, pair_links in all_links(pairs, forced).items()
    ]
    return max(heads, key=lambda head: head.agreement)


def _with_best_threshold(
    head: AlignmentHead, pair_links: Sequence[WeightedLinks], silver: Sequence[Links]
) -> AlignmentHead:
    """Set the threshold to the weight at which the links above it have the highest F1."""
    weighted = [
        (weight, link in expected)
        for links, expected in zip(pair_links, silver, strict=True)
        for link, weight in links.items()
    ]
    if not weighted:
        return head
    weights, right = np.array(sorted(weighted, reverse=True)).T
    f1 = 2 * right.cumsum() / (np.arange(1, len(right) + 1) + sum(map(len, silver)))
    last = np.append(weights[1:] < weights[:-1], True)  # of equal weights all are linked, or none
    best = int(np.where(last, f1, 0.0).argmax())
    return replace(head, threshold=float(weights[best]), agreement=float(f1[best]))


def measure_agreement(
    head: AlignmentHead,
    pairs: Sequence[tuple[TokenizedText, TokenizedText]],
    forced: Sequence[ForcedDecoding],
    silver: Sequence[Links],
) -> AlignmentHead:
    """Return `head` with the F1 of its links with `silver` links."""
    links = [
        align_words(head, *pair, decoding).links
        for pair, decoding in zip(pairs, forced, strict=True)
    ]
    return replace(head, agreement=_f1(links, silver))


def _f1(proposed: Sequence[Links], expected: Sequence[Links]) -> float:
    both = sum(len(links & reference) for links, reference in zip(proposed, expected, strict=True))
    return 2 * both / max(1, sum(map(len, proposed)) + sum(map(len, expected)))


def all_links(
    pairs: Sequence[tuple[TokenizedText, TokenizedText]], forced: Sequence[ForcedDecoding]
) -> dict[AlignmentHead, list[WeightedLinks]]:
    """The links of all pairs with their weights, for every alignment head without a threshold."""
    links_by_head: dict[AlignmentHead, list[WeightedLinks]] = defaultdict(list)
    for (source, target), decoding in zip(pairs, forced, strict=True):
        for head, links in _links_by_head(source, target, decoding):
            links_by_head[head].append(links)
    return links_by_head


def _links_by_head(
    source: TokenizedText, target: TokenizedText, forced: ForcedDecoding
) -> Iterator[tuple[AlignmentHead, WeightedLinks]]:
    for name, weights in forced.attention.items():
        for shift in (0, 1):
            by_word = word_attention(weights, source, target, shift)
            for head in (None, *range(weights.size(0))):
                for null in (False, True):
                    yield (
                        AlignmentHead(name, head, shift, null),
                        _weighted_links(_select_head(by_word, head), null),
                    )


def _select_head(weights: Float[Tensor, "H J I"], head: int | None) -> Float[Tensor, "J I"]:
    return weights.mean(dim=0) if head is None else weights[head]


def word_attention(
    weights: Float[Tensor, "H T S"], source: TokenizedText, target: TokenizedText, shift: int
) -> Float[Tensor, "H J I"]:
    """Weights between words: summed over a source word's pieces, averaged over a target word's.

    A source piece that belongs to several words gives each an equal share of its weight.
    The last column holds the weights of the source's end-of-sentence token.
    """
    words, pieces = len(source.words), weights.size(2)
    gather = np.zeros((pieces, words + 1), np.float32)
    members = _membership(source, pieces)
    gather[:, :words] = (members / np.maximum(1, members.sum(axis=0))).T
    gather[-1, -1] = 1.0
    average = _membership(target, weights.size(1), shift)
    average /= np.maximum(1, average.sum(axis=1, keepdims=True))
    return torch.from_numpy(average) @ weights.float() @ torch.from_numpy(gather)


def _membership(text: TokenizedText, positions: int, shift: int = 0) -> Float[np.ndarray, "W P"]:
    """A matrix with a one where the piece at position − `shift` belongs to the word."""
    cells = [(word, at + shift) for word, pieces in enumerate(text.word_pieces) for at in pieces]
    matrix = np.zeros((len(text.words), positions), np.float32)
    matrix[tuple(np.array(cells, np.intp).reshape(-1, 2).T)] = 1.0
    return matrix


def _weighted_links(weights: Float[Tensor, "J I"], null: bool) -> WeightedLinks:
    """Each target word with its strongest source word; with `null`, the end may win instead."""
    end = weights.size(1) - 1
    if end == 0 or weights.size(0) == 0:
        return {}
    strongest = (weights if null else weights[:, :-1]).max(dim=1)
    strongest_links = zip(strongest.indices.tolist(), strongest.values.tolist(), strict=True)
    return {(i, j): weight for j, (i, weight) in enumerate(strongest_links) if i != end}
