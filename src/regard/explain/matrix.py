"""One attention as a matrix between words or pieces, with a caption that identifies it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from regard.align.extraction import word_attention
from regard.align.tokenized_text import END, TokenizedText
from regard.explain.forward_trace import AttentionRecord

BEGINNING, NOTHING = "<s>", "∅"
ALIGNMENT_STEPS = ("at output", "at next input (shifted by one)")


@dataclass(frozen=True, slots=True)
class Matrix:
    """A row for each query word or piece, a column for each word or piece attended to."""

    weights: Float[Tensor, "J I"]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    note: str  # the layer, head and alignment step; attention differs between them


def word_matrix(
    attention: AttentionRecord,
    source: TokenizedText,
    target: TokenizedText,
    head: int | None,
    shift: int,
    layers: int,
) -> Matrix:
    """Cross-attention between words: the sum over a source word's pieces, the mean over a target
    word's."""
    weights = _select_head(word_attention(attention.weights, source, target, shift), head)
    note = f"{matrix_caption(attention, head, shift, layers)}; pieces joined to words"
    return Matrix(weights, tuple(target.word_texts), (*source.word_texts, END), note)


def piece_matrix(
    attention: AttentionRecord,
    source: TokenizedText,
    target: TokenizedText,
    head: int | None,
    shift: int,
    layers: int,
) -> Matrix:
    """Cross-attention between pieces. With `shift` 1 the first step belongs to no piece and is
    dropped."""
    weights = _select_head(attention.weights, head)[shift:]
    labels = target.labels[: weights.size(0)]
    return Matrix(weights, labels, source.labels, matrix_caption(attention, head, shift, layers))


def region_matrix(
    attention: AttentionRecord,
    labels: tuple[str, ...],
    target: TokenizedText,
    head: int | None,
    shift: int,
    layers: int,
) -> Matrix:
    """Attention of each target word to the image regions that `labels` names: the mean over the
    word's pieces."""
    weights = _select_head(attention.weights, head)
    rows = [weights[[row + shift for row in rows]].mean(dim=0) for rows in target.word_pieces]
    note = f"{matrix_caption(attention, head, shift, layers)}; pieces joined to words"
    by_word = torch.stack(rows) if rows else weights.new_zeros(0, weights.size(1))
    return Matrix(by_word, tuple(target.word_texts), labels, note)


def self_attention_matrix(
    attention: AttentionRecord, target: TokenizedText, head: int | None, layers: int
) -> Matrix:
    """Decoder self-attention: each output piece over the pieces of its prefix."""
    weights = _select_head(attention.weights, head)
    prefix = (BEGINNING, *target.labels)
    columns = (NOTHING, *prefix) if attention.blank_memory else prefix
    note = matrix_caption(attention, head, 0, layers)
    return Matrix(weights, target.labels, columns[: weights.size(1)], note)


def matrix_caption(attention: AttentionRecord, head: int | None, shift: int, layers: int) -> str:
    """Layer, head and alignment step; layers and heads count from one, as in papers."""
    parts = []
    if layers > 1:
        parts.append(f"layer {attention.layer + 1} of {layers}")
    if attention.heads > 1:
        heads = attention.heads
        parts.append(f"mean of {heads} heads" if head is None else f"head {head + 1} of {heads}")
    parts.append(ALIGNMENT_STEPS[shift])
    return ", ".join(parts)


def _select_head(weights: Float[Tensor, "H J I"], head: int | None) -> Float[Tensor, "J I"]:
    return weights.mean(dim=0) if head is None else weights[head]
