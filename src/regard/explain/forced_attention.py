"""Forced attention: replace the weights of a model, and measure what changes.

Attention weights that do not matter can be replaced without harm (Jain and Wallace 2019; Wiegreffe
and Pinter 2019). Weights are replaced in all cross-attention of a model, or one head is removed
(Michel et al. 2019). The span of the attention still applies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.attention import Attention, NormalizedWeights, Normalizer, replace_normalizers
from regard.batch import Tokens
from regard.inference.forced_decoding import (
    Ids,
    cross_attention_names,
    force_decode,
    get_attention,
    length_batches,
)
from regard.models import EncoderDecoder

PiecePairs = Sequence[tuple[int, int]]
"""Linked positions of one pair: (source piece, target piece)."""


class ShuffledNormalizer(Normalizer):
    """Wraps a normalizer and permutes the weights of each query at random.

    Only visible positions are permuted. A seed determines the permutations.
    """

    def __init__(self, normalizer: Normalizer, seed: int = 0) -> None:
        super().__init__()
        self.normalizer = normalizer
        self.generator = torch.Generator().manual_seed(seed)

    def forward(self, scores: Tensor, visible: Tensor | None) -> NormalizedWeights:
        weights = self.normalizer(scores, visible).weights
        hidden = torch.zeros_like(weights, dtype=torch.bool)
        if visible is not None:
            hidden = hidden | ~visible
        noise = torch.rand(weights.shape, generator=self.generator).to(weights.device)
        drawn = noise.masked_fill(hidden, torch.inf).argsort(dim=-1)  # visible ones first
        ordered = hidden.to(torch.uint8).argsort(dim=-1, stable=True)
        return NormalizedWeights(weights.scatter(-1, drawn, weights.gather(-1, ordered)))


class GivenWeights(Normalizer):
    """Gives each query of a batch its weights; the wrapped normalizer where none are given.

    Queries come in the order of their steps, in one call or in several.
    """

    def __init__(
        self,
        weights: Float[Tensor, "B T S"],
        given: Bool[Tensor, "B T"],
        normalizer: Normalizer,
    ) -> None:
        super().__init__()
        self.weights, self.given, self.normalizer = weights, given, normalizer
        self.step = 0

    def forward(self, scores: Tensor, visible: Tensor | None) -> NormalizedWeights:
        own = self.normalizer(scores, visible).weights
        steps = slice(self.step, self.step + scores.size(2))
        self.step = steps.stop
        given = self.given[:, None, steps, None]
        weights = self.weights[:, None, steps].to(own.dtype)
        if visible is not None:
            weights = weights * visible
        # a query whose links are all outside its span keeps its own weights
        total = weights.sum(dim=-1, keepdim=True)
        return NormalizedWeights(torch.where(given & (total > 0), weights / total, own))


class AblatedHead(Normalizer):
    """Wraps a normalizer and sets the weights of one head to zero."""

    def __init__(self, head: int, normalizer: Normalizer) -> None:
        super().__init__()
        self.head, self.normalizer = head, normalizer

    def forward(self, scores: Tensor, visible: Tensor | None) -> NormalizedWeights:
        weights = self.normalizer(scores, visible).weights.clone()
        weights[:, self.head] = 0
        return NormalizedWeights(weights)


def replace_cross_attention(
    model: EncoderDecoder[Tokens, Any], changed: Callable[[Normalizer], Normalizer]
) -> dict[Attention, Normalizer]:
    """Return the changed normalizer of every cross-attention, for `replace_normalizers`."""
    attentions = [get_attention(model, name) for name in cross_attention_names(model)]
    return {attention: changed(attention.normalizer) for attention in attentions}


def all_attentions(model: EncoderDecoder[Tokens, Any]) -> dict[str, Attention]:
    """Return every attention of the model by its name."""
    return {name: module for name, module in model.named_modules() if isinstance(module, Attention)}


def target_logps(
    model: EncoderDecoder[Tokens, Any],
    pairs: Sequence[tuple[Ids, Ids]],
    normalizers: Callable[[list[int]], Mapping[Attention, Normalizer]] = lambda rows: {},
) -> list[tuple[float, ...]]:
    """Return the log-probabilities of each target, with other normalizers.

    Args:
        pairs: Token ids of source and target, without special tokens.
        normalizers: Those of a batch, from the indices of its pairs.
    """
    logps_by_row: dict[int, tuple[float, ...]] = {}
    for rows in length_batches(pairs):
        with replace_normalizers(normalizers(rows)):
            forced = force_decode(model, [pairs[row] for row in rows], ())
        logps_by_row |= {row: decoding.logps for row, decoding in zip(rows, forced, strict=True)}
    return [logps_by_row[row] for row in range(len(pairs))]


def weights_of_links(
    model: EncoderDecoder[Tokens, Any],
    pairs: Sequence[tuple[Ids, Ids]],
    links: Sequence[PiecePairs],
    rows: Sequence[int],
) -> dict[Attention, Normalizer]:
    """Return normalizers that attend to the linked source pieces of each target piece.

    The links of a target piece have equal weights, at the step that outputs it. A piece without
    links, and the end of the sentence, keep the weights of the model.
    """
    sizes = [[len(ids) + 1 for ids in pairs[row]] for row in rows]
    shape = len(rows), max(target for _, target in sizes), max(source for source, _ in sizes)
    device = next(model.parameters()).device
    weights = torch.zeros(shape, device=device)
    for index, row in enumerate(rows):
        for source, target in links[row]:
            weights[index, target, source] = 1.0
    total = weights.sum(dim=-1)
    weights = weights / total.clamp(min=1)[..., None]
    return replace_cross_attention(
        model, lambda normalizer: GivenWeights(weights, total > 0, normalizer)
    )
