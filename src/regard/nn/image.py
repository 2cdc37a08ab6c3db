"""Image encoder: a grid of regions, read as if it were a sentence (Xu et al. 2015, 3.1.1)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Equation
from regard.batch import Grids, Images
from regard.nn.embedding import Sinusoids
from regard.nn.interfaces import Encoded, Encoder


class ConvBackbone(nn.Sequential):
    """Convolutions that each halve the picture, until a region is a cell of the grid.

    Each sees four by four pixels, the two by two that it stands for in their middle: with three by
    three, four times over, a cell would look half a cell up and to the left of where it stands.
    Group norm, not batch norm: what a picture becomes must not depend on its neighbours.
    """

    def __init__(self, channels: list[int]) -> None:
        super().__init__(
            *(
                nn.Sequential(
                    nn.Conv2d(a, b, 4, stride=2, padding=1), nn.GroupNorm(1, b), nn.ReLU()
                )
                for a, b in pairwise([3, *channels])
            )
        )


class PositionalEncoding2d(nn.Module):
    """p_yx = [p_y; p_x]: half of the numbers say the row, half the column, by sinusoids"""

    def __init__(self) -> None:
        super().__init__()
        self.along = Sinusoids()

    def forward(self, grid: Float[Tensor, "B E y x"]) -> Float[Tensor, "E y x"]:
        half, rows, columns = grid.size(1) // 2, grid.size(2), grid.size(3)
        down = self.along(0, grid.new_zeros(1, rows, half)).mT[:, :, None]  # E/2 y 1
        across = self.along(0, grid.new_zeros(1, columns, half)).mT[:, None]  # E/2 1 x
        return torch.cat([down.expand(-1, -1, columns), across.expand(-1, rows, -1)])

    if TYPE_CHECKING:
        __call__ = forward


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
        return flatten_grid(
            self.backbone(4 * (source.pixels - 0.5)), self.positional_encoding
        )  # to about unit variance


class GridEncoder(Encoder[Grids]):
    """Features of a frozen backbone, computed beforehand by the user."""

    equation = Equation("grid", "a_s = W f_s, f_s the backbone's features of region s")

    def __init__(self, features: int, dim: int, *, positional_encoding: bool = False) -> None:
        super().__init__()
        self.project, self.dim = nn.Linear(features, dim), dim
        self.positional_encoding = PositionalEncoding2d() if positional_encoding else None

    def forward(self, source: Grids) -> Encoded:
        return flatten_grid(self.project(source.features).movedim(-1, 1), self.positional_encoding)


def flatten_grid(grid: Float[Tensor, "B E y x"], places: PositionalEncoding2d | None) -> Encoded:
    """A grid read row by row, as if its regions were words."""
    if places is not None:
        grid = grid + places(grid)
    states = grid.flatten(2).mT  # B E y x -> B S E
    return Encoded(states, None, states.mean(dim=1))
