"""Cross-entropy of an output layer without materializing all logits."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from regard.attention.precision import compute_dtype

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
