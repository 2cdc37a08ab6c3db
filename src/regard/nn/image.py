"""The image encoder, and pooling of states to one vector."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Attention, Dropout, Equation
from regard.batch import Documents, Grids, Images, Tokens
from regard.nn.embedding import Sinusoids
from regard.nn.interfaces import Encoded, Encoder, source_memory
from regard.nn.rnn import RecurrentStack


class ConvBackbone(nn.Sequential):
    """Convolutions, each of which halves the image, until a region is one cell of the grid.

    Kernels are 4 × 4 so that they are centred on the 2 × 2 pixels that become one cell. Four layers
    of 3 × 3 would shift the cells by half a cell. Group norm instead of batch norm: an image's
    features must not depend on the other images of the batch.
    """

    def __init__(self, channels: list[int]) -> None:
        super().__init__(
            *(
                nn.Sequential(nn.Conv2d(a, b, 4, 2, padding=1), nn.GroupNorm(1, b), nn.ReLU())
                for a, b in pairwise([3, *channels])
            )
        )


class PositionalEncoding2d(nn.Module):
    """p_yx = [p_y; p_x], sinusoids of the row and of the column"""

    def __init__(self) -> None:
        super().__init__()
        self.sinusoids = Sinusoids()

    def forward(self, grid: Float[Tensor, "B E y x"]) -> Float[Tensor, "E y x"]:
        half, rows, columns = grid.size(1) // 2, grid.size(2), grid.size(3)
        down = self.sinusoids(0, grid.new_zeros(1, rows, half)).mT[:, :, None]  # E/2 y 1
        across = self.sinusoids(0, grid.new_zeros(1, columns, half)).mT[:, None]  # E/2 1 x
        return torch.cat([down.expand(-1, -1, columns), across.expand(-1, rows, -1)])


class ImageEncoder(Encoder[Images]):
    """A convolutional network trained with the model.

    Convolutional features hardly depend on the position. `positional_encoding` adds it.
    """

    equation = Equation(
        "image", "a_s = features of region s; summary = mean_s a_s", "Xu et al. 2015, 3.1.1, 3.1.2"
    )

    def __init__(self, backbone: nn.Module, dim: int, *, positional_encoding: bool = False) -> None:
        super().__init__()
        self.backbone, self.dim = backbone, dim
        self.positional_encoding = PositionalEncoding2d() if positional_encoding else None

    def forward(self, source: Images) -> Encoded:
        pixels = 4 * (source.pixels - 0.5)  # about unit variance
        return flatten_grid(self.backbone(pixels), self.positional_encoding)


class GridEncoder(Encoder[Grids]):
    """Features of a frozen backbone, computed beforehand by the user."""

    equation = Equation("grid", "a_s = W f_s, f_s the backbone's features of region s")

    def __init__(self, features: int, dim: int, *, positional_encoding: bool = False) -> None:
        super().__init__()
        self.project, self.dim = nn.Linear(features, dim), dim
        self.positional_encoding = PositionalEncoding2d() if positional_encoding else None

    def forward(self, source: Grids) -> Encoded:
        return flatten_grid(self.project(source.features).movedim(-1, 1), self.positional_encoding)


def flatten_grid(grid: Float[Tensor, "B E y x"], encoding: PositionalEncoding2d | None) -> Encoded:
    """The regions of a grid, row by row."""
    if encoding is not None:
        grid = grid + encoding(grid)
    states = grid.flatten(2).mT  # B E y x -> B S E
    return Encoded(states, None, states.mean(dim=1))


# -- attention pooling, and the hierarchical encoder of documents that is built on it --------------


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
