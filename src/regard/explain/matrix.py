"""One look as a matrix between words or pieces, with the words that say which look it is."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from regard.align.extraction import END, TokenizedText, word_attention
from regard.explain.forward_trace import AttentionRecord

BEGINNING, NOTHING = "<s>", "∅"


@dataclass(frozen=True, slots=True)
class Matrix:
    """A row for each word or piece that was said, a column for each that was read."""

    weights: Float[Tensor, "J I"]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    note: str  # attention is not alignment: a reader must know which look this is


def word_matrix(
    look: AttentionRecord,
    source: TokenizedText,
    target: TokenizedText,
    head: int | None,
    shift: int,
    layers: int,
) -> Matrix:
    """The sum over a source word's pieces, the mean over a target word's."""
    weights = _of_head(word_attention(look.weights, source, target, shift), head)
    note = f"{matrix_caption(look, head, shift, layers)}; pieces joined to words"
    return Matrix(weights, tuple(target.word_texts), (*source.word_texts, END), note)


def piece_matrix(
    look: AttentionRecord,
    source: TokenizedText,
    target: TokenizedText,
    head: int | None,
    shift: int,
    layers: int,
) -> Matrix:
    """As the model has it; read a step later, the first step is no piece's, and left out."""
    weights = _of_head(look.weights, head)[shift:]
    said = target.labels[: weights.size(0)]
    return Matrix(weights, said, source.labels, matrix_caption(look, head, shift, layers))


def region_matrix(
    look: AttentionRecord,
    labels: tuple[str, ...],
    target: TokenizedText,
    head: int | None,
    shift: int,
    layers: int,
) -> Matrix:
    """The mean over a target word's pieces, for each region of a picture, which `labels` name."""
    weights = _of_head(look.weights, head)
    rows = [weights[[row + shift for row in rows]].mean(dim=0) for rows in target.word_pieces]
    note = f"{matrix_caption(look, head, shift, layers)}; pieces joined to words"
    empty = weights.new_zeros(0, weights.size(1))
    said = torch.stack(rows) if rows else empty
    return Matrix(said, tuple(target.word_texts), labels, note)


def self_attention_matrix(
    look: AttentionRecord, target: TokenizedText, head: int | None, layers: int
) -> Matrix:
    """What is about to be said, and what had been said before it."""
    weights = _of_head(look.weights, head)
    said = (BEGINNING, *target.labels)
    read = (NOTHING, *said) if look.blank_memory else said
    return Matrix(
        weights, target.labels, read[: weights.size(1)], matrix_caption(look, head, 0, layers)
    )


def matrix_caption(look: AttentionRecord, head: int | None, shift: int, layers: int) -> str:
    """Layers and heads counted from one, as papers do."""
    parts = []
    if layers > 1:
        parts.append(f"layer {look.layer + 1} of {layers}")
    if look.heads > 1:
        of = f"of {look.heads} heads" if head is None else f"{head + 1} of {look.heads}"
        parts.append(f"mean {of}" if head is None else f"head {of}")
    moment = "a step later, when it was read in" if shift else "when it was produced"
    parts.append(f"each word as it looked {moment}")
    return ", ".join(parts)


def _of_head(weights: Float[Tensor, "H J I"], head: int | None) -> Float[Tensor, "J I"]:
    return weights.mean(dim=0) if head is None else weights[head]
