"""Translation models in plain PyTorch, the baseline of the training benchmark.

They have the same sizes and computations as regard's models, with PyTorch's default modules: SDPA,
`nn.Dropout`, packed RNNs, all B × T × S × D units of additive attention, and all logits at once.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from regard.batch import Tokens


def visible(source: Tokens) -> Tensor:
    assert source.lengths is not None
    return torch.arange(source.ids.size(1)) < source.lengths[:, None]


class MultiHeadAttention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(dim, dim) for _ in range(4))

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, causal: bool = False
    ) -> Tensor:
        def split(y: Tensor) -> Tensor:
            return y.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        query, key, value = split(self.query(x)), split(self.key(memory)), split(self.value(memory))
        context = F.scaled_dot_product_attention(query, key, value, mask, is_causal=causal)
        return self.out(context.transpose(1, 2).flatten(-2))


class Block(nn.Module):
    def __init__(self, dim: int, hidden: int, heads: int, p: float, *, decoder: bool) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(dim, heads)
        self.cross_attention = MultiHeadAttention(dim, heads) if decoder else None
        self.feed_forward = nn.Sequential(
            nn.Linear(dim, hidden), nn.ReLU(), nn.Dropout(p), nn.Linear(hidden, dim)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(3 if decoder else 2))
        self.drop = nn.Dropout(p)

    def forward(self, x: Tensor, memory: Tensor | None, mask: Tensor) -> Tensor:
        if self.cross_attention is None or memory is None:
            x = self.norms[0](x + self.drop(self.self_attention(x, x, mask)))
        else:
            x = self.norms[0](x + self.drop(self.self_attention(x, x, causal=True)))
            x = self.norms[1](x + self.drop(self.cross_attention(x, memory, mask)))
        return self.norms[-1](x + self.drop(self.feed_forward(x)))


class Transformer(nn.Module):
    """Vaswani et al. 2017, post-norm, with one embedding for source, target and output."""

    def __init__(
        self, words: int, dim: int, hidden: int, layers: int, heads: int, p: float
    ) -> None:
        super().__init__()
        self.embedding, self.readout = nn.Embedding(words, dim), nn.Linear(dim, words)
        nn.init.normal_(self.embedding.weight, std=dim**-0.5)
        self.readout.weight = self.embedding.weight
        sizes = (dim, hidden, heads, p)
        self.encoder = nn.ModuleList(Block(*sizes, decoder=False) for _ in range(layers))
        self.decoder = nn.ModuleList(Block(*sizes, decoder=True) for _ in range(layers))
        self.drop = nn.Dropout(p)
        angles = torch.arange(512)[:, None] * 10_000 ** (-torch.arange(0, dim, 2) / dim)
        self.register_buffer("positions", torch.cat([angles.sin(), angles.cos()], dim=-1))

    def embed(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids) * self.embedding.embedding_dim**0.5
        return self.drop(x + self.positions[: ids.size(1)])

    def forward(self, source: Tokens, target: Tensor) -> Tensor:
        mask = visible(source)[:, None, None]
        x, y = self.embed(source.ids), self.embed(target)
        for block in self.encoder:
            x = block(x, None, mask)
        for block in self.decoder:
            y = block(y, x, mask)
        return self.readout(y)


class Bahdanau(nn.Module):
    """Bahdanau et al. 2015: bidirectional GRU encoder, GRU decoder, maxout output."""

    def __init__(self, words: int, embedding: int, dim: int, p: float) -> None:
        super().__init__()
        self.source_words = nn.Embedding(words, embedding)
        self.target_words = nn.Embedding(words, embedding)
        self.encoder = nn.GRU(embedding, dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * dim, dim)
        self.to_query, self.to_keys = nn.Linear(dim, dim), nn.Linear(2 * dim, dim, bias=False)
        self.energy = nn.Linear(dim, 1, bias=False)
        self.cell = nn.GRUCell(embedding + 2 * dim, dim)
        self.mix = nn.Linear(dim + embedding + 2 * dim, 2 * embedding)
        self.readout = nn.Linear(embedding, words)
        self.drop = nn.Dropout(p)

    def forward(self, source: Tokens, target: Tensor) -> Tensor:
        x = self.drop(self.source_words(source.ids))
        packed = pack_padded_sequence(x, source.lengths, batch_first=True, enforce_sorted=False)
        packed, last = self.encoder(packed)
        memory, _ = pad_packed_sequence(packed, batch_first=True, total_length=x.size(1))
        state = torch.tanh(self.bridge(last.transpose(0, 1).flatten(1)))
        keys, padding = self.to_keys(memory), ~visible(source)
        inputs = self.drop(self.target_words(target))
        features = []
        for y in inputs.unbind(dim=1):
            scores = self.energy(torch.tanh(self.to_query(state)[:, None] + keys))[..., 0]
            weights = scores.masked_fill(padding, -torch.inf).softmax(dim=-1)
            context = (weights[:, None] @ memory)[:, 0]
            state = self.cell(torch.cat([y, context], dim=-1), state)
            features.append(torch.cat([state, y, context], dim=-1))
        mixed = self.mix(torch.stack(features, dim=1)).unflatten(-1, (-1, 2)).amax(dim=-1)
        return self.readout(self.drop(mixed))
