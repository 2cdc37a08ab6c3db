"""Image encoders: the regions of a grid, as a sequence (Xu et al. 2015, 3.1.1)."""

from __future__ import annotations

from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Equation
from regard.batch import Grids, Images
from regard.nn.embedding import Sinusoids
from regard.nn.interfaces import Encoded, Encoder


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
