"""Normalizers: from scores to weights, a distribution over the visible keys."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.shapes import Equation, Scores, Visible


@dataclass(frozen=True, slots=True)
class SampledPosition:
    """What REINFORCE needs of a sampled position (Xu et al. 2015, eq. 11)."""

    logp: Float[Tensor, "B *H T"]  # of the sampled position; 0 where nothing was sampled
    entropy: Float[Tensor, "B *H T"]  # of the distribution it was sampled from

    def unflatten(self, shape: torch.Size) -> SampledPosition:
        """From one query per row, (B T) H 1, to B H T."""
        logp, entropy = (x.squeeze(-1).unflatten(0, shape).mT for x in (self.logp, self.entropy))
        return SampledPosition(logp, entropy)


torch.export.register_dataclass(SampledPosition)


class NormalizedWeights(NamedTuple):
    weights: Scores
    sampled: SampledPosition | None = None


class Normalizer(nn.Module, ABC):
    equation: ClassVar[Equation]
    samples: ClassVar[bool] = False  # whether it draws positions in training: needs REINFORCE

    @abstractmethod
    def forward(self, scores: Scores, visible: Visible) -> NormalizedWeights: ...

    if TYPE_CHECKING:
        __call__ = forward


class Softmax(Normalizer):
    """The usual normalizer."""

    equation = Equation("softmax", "α_s = exp(e_s) / Σ_j exp(e_j)", "Bahdanau et al. 2015, eq. 6")

    def forward(self, scores: Scores, visible: Visible) -> NormalizedWeights:
        return NormalizedWeights(mask_scores(scores, visible).softmax(dim=-1))


class Hard(Normalizer):
    """One position gets all the weight: a sampled one in training, the best one otherwise.

    In training a row of the batch uses the softmax itself with probability `expected`, one half in
    the paper, which reduces the variance of the gradient.
    """

    equation = Equation(
        "hard",
        "α = one-hot(s), s ~ softmax(e) in training, s = argmax e otherwise",
        "Xu et al. 2015, 4.1",
    )
    samples = True

    def __init__(self, expected: float = 0.5) -> None:
        super().__init__()
        self.expected = expected

    def forward(self, scores: Scores, visible: Visible) -> NormalizedWeights:
        logp = mask_scores(scores, visible).log_softmax(dim=-1)
        p = logp.exp()
        if self.training:
            position = p.detach().flatten(0, -2).multinomial(1).view(*p.shape[:-1], 1)
        else:
            position = logp.argmax(dim=-1, keepdim=True)
        weights = torch.zeros_like(p).scatter(-1, position, 1.0)
        sampled = logp.gather(-1, position).squeeze(-1)
        if self.training and self.expected > 0:
            soft = torch.rand(p.size(0), 1, 1, device=p.device) < self.expected  # B 1 1
            weights = torch.where(soft[..., None], p, weights)
            sampled = sampled.masked_fill(soft, 0.0)
        entropy = -(p * logp.masked_fill(logp.isinf(), 0.0)).sum(dim=-1)
        return NormalizedWeights(weights, SampledPosition(sampled, entropy))


class Sparsemax(Normalizer):
    """The nearest point of the simplex: most weights are exactly zero."""

    equation = Equation(
        "sparsemax", "α = argmin ‖α − e‖² over the simplex", "Martins & Astudillo 2016"
    )

    def forward(self, scores: Scores, visible: Visible) -> NormalizedWeights:
        # Adding a constant to all scores changes no weight; small numbers lose less in the sum.
        z = mask_scores(scores, visible).to(torch.promote_types(scores.dtype, torch.float32))
        z = z - z.amax(dim=-1, keepdim=True)
        descending = z.sort(dim=-1, descending=True).values
        rank = torch.arange(1, z.size(-1) + 1, device=z.device, dtype=z.dtype)
        total = descending.masked_fill(descending.isinf(), 0.0).cumsum(dim=-1)
        support = (1 + rank * descending > total).sum(dim=-1, keepdim=True)
        threshold = (total.gather(-1, support - 1) - 1) / support
        return NormalizedWeights((z - threshold).clamp(min=0.0).to(scores.dtype))


class Uniform(Normalizer):
    """Equal weights: the baseline that attention is compared with.

    The scores enter with a factor of zero, so a model with it has the same parameters.
    """

    equation = Equation("uniform", "α_s = 1/n over the n visible positions")

    def forward(self, scores: Scores, visible: Visible) -> NormalizedWeights:
        return NormalizedWeights(mask_scores(0.0 * scores, visible).softmax(dim=-1))


def mask_scores(scores: Scores, visible: Visible) -> Scores:
    """Set the scores of keys that are not visible to −∞."""
    return scores if visible is None else scores.masked_fill(~visible, -torch.inf)
