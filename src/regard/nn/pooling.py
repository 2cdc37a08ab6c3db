"""Attention pooling, and the hierarchical encoder of documents that is built on it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Attention, Dropout, Equation
from regard.batch import Documents, Tokens
from regard.nn.interfaces import Encoded, Encoder, source_memory
from regard.nn.rnn import RecurrentStack

BLOCK = 1 << 13  # word positions encoded at once; larger blocks have more padding


class AttentionPooling(nn.Module):
    """v = Σ_s α_s h_s, α_s = normalize(score(u, h_s)), u learned  (Yang et al. 2016, 2.2)"""

    def __init__(self, attention: Attention, query_dim: int) -> None:
        super().__init__()
        self.attention = attention
        self.query = nn.Parameter(torch.randn(query_dim) * query_dim**-0.5)

    def forward(self, source: Encoded) -> Float[Tensor, "B E"]:
        query = self.query.expand(source.states.size(0), 1, -1)
        return self.attention(query, source_memory(self.attention, source)).context[:, 0]

    if TYPE_CHECKING:
        __call__ = forward


class HierarchicalEncoder(Encoder[Documents]):
    """Encodes words into sentence vectors, then sentences into a document vector.

    The states are those of the sentences, the summary is the vector of the document.
    """

    equation = Equation(
        "hierarchical",
        "h = encode(x), v = pool(h): over words, then over sentences",
        "Yang et al. 2016, 2.2",
    )

    def __init__(
        self,
        embedding: nn.Embedding,
        words: tuple[RecurrentStack, AttentionPooling],
        sentences: tuple[RecurrentStack, AttentionPooling],
        *,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.word_encoder, self.word_pooling = words
        self.sentence_encoder, self.sentence_pooling = sentences
        self.dim, self.dropout = self.sentence_encoder.dim, Dropout(dropout)

    def forward(self, source: Documents) -> Encoded:
        sentences = self.dropout(self._sentence_vectors(source.sentences))  # M E
        encoded = self.sentence_encoder(pad_rows(sentences, source.counts), source.counts)
        return replace(encoded, summary=self.sentence_pooling(encoded), carry=None)

    def _sentence_vectors(self, words: Tokens) -> Float[Tensor, "M E"]:
        """One vector per sentence; sentences of similar length are encoded together."""
        blocks, vectors = length_blocks(words), []
        for rows in blocks:
            lengths = None if words.lengths is None else words.lengths[rows]
            width = None if lengths is None or len(blocks) == 1 else int(lengths.max())
            x = self.dropout(self.embedding(words.ids[rows, :width]))
            vectors.append(self.word_pooling(self.word_encoder(x, lengths)))
        return torch.cat(vectors)[torch.cat(blocks).argsort()]


def length_blocks(words: Tokens) -> list[Int[Tensor, " rows"]]:
    """The rows of each block of sentences that are encoded at once; in compiled code all."""
    count, width = words.ids.shape
    if words.lengths is None or torch.compiler.is_compiling() or count * width <= BLOCK:
        return [torch.arange(count, device=words.ids.device)]
    order = words.lengths.argsort(stable=True)
    lengths = words.lengths[order].tolist()
    edges = [0]
    for row, length in enumerate(lengths):
        if row > edges[-1] and (row + 1 - edges[-1]) * length > BLOCK:
            edges.append(row)
    return [order[start:stop] for start, stop in pairwise([*edges, count])]


def pad_rows(vectors: Float[Tensor, "M E"], counts: Int[Tensor, " B"]) -> Float[Tensor, "B N E"]:
    """Split a list of vectors into rows of `counts`, padded on the right.

    Compiled code must know the width beforehand: it pads to the number of vectors.
    """
    count = vectors.size(0)
    width = count if torch.compiler.is_compiling() else int(counts.max())
    rows = torch.arange(counts.numel(), device=vectors.device)
    rows = rows.repeat_interleave(counts, output_size=count)
    column = torch.arange(count, device=vectors.device) - (counts.cumsum(0) - counts)[rows]
    padded = vectors.new_zeros(counts.numel(), width, vectors.size(1))
    return padded.index_put((rows, column), vectors)
