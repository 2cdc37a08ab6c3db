"""What training makes small: a sum over tokens and its parts, never a mean.

A mean would weigh the tokens of a short batch, or of one process among many, more than others; so
losses are added up and divided once, by the count of all tokens of a step, wherever they were read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.attention import Attention, AttentionOutput
from regard.batch import Tokens
from regard.nn.interfaces import Decoded
from regard.train.cross_entropy import cross_entropy


@dataclass(frozen=True, slots=True)
class Loss:
    total: Float[Tensor, ""]  # what is differentiated
    count: int  # the target tokens it was summed over
    parts: dict[str, Float[Tensor, ""]] = field(default_factory=dict)  # sums worth reporting

    def plus(self, name: str, term: Float[Tensor, ""]) -> Loss:
        """The same tokens, with one more thing to make small."""
        return Loss(self.total + term, self.count, {**self.parts, name: term.detach()})


class CrossEntropy(nn.Module):
    """L = −Σ_t [(1 − ε) log p(y_t) + ε/V Σ_v log p(v)]  (Szegedy et al. 2016, 7)"""

    def __init__(self, smoothing: float = 0.0) -> None:
        super().__init__()
        self.smoothing = smoothing
        self.chunked = True  # a chunk of logits at a time; False: all at once

    def forward(self, decoded: Decoded, readout: nn.Linear, target: Tokens) -> Loss:
        said, real = flatten_targets(decoded, target)
        total, logps = cross_entropy(
            said, readout, target.ids[real], self.smoothing, chunked=self.chunked
        )
        return Loss(total, logps.numel(), {"nll": -logps.sum()})


class Reinforce(nn.Module):
    """L = CE − Σ_t [λ (R − b) log p(s_t) + μ H(s_t)],  R = log p(y),  b ← 0.9 b + 0.1 R

    For hard attention (Xu et al. 2015, 4.1, eq. 11 and 12): the positions s_t that were chosen are
    rewarded by how well the sentence went, against a moving average of how it usually goes. R and b
    are per token, so that a long sentence is not worse for being long.
    """

    baseline: Float[Tensor, ""]

    def __init__(
        self, smoothing: float = 0.0, *, reward: float = 1.0, entropy: float = 0.01
    ) -> None:
        super().__init__()
        self.smoothing, self.reward, self.entropy = smoothing, reward, entropy
        self.chunked = True
        self.register_buffer("baseline", torch.zeros(()))

    def forward(self, decoded: Decoded, readout: nn.Linear, target: Tokens) -> Loss:
        assert decoded.sampled is not None, "only hard attention makes choices to be rewarded"
        said, real = flatten_targets(decoded, target)
        total, logps = cross_entropy(
            said, readout, target.ids[real], self.smoothing, chunked=self.chunked
        )
        went = torch.zeros_like(real, dtype=logps.dtype).masked_scatter(real, logps)  # B T
        reward = went.sum(dim=1) / real.sum(dim=1)  # B
        if self.training:
            self.baseline.mul_(0.9).add_(reward.mean(), alpha=0.1)
        better = (reward - self.baseline)[:, None]
        policy = -(better * decoded.sampled.logp * real).sum()
        doubt = -(decoded.sampled.entropy * real).sum()
        loss = Loss(total, logps.numel(), {"nll": -logps.sum()})
        return loss.plus("policy", self.reward * policy).plus("entropy", self.entropy * doubt)


class AttentionRegularizer:
    """Something that is asked of where an attention looks.

    The weights are heard while the model runs:

        with regulariser.listening():
            decoded = model(source, target)
        loss = objective(decoded, readout, target).plus("coverage", regulariser.loss(target))
    """

    def __init__(self, attention: Attention, strength: float = 1.0) -> None:
        self.attention, self.strength = attention, strength
        self._weights: list[Float[Tensor, "B H T S"]] = []

    @contextmanager
    def recording(self) -> Iterator[None]:
        def hear(glance: AttentionOutput) -> None:
            assert glance.weights is not None
            self._weights.append(glance.weights)

        self._weights = []
        with self.attention.record(hear):
            yield

    def _heard(self) -> Float[Tensor, "B H T S"]:
        """Of all steps; they are let go of."""
        heard, self._weights = torch.cat(self._weights, dim=2), []
        return heard


class CoverageLoss(AttentionRegularizer):
    """λ Σ_s (1 − Σ_t α_ts)²: over a caption every region gets its share  (Xu 2015, eq. 14)"""

    def loss(self, target: Tokens) -> Float[Tensor, ""]:
        share = (self._heard() * target_mask(target)[:, None, :, None]).sum(dim=2)  # B H S
        return self.strength * ((1 - share) ** 2).sum()


class GuidedAlignmentLoss(AttentionRegularizer):
    """−λ Σ_t Σ_s a_ts log α_ts: a look rests on the words that are linked  (Garg et al. 2019)

    a_t is shared out evenly among what a step is linked with; one that has no link asks nothing.
    """

    def __init__(self, attention: Attention, head: int | None, strength: float) -> None:
        super().__init__(attention, strength)
        self.head = head  # None: the mean of all

    def loss(self, wanted: Float[Tensor, "B T S"]) -> Float[Tensor, ""]:
        heard = self._heard().float()  # a logarithm has no use for narrow weights
        look = heard.mean(dim=1) if self.head is None else heard[:, self.head]
        # Not of zero, to which a look that is far off may be rounded: that would be 0 · ∞.
        logs = look.clamp(min=torch.finfo(look.dtype).tiny).log()
        return -self.strength * (wanted * logs).sum()


def flatten_targets(
    decoded: Decoded, target: Tokens
) -> tuple[Float[Tensor, "N E"], Bool[Tensor, "B T"]]:
    """What is said where the target is not padding, and where that is."""
    real = target_mask(target)
    return decoded.hidden[real], real


def target_mask(target: Tokens) -> Bool[Tensor, "B T"]:
    if target.lengths is None:
        return torch.ones_like(target.ids, dtype=torch.bool)
    steps = torch.arange(target.ids.size(1), device=target.ids.device)
    return steps < target.lengths[:, None]
