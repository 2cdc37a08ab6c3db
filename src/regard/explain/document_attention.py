"""Classify documents and return the attention weight of each sentence and each piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention import AttentionOutput
from regard.batch import Documents, Tokens, pad
from regard.inference.forced_decoding import Ids
from regard.models import Classifier, eval_mode
from regard.nn.pooling import HierarchicalEncoder, length_blocks

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
