"""Documents read with their weights: how much each sentence counted, and each piece within it."""

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

BUDGET = 1 << 14  # pieces of the documents that are read together; one may have more by itself


@dataclass(frozen=True, slots=True)
class DocumentAttention:
    """What a document was found to be, and by what; the weights only where they were asked for."""

    logps: tuple[float, ...]  # of each class
    sentences: tuple[float, ...] = ()  # they sum to one
    pieces: tuple[tuple[float, ...], ...] = ()  # of each sentence; they sum to one in each


@torch.inference_mode()
def attend_documents(
    model: Classifier[Documents], documents: Sequence[Sequence[Ids]], *, weights: bool = True
) -> list[DocumentAttention]:
    """Read documents, each one sentence at the least, of one piece at the least."""
    found: list[DocumentAttention] = []
    with eval_mode(model):
        for batch in _batches(documents):
            found += _read(model, batch, weights)
    return found


def _read(
    model: Classifier[Documents], documents: list[Sequence[Ids]], weights: bool
) -> list[DocumentAttention]:
    encoder = model.encoder
    assert isinstance(encoder, HierarchicalEncoder), "only such an encoder reads documents"
    device = next(model.parameters()).device
    words = pad([sentence for document in documents for sentence in document]).to(device)
    counts = torch.tensor([len(document) for document in documents], device=device)
    looks: tuple[list[Tensor], list[Tensor]] = ([], [])
    with ExitStack() as listening:
        if weights:
            for pool, kept in zip(
                (encoder.word_pooling, encoder.sentence_pooling), looks, strict=True
            ):
                listening.enter_context(pool.attention.record(_keeping(kept)))
        logps = model(Documents(words, counts)).float().log_softmax(dim=-1).tolist()
    if not weights:
        return [DocumentAttention(tuple(row)) for row in logps]
    of_pieces = iter(_in_order(words, looks[0]))
    of_sentences = looks[1][0]  # B N
    return [
        DocumentAttention(
            tuple(row),
            tuple(of_sentences[place, : len(document)].tolist()),
            tuple(tuple(next(of_pieces)[: len(sentence)]) for sentence in document),
        )
        for place, (row, document) in enumerate(zip(logps, documents, strict=True))
    ]


def _keeping(kept: list[Tensor]) -> Callable[[AttentionOutput], None]:
    def hear(glance: AttentionOutput) -> None:
        assert glance.weights is not None
        kept.append(glance.weights.mean(dim=1)[:, 0].float())  # the mean of its heads: B S

    return hear


def _in_order(words: Tokens, looks: list[Float[Tensor, "_ _"]]) -> list[list[float]]:
    """The weights of each sentence's pieces, which were read block by block."""
    found: dict[int, list[float]] = {}
    for rows, look in zip(length_blocks(words), looks, strict=True):
        found |= zip(rows.tolist(), look.tolist(), strict=True)
    return [found[row] for row in range(len(found))]


def _batches(documents: Sequence[Sequence[Ids]]) -> Iterator[list[Sequence[Ids]]]:
    batch: list[Sequence[Ids]] = []
    size = 0
    for document in documents:
        own = sum(map(len, document))
        if batch and size + own > BUDGET:
            yield batch
            batch, size = [], 0
        batch.append(document)
        size += own
    if batch:
        yield batch
