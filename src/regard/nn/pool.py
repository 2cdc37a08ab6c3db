"""From many vectors to one: attention with a learned question, and documents read with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Attention, Dropout
from regard.batch import Documents
from regard.nn.encoded import Encoded, Encoder
from regard.nn.recurrent import Reading


class Pool(nn.Module):
    """v = Σ_s α_s h_s, with α_s = weigh(score(u, h_s)) and u learned  (Yang et al. 2016, 2.2)"""

    def __init__(self, attention: Attention, question_dim: int) -> None:
        super().__init__()
        self.attention = attention
        self.question = nn.Parameter(torch.randn(question_dim) * question_dim**-0.5)

    def forward(
        self, states: Float[Tensor, "B S E"], lengths: Int[Tensor, " B"] | None
    ) -> Float[Tensor, "B E"]:
        question = self.question.expand(states.size(0), 1, -1)
        return self.attention(question, self.attention.remember(states, lengths)).context[:, 0]

    if TYPE_CHECKING:
        __call__ = forward


class HierarchicalEncoder(Encoder[Documents]):
    """h = reading(x), v = pool(h): first of words, then of sentences  (Yang et al. 2016, 2.2)

    The states are the sentences', the summary is the document's vector.
    """

    def __init__(
        self,
        embedding: nn.Embedding,
        words: tuple[Reading, Pool],
        sentences: tuple[Reading, Pool],
        *,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.read_words, self.pool_words = words
        self.read_sentences, self.pool_sentences = sentences
        self.dim = self.read_sentences.dim
        self.dropout = Dropout(dropout)

    def forward(self, source: Documents) -> Encoded:
        words = self.dropout(self.embedding(source.sentences.ids))
        read = self.read_words(words, source.sentences.lengths)
        sentences = self.dropout(self.pool_words(read.states, read.lengths))  # M E
        read = self.read_sentences(side_by_side(sentences, source.counts), source.counts)
        return Encoded(read.states, source.counts, self.pool_sentences(read.states, source.counts))


def side_by_side(
    vectors: Float[Tensor, "M E"], counts: Int[Tensor, " B"]
) -> Float[Tensor, "B N E"]:
    """Cut a list of vectors into rows of `counts`, padded on the right."""
    rows = torch.arange(counts.numel(), device=vectors.device).repeat_interleave(counts)
    place = torch.arange(vectors.size(0), device=vectors.device) - (counts.cumsum(0) - counts)[rows]
    padded = vectors.new_zeros(counts.numel(), int(counts.max()), vectors.size(1))
    return padded.index_put((rows, place), vectors)
