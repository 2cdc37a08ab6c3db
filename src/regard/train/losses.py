"""Losses, and the module that a trainer trains.

A mean would give the tokens of a short batch more weight than others. The trainer adds up the sums
of all batches and processes of a step and divides once, by the step's number of tokens.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from regard.attention import Attention, AttentionOutput
from regard.attention.shapes import compute_dtype
from regard.batch import Tokens
from regard.data.loading.loader import Cursor, TrainingStep
from regard.models import eval_mode
from regard.nn.interfaces import Decoded
from regard.train.events import Scores

# -- cross-entropy of an output layer without materializing all logits -----------------------------


LOGITS_AT_ONCE = 1 << 22  # smaller chunks add up gradients more often
ROWS = 64  # the last chunk is padded to a multiple: oneDNN compiles a kernel for each new shape


def cross_entropy(
    hidden: Float[Tensor, "N E"],
    readout: nn.Linear,
    target: Int[Tensor, " N"],
    smoothing: float,
    *,
    chunked: bool = True,
) -> tuple[Float[Tensor, ""], Float[Tensor, " N"]]:
    """Return the summed, label-smoothed cross-entropy and log p of each target.

    With `chunked`, the loss and its gradients are computed for a chunk of logits at a time, so the
    N × V matrix never exists.
    """
    weight, bias = readout.weight, readout.bias
    if chunked:
        trained = any(x is not None and x.requires_grad for x in (hidden, weight, bias))
        needs_grad = torch.is_grad_enabled() and trained
        return _ChunkedCrossEntropy.apply(hidden, weight, bias, target, smoothing, needs_grad)
    logits = readout(hidden)
    logp = logits.log_softmax(dim=-1, dtype=_at_least_fp32(logits))
    target_logp = logp.gather(1, target[:, None])[:, 0]
    total = -(1 - smoothing) * target_logp.sum()
    if smoothing:
        total = total - smoothing * logp.mean(dim=-1).sum()
    return total, target_logp.detach()


class _ChunkedCrossEntropy(torch.autograd.Function):
    """Cross-entropy whose forward pass also computes the gradients.

    The gradient of a logit is p_v − (1 − ε) [v = y] − ε/V. Matrix products use autocast's
    precision, sums use fp32. The terms that are equal for all words, ε/V and the mean of the
    logits, are added at the end.
    """

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Float[Tensor, "N E"],
        weight: Float[Tensor, "V E"],
        bias: Float[Tensor, " V"] | None,
        target: Int[Tensor, " N"],
        smoothing: float,
        needs_grad: bool,
    ) -> tuple[Float[Tensor, ""], Float[Tensor, " N"]]:
        count, vocabulary = hidden.size(0), weight.size(0)
        precision, exact = compute_dtype(weight), _at_least_fp32(weight)
        most = LOGITS_AT_ONCE // vocabulary
        rows = most // ROWS * ROWS or max(1, most)
        extra = min(-count % ROWS, -count % rows)
        with torch.autocast(hidden.device.type, enabled=False):
            states, words = F.pad(hidden.to(precision), (0, 0, 0, extra)), weight.to(precision)
            offsets = torch.zeros_like(words[:, 0]) if bias is None else bias.to(precision)
            targets = F.pad(target, (0, extra))
            target_logits, logps = states.new_empty((2, count + extra), dtype=exact)
            tiny = torch.finfo(exact).tiny  # keeps log p finite, at −87 nats
            if needs_grad:
                to_hidden = torch.empty_like(states, dtype=exact)
                to_weight = torch.zeros_like(weight, dtype=exact)
                to_bias = torch.zeros_like(offsets, dtype=exact)
            for i in range(0, count, rows):
                chunk = slice(i, i + rows)
                logits = F.linear(states[chunk], words, offsets)
                at = torch.arange(len(logits), device=target.device), targets[chunk]
                target_logits[chunk] = logits[at]
                grad = logits.softmax(dim=-1)
                p = grad[at].to(exact)
                logps[chunk] = p.clamp(min=tiny).log()
                if not needs_grad:
                    continue
                # `scatter_` would copy all of it in bf16
                grad[at] = (p - (1 - smoothing)).to(precision)
                grad[max(0, count - i) :] = 0
                to_hidden[chunk] = grad @ words
                if precision == exact:
                    to_weight.addmm_(grad.T, states[chunk])
                else:
                    to_weight += grad.T @ states[chunk]
                to_bias += grad.sum(dim=0)
            target_logits, logps = target_logits[:count], logps[:count]
            total = -(1 - smoothing) * logps.sum()
            if smoothing:
                summed = hidden.sum(dim=0, dtype=exact)
                mean = summed @ weight.mean(dim=0, dtype=exact) + count * offsets.mean(dtype=exact)
                total -= smoothing * (mean - (target_logits - logps).sum())
            if smoothing and needs_grad:
                uniform = smoothing / vocabulary
                to_hidden -= uniform * weight.sum(dim=0, dtype=exact)
                to_weight -= uniform * summed
                to_bias -= uniform * count
        if needs_grad:
            ctx.save_for_backward(
                to_hidden[:count], to_weight, to_bias if bias is not None else None
            )
        ctx.mark_non_differentiable(logps)
        return total, logps

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, upstream: Float[Tensor, ""], _: Any
    ) -> tuple[Tensor, Tensor, Tensor | None, None, None, None]:
        to_hidden, to_weight, to_bias = ctx.saved_tensors
        return (
            upstream * to_hidden,
            upstream * to_weight,
            None if to_bias is None else upstream * to_bias,
            None,
            None,
            None,
        )


def _at_least_fp32(x: Tensor) -> torch.dtype:
    return torch.promote_types(x.dtype, torch.float32)


# -- losses ----------------------------------------------------------------------------------------


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


# -- the interface between the trainer and a task --------------------------------------------------
# `TrainingModule` and `BatchStream`.


B = TypeVar("B")
B_co = TypeVar("B_co", covariant=True)


@runtime_checkable
class BatchStream(Protocol[B_co]):
    """An endless stream of training steps that can start at any cursor, such as a `Loader`."""

    def steps(self, cursor: Cursor) -> Generator[TrainingStep[B_co], None, None]:
        """Yield the steps after `cursor`, without end."""

    def state(self, cursor: Cursor) -> dict[str, int | str]:
        """Return the cursor as JSON values, for a checkpoint."""

    def cursor(self, state: Mapping[str, int | str]) -> Cursor:
        """Return the cursor that `state` describes.

        Raises:
            ArtifactError: the data have changed since.
        """


class TrainingModule(nn.Module, ABC, Generic[B]):
    """A model, its loss and its data. `forward` returns the loss of a batch.

    The loss is a sum over the predictions of the batch. The trainer divides it once, by the count
    of the whole step.
    """

    model: nn.Module
    objective: nn.Module  # saved with the model: it may have buffers, such as REINFORCE's baseline
    epoch_tokens: int  # target tokens per epoch
    facts: dict[str, str]  # lines of the run's plan

    @abstractmethod
    def forward(self, batch: B) -> Loss:
        """Return the loss of a batch, summed over its target tokens."""

    @abstractmethod
    def stream(self, rank: int, world: int) -> BatchStream[B]:
        """Return the batches of process `rank` out of `world` processes."""

    @abstractmethod
    def validate(self) -> Scores:
        """Return the current scores of the model. All processes call it and get the same scores."""

    def estimate_validation(self) -> float:
        """Return the seconds of a validation of a trained model; the model may be untrained."""
        clock = time.perf_counter()
        with eval_mode(self), torch.no_grad():
            self.validate()
        return time.perf_counter() - clock

    if TYPE_CHECKING:
        __call__ = forward
