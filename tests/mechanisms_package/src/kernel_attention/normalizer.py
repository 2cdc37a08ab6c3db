"""A normalizer: between softmax and sparsemax, by the package `entmax`."""

from entmax import entmax15
from torch import Tensor

from regard.attention import Equation, NormalizedWeights, Normalizer


class Entmax15(Normalizer):
    """α = max(0, e/2 − τ)², with the τ for which the weights sum to one"""

    equation = Equation("entmax15", "α_s = max(0, e_s/2 − τ)²", "Peters et al. 2019, eq. 10")

    def forward(self, scores: Tensor, visible: Tensor | None) -> NormalizedWeights:
        if visible is not None:
            scores = scores.masked_fill(~visible, -1e4)  # entmax has no −∞
        return NormalizedWeights(entmax15(scores, dim=-1))
