"""Losses as sums over tokens, never means.

A mean would give the tokens of a short batch more weight than others. The trainer adds up the sums
of all batches and processes of a step and divides once, by the step's number of tokens.
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
    """A loss summed over target tokens."""

    total: Float[Tensor, ""]  # differentiated
    count: int  # target tokens
    parts: dict[str, Float[Tensor, ""]] = field(default_factory=dict)  # reported sums

    def plus(self, name: str, term: Float[Tensor, ""]) -> Loss:
        """Return this loss with one more term."""
        return Loss(self.total + term, self.count, {**self.parts, name: term.detach()})


class CrossEntropy(nn.Module):
    """L = −Σ_t [(1 − ε) log p(y_t) + ε/V Σ_v log p(v)]

    Cross-entropy with label smoothing ε (Szegedy et al. 2016, 7).
    """

    def __init__(self, smoothing: float = 0.0) -> None:
        super().__init__()
        self.smoothing = smoothing
        self.chunked = True  # compute logits in chunks; False: all at once

    def forward(self, decoded: Decoded, readout: nn.Linear, target: Tokens) -> Loss:
        hidden, real = flatten_targets(decoded, target)
        total, logps = cross_entropy(
            hidden, readout, target.ids[real], self.smoothing, chunked=self.chunked
        )
        return Loss(total, logps.numel(), {"nll": -logps.sum()})


class Reinforce(nn.Module):
    """L = CE − Σ_t [λ (R − b) log p(s_t) + μ H(s_t)],  R = log p(y),  b ← 0.9 b + 0.1 R

    For hard attention (Xu et al. 2015, 4.1, eq. 11 and 12). The reward R of the sampled positions
    s_t is the log-likelihood of the sentence; the baseline b is its moving average. R and b are per
    token, so that they do not depend on the sentence length.
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
        assert decoded.sampled is not None, "Reinforce requires hard attention"
        hidden, real = flatten_targets(decoded, target)
        total, logps = cross_entropy(
            hidden, readout, target.ids[real], self.smoothing, chunked=self.chunked
        )
        padded = torch.zeros_like(real, dtype=logps.dtype).masked_scatter(real, logps)  # B T
        reward = padded.sum(dim=1) / real.sum(dim=1)  # B
        if self.training:
            self.baseline.mul_(0.9).add_(reward.mean(), alpha=0.1)
        advantage = (reward - self.baseline)[:, None]
        policy = -(advantage * decoded.sampled.logp * real).sum()
        negative_entropy = -(decoded.sampled.entropy * real).sum()
        loss = Loss(total, logps.numel(), {"nll": -logps.sum()})
        return loss.plus("policy", self.reward * policy).plus(
            "entropy", self.entropy * negative_entropy
        )


class AttentionRegularizer:
    """A loss on the weights of an attention layer, which it records while the model runs.

    Example:
        with regularizer.recording():
            decoded = model(source, target)
        loss = objective(decoded, readout, target).plus("coverage", regularizer.loss(target))
    """

    def __init__(self, attention: Attention, strength: float = 1.0) -> None:
        self.attention, self.strength = attention, strength
        self._weights: list[Float[Tensor, "B H T S"]] = []

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record the attention weights inside this context."""

        def record(output: AttentionOutput) -> None:
            assert output.weights is not None
            self._weights.append(output.weights)

        self._weights = []
        with self.attention.record(record):
            yield

    def _take_weights(self) -> Float[Tensor, "B H T S"]:
        """Return the recorded weights of all steps and clear the record."""
        weights, self._weights = torch.cat(self._weights, dim=2), []
        return weights


class CoverageLoss(AttentionRegularizer):
    """λ Σ_s (1 − Σ_t α_ts)²

    The doubly stochastic regularizer: over a caption, each region receives the same total weight
    (Xu et al. 2015, eq. 14).
    """

    def loss(self, target: Tokens) -> Float[Tensor, ""]:
        total = (self._take_weights() * target_mask(target)[:, None, :, None]).sum(dim=2)  # B H S
        return self.strength * ((1 - total) ** 2).sum()


class GuidedAlignmentLoss(AttentionRegularizer):
    """−λ Σ_t Σ_s a_ts log α_ts  (Garg et al. 2019)

    a_t is uniform over the source positions that step t is linked to. It is zero where nothing is
    known about the step.
    """

    def __init__(self, attention: Attention, head: int | None, strength: float) -> None:
        super().__init__(attention, strength)
        self.head = head  # None: the mean of all heads

    def loss(self, wanted: Float[Tensor, "B T S"]) -> Float[Tensor, ""]:
        heads = self._take_weights().float()  # bf16 is too coarse for a logarithm
        weights = heads.mean(dim=1) if self.head is None else heads[:, self.head]
        # a weight may be rounded to zero, and 0 · log 0 is not a number
        logs = weights.clamp(min=torch.finfo(weights.dtype).tiny).log()
        return -self.strength * (wanted * logs).sum()


def flatten_targets(
    decoded: Decoded, target: Tokens
) -> tuple[Float[Tensor, "N E"], Bool[Tensor, "B T"]]:
    """Return the hidden states at non-padding targets, and the mask of those targets."""
    real = target_mask(target)
    return decoded.hidden[real], real


def target_mask(target: Tokens) -> Bool[Tensor, "B T"]:
    """Return a mask that is False at padding."""
    if target.lengths is None:
        return torch.ones_like(target.ids, dtype=torch.bool)
    steps = torch.arange(target.ids.size(1), device=target.ids.device)
    return steps < target.lengths[:, None]
