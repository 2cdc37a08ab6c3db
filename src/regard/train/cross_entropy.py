"""The cross-entropy of a readout without all of its logits."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from regard.attention.kernels.precision import compute_dtype

LOGITS_AT_ONCE = 1 << 22  # fewer would be faster to norm, but gradients be added up more often
ROWS = 64  # the last chunk has a multiple of it: each new shape is a new kernel to be compiled


def cross_entropy(
    hidden: Float[Tensor, "N E"],
    readout: nn.Linear,
    target: Int[Tensor, " N"],
    smoothing: float,
    *,
    chunked: bool = True,
) -> tuple[Float[Tensor, ""], Float[Tensor, " N"]]:
    """The smoothed cross-entropy, summed, and log p of each target.

    Chunked, never all N × V logits: some of them are made, used for the loss and for its gradients,
    and forgotten.
    """
    weight, bias = readout.weight, readout.bias
    if chunked:
        learns = torch.is_grad_enabled() and (hidden.requires_grad or weight.requires_grad)
        return _ChunkedCrossEntropy.apply(hidden, weight, bias, target, smoothing, learns)
    logits = readout(hidden)
    logp = logits.log_softmax(dim=-1, dtype=_at_least_fp32(logits))
    hit = logp.gather(1, target[:, None])[:, 0]
    total = -(1 - smoothing) * hit.sum()
    if smoothing:
        total = total - smoothing * logp.mean(dim=-1).sum()
    return total, hit.detach()


class _ChunkedCrossEntropy(torch.autograd.Function):
    """The slope of a logit is p_v − (1 − ε) [v = y] − ε/V.

    Matrix products are in autocast's precision, where it is on; what is summed up is in fp32. What
    is the same for all words, ε/V of the slope and the mean of the logits, comes in at the end.
    """

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Float[Tensor, "N E"],
        weight: Float[Tensor, "V E"],
        bias: Float[Tensor, " V"] | None,
        target: Int[Tensor, " N"],
        smoothing: float,
        learns: bool,
    ) -> tuple[Float[Tensor, ""], Float[Tensor, " N"]]:
        count, vocabulary = hidden.size(0), weight.size(0)
        precision, exact = compute_dtype(weight), _at_least_fp32(weight)
        most = LOGITS_AT_ONCE // vocabulary
        rows = most // ROWS * ROWS or max(1, most)
        extra = min(-count % ROWS, -count % rows)
        with torch.autocast(hidden.device.type, enabled=False):
            said, words = F.pad(hidden.to(precision), (0, 0, 0, extra)), weight.to(precision)
            offsets = torch.zeros_like(words[:, 0]) if bias is None else bias.to(precision)
            meant = F.pad(target, (0, extra))
            hits, logps = said.new_empty((2, count + extra), dtype=exact)
            tiny = torch.finfo(exact).tiny  # no target is less likely: 87 nats are bad enough
            if learns:
                to_hidden = torch.empty_like(said, dtype=exact)
                to_weight = torch.zeros_like(weight, dtype=exact)
                to_bias = torch.zeros_like(offsets, dtype=exact)
            for i in range(0, count, rows):
                here = slice(i, i + rows)
                logits = F.linear(said[here], words, offsets)
                at = torch.arange(len(logits), device=target.device), meant[here]
                hits[here] = logits[at]
                slope = logits.softmax(dim=-1)
                p = slope[at].to(exact)
                logps[here] = p.clamp(min=tiny).log()
                if not learns:
                    continue
                slope[at] = (p - (1 - smoothing)).to(precision)  # in bf16 `scatter_` copies it all
                slope[max(0, count - i) :] = 0
                to_hidden[here] = slope @ words
                if precision == exact:
                    to_weight.addmm_(slope.T, said[here])
                else:
                    to_weight += slope.T @ said[here]
                to_bias += slope.sum(dim=0)
            hits, logps = hits[:count], logps[:count]
            total = -(1 - smoothing) * logps.sum()
            if smoothing:
                spoken = hidden.sum(dim=0, dtype=exact)
                mean = spoken @ weight.mean(dim=0) + count * offsets.mean(dtype=exact)
                total -= smoothing * (mean - (hits - logps).sum())
            if smoothing and learns:
                each = smoothing / vocabulary
                to_hidden -= each * weight.sum(dim=0)
                to_weight -= each * spoken
                to_bias -= each * count
        if learns:
            found = to_bias if bias is not None else None
            ctx.save_for_backward(to_hidden[:count], to_weight, found)
        ctx.mark_non_differentiable(logps)
        return total, logps

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, slope: Float[Tensor, ""], _: Any
    ) -> tuple[Tensor, Tensor, Tensor | None, None, None, None]:
        to_hidden, to_weight, to_bias = ctx.saved_tensors
        return (
            slope * to_hidden,
            slope * to_weight,
            None if to_bias is None else slope * to_bias,
            None,
            None,
            None,
        )


def _at_least_fp32(x: Tensor) -> torch.dtype:
    return torch.promote_types(x.dtype, torch.float32)
