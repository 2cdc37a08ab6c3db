"""How is the look shared out? From scores to weights: a distribution over what is visible."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.attention.equation import Equation, equation


@dataclass(frozen=True, slots=True)
class Choice:
    """What a sampled look must tell its teacher: REINFORCE needs both (Xu et al. 2015, eq. 11)."""

    logp: Float[Tensor, B * HT]  # of the position chosen; 0 where nothing was left to chance
    entropy: Float[Tensor, B * HT]  # of the distribution it was chosen from


@dataclass(frozen=True, slots=True)
class Weighed:
    weights: Float[Tensor, "B H T S"]
    choice: Choice | None = None


class Weighing(nn.Module, ABC):
    fusable: bool = False  # a softmax, so that a kernel may fuse it with the inner product

    @property
    def equation(self) -> Equation:
        return equation(type(self))

    @abstractmethod
    def forward(
        self, scores: Float[Tensor, "B H T S"], visible: Bool[Tensor, "#B 1 #T S"] | None
    ) -> Weighed: ...

    if TYPE_CHECKING:
        __call__ = forward


class Softmax(Weighing):
    """α_s = exp(e_s) / Σ_j exp(e_j)  (Bahdanau et al. 2015, eq. 6)"""

    fusable = True

    def forward(
        self, scores: Float[Tensor, "B H T S"], visible: Bool[Tensor, "#B 1 #T S"] | None
    ) -> Weighed:
        return Weighed(hide(scores, visible).softmax(dim=-1))


class Hard(Weighing):
    """α = one-hot(s), s ~ softmax(e) in training, s = argmax e otherwise  (Xu et al. 2015, 4.1)

    In training a row of the batch sees the expected look instead, the softmax itself, as often as
    `expected` says: half of the time in the paper, which steadies the gradient.
    """

    def __init__(self, expected: float = 0.5) -> None:
        super().__init__()
        self.expected = expected

    def forward(
        self, scores: Float[Tensor, "B H T S"], visible: Bool[Tensor, "#B 1 #T S"] | None
    ) -> Weighed:
        logp = hide(scores, visible).log_softmax(dim=-1)
        p = logp.exp()
        if self.training:
            where = p.detach().flatten(0, -2).multinomial(1).view(*p.shape[:-1], 1)
        else:
            where = logp.argmax(dim=-1, keepdim=True)
        weights = torch.zeros_like(p).scatter(-1, where, 1.0)
        chosen = logp.gather(-1, where).squeeze(-1)
        if self.training and self.expected > 0:
            soft = torch.rand(p.size(0), 1, 1, device=p.device) < self.expected  # B 1 1
            weights = torch.where(soft[..., None], p, weights)
            chosen = chosen.masked_fill(soft, 0.0)
        entropy = -(p * logp.masked_fill(logp.isinf(), 0.0)).sum(dim=-1)
        return Weighed(weights, Choice(chosen, entropy))


class Sparsemax(Weighing):
    """α = argmin ‖α − e‖² over the simplex, most of it exactly zero  (Martins & Astudillo 2016)"""

    def forward(
        self, scores: Float[Tensor, "B H T S"], visible: Bool[Tensor, "#B 1 #T S"] | None
    ) -> Weighed:
        # weights do not change when all scores do, and small numbers lose less in the sum
        z = hide(scores, visible)
        z = z - z.amax(dim=-1, keepdim=True)
        falling = z.sort(dim=-1, descending=True).values
        rank = torch.arange(1, z.size(-1) + 1, device=z.device, dtype=z.dtype)
        total = falling.masked_fill(falling.isinf(), 0.0).cumsum(dim=-1)
        support = (1 + rank * falling > total).sum(dim=-1, keepdim=True)
        threshold = (total.gather(-1, support - 1) - 1) / support
        return Weighed((z - threshold).clamp(min=0.0))


class Uniform(Weighing):
    """α_s = 1/n: the mean of what is visible, whatever the scores: what attention is measured by

    The scores are asked all the same, so that a model with it has the same parameters.
    """

    def forward(
        self, scores: Float[Tensor, "B H T S"], visible: Bool[Tensor, "#B 1 #T S"] | None
    ) -> Weighed:
        return Weighed(hide(0.0 * scores, visible).softmax(dim=-1))


def hide(
    scores: Float[Tensor, "B H T S"], visible: Bool[Tensor, "#B 1 #T S"] | None
) -> Float[Tensor, "B H T S"]:
    return scores if visible is None else scores.masked_fill(~visible, -torch.inf)
