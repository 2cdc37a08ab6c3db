"""Sampling: each next token is drawn from the model's distribution."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.search.constraints import Constraint
from regard.search.greedy import decode_stepwise
from regard.search.hypothesis import Hypothesis, S, Step


def sample(
    step: Step[S],
    state: S,
    *,
    seeds: Sequence[int],
    bos: int,
    eos: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    constraints: Sequence[Constraint] = (),
    device: torch.device | str = "cpu",
) -> list[Hypothesis]:
    """A next token drawn from the distribution, sharpened by `temperature` and cut to its top.

    `top_k` keeps the k likeliest tokens, `top_p` the fewest that together have that probability
    (Holtzman et al. 2020, 3.1). Each sentence has a seed of its own, so that what is drawn for it
    does not depend on its neighbours. The scores are the model's own.
    """
    streams = [torch.Generator().manual_seed(seed) for seed in seeds]

    def draw(logp: Float[Tensor, "N V"], sentence: Int[Tensor, " N"]) -> Int[Tensor, " N"]:
        p = _truncate(logp / temperature, top_k, top_p).softmax(dim=-1)
        point = torch.stack([torch.rand((), generator=streams[b]) for b in sentence.tolist()])
        passed = p.cumsum(dim=-1) <= point.to(p)[:, None] * p.sum(dim=-1, keepdim=True)
        return passed.sum(dim=-1).clamp(max=p.size(-1) - 1)

    return decode_stepwise(step, state, draw, len(seeds), bos, eos, max_length, constraints, device)


def _truncate(logp: Float[Tensor, "N V"], top_k: int | None, top_p: float) -> Float[Tensor, "N V"]:
    if top_k is not None and top_k < logp.size(-1):
        logp = logp.masked_fill(logp < logp.topk(top_k).values[:, -1:], -torch.inf)
    if top_p < 1.0:
        falling, order = logp.softmax(dim=-1).sort(dim=-1, descending=True)
        enough = falling.cumsum(dim=-1) - falling >= top_p  # without it there was enough already
        logp = logp.masked_fill(enough.gather(-1, order.argsort(dim=-1)), -torch.inf)
    return logp
