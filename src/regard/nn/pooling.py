"""From many vectors to one: attention with a learned question, and documents read with it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Attention, Dropout, Equation
from regard.batch import Documents, Tokens
from regard.nn.interfaces import Encoded, Encoder
from regard.nn.rnn import RecurrentStack

BLOCK = 1 << 13  # positions of words read at once: of more, more are padding


class AttentionPooling(nn.Module):
    """v = Σ_s α_s h_s, with α_s = weigh(score(u, h_s)) and u learned  (Yang et al. 2016, 2.2)"""

    def __init__(self, attention: Attention, query_dim: int) -> None:
        super().__init__()
        self.attention = attention
        self.query = nn.Parameter(torch.randn(query_dim) * query_dim**-0.5)

    def forward(
        self, states: Float[Tensor, "B S E"], lengths: Int[Tensor, " B"] | None
    ) -> Float[Tensor, "B E"]:
        question = self.query.expand(states.size(0), 1, -1)
        return self.attention(question, self.attention.build_memory(states, lengths)).context[:, 0]

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
        self.dim = self.sentence_encoder.dim
        self.dropout = Dropout(dropout)

    def forward(self, source: Documents) -> Encoded:
        sentences = self.dropout(self._sentences(source.sentences))  # M E
        read = self.sentence_encoder(pad_rows(sentences, source.counts), source.counts)
        return Encoded(
            read.states, source.counts, self.sentence_pooling(read.states, source.counts)
        )

    def _sentences(self, words: Tokens) -> Float[Tensor, "M E"]:
        """A vector for each; where there are many, those of like length are read together."""
        blocks = length_blocks(words)
        if len(blocks) == 1:
            return self._read(words)
        assert words.lengths is not None
        found = []
        for rows in blocks:
            lengths = words.lengths[rows]
            found.append(self._read(Tokens(words.ids[rows, : int(lengths.max())], lengths)))
        return torch.cat(found)[torch.cat(blocks).argsort()]

    def _read(self, words: Tokens) -> Float[Tensor, "M E"]:
        read = self.word_encoder(self.dropout(self.embedding(words.ids)), words.lengths)
        return self.word_pooling(read.states, read.lengths)


def length_blocks(words: Tokens) -> list[Int[Tensor, " rows"]]:
    """The sentences of each block that is read at once: all, unless that were too many."""
    count, width = words.ids.shape
    if words.lengths is None or count * width <= BLOCK:
        return [torch.arange(count, device=words.ids.device)]
    order = words.lengths.argsort(stable=True)
    lengths = words.lengths[order].tolist()
    edges = [0]
    for place, length in enumerate(lengths):
        if (place + 1 - edges[-1]) * length > BLOCK:
            edges.append(place)
    return [order[start:stop] for start, stop in pairwise([*edges, count])]


def pad_rows(vectors: Float[Tensor, "M E"], counts: Int[Tensor, " B"]) -> Float[Tensor, "B N E"]:
    """Cut a list of vectors into rows of `counts`, padded on the right."""
    rows = torch.arange(counts.numel(), device=vectors.device).repeat_interleave(counts)
    place = torch.arange(vectors.size(0), device=vectors.device) - (counts.cumsum(0) - counts)[rows]
    padded = vectors.new_zeros(counts.numel(), int(counts.max()), vectors.size(1))
    return padded.index_put((rows, place), vectors)
