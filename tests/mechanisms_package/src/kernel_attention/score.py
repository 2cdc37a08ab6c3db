"""A score: the closer the projected query and key, the higher."""

import torch
from torch import Tensor, nn

from regard.attention import Equation, Score


class SquaredDistance(Score):
    """score(q, k) = −‖W q − W' k‖² / √d, in each head"""

    equation = Equation("squared-distance", "score(q, k) = −‖W q − W' k‖² / √d, in each head")

    def __init__(self, query_dim: int, key_dim: int, dim: int = 8, heads: int = 1) -> None:
        maps = (nn.Linear(width, dim, bias=False) for width in (query_dim, key_dim))
        super().__init__(*maps, heads=heads)
        self.scale = (dim // heads) ** -0.5

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return -self.scale * torch.cdist(query, keys).square()
