"""Image encoder: a grid of regions, read as if it were a sentence (Xu et al. 2015, 3.1.1)."""

from __future__ import annotations

from itertools import pairwise

from jaxtyping import Float
from torch import Tensor, nn

from regard.batch import Images
from regard.nn.encoded import Encoded, Encoder


class Trunk(nn.Sequential):
    """Convolutions that each halve the picture, until a region is a cell of the grid.

    Group norm, not batch norm: what a picture becomes must not depend on its neighbours.
    """

    def __init__(self, channels: list[int]) -> None:
        super().__init__(
            *(
                nn.Sequential(
                    nn.Conv2d(a, b, 3, stride=2, padding=1), nn.GroupNorm(1, b), nn.ReLU()
                )
                for a, b in pairwise([3, *channels])
            )
        )


class ImageEncoder(Encoder[Images]):
    """a_s = the features of region s; their mean is the summary  (3.1.1, 3.1.2)"""

    def __init__(self, trunk: nn.Module, dim: int) -> None:
        super().__init__()
        self.trunk, self.dim = trunk, dim

    def forward(self, source: Images) -> Encoded:
        grid: Float[Tensor, "B E y x"] = self.trunk(source.pixels)
        states = grid.flatten(2).mT  # B E y x -> B S E
        return Encoded(states, None, states.mean(dim=1))
