"""Sampling: each next token is drawn from the model's distribution."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from regard.hypothesis import Hypothesis
from regard.search.constraints import Constraint, Logps, Sentence
from regard.search.greedy import decode_stepwise
from regard.search.step import S, Step


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
    """Draw each next token from softmax(logits / temperature), restricted to the top tokens.

    `top_k` keeps the k most likely tokens, `top_p` the fewest that together have that probability
    (Holtzman et al. 2020, 3.1). Each sentence has its own seed, so its draws do not depend on the
    other sentences. Scores are Σ log p of the model itself.
    """
    if temperature <= 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        raise ValueError(
            "Sampling needs temperature > 0, top_k >= 1 and 0 < top_p <= 1, "
            f"not {temperature}, {top_k} and {top_p}."
        )
    generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def draw(logp: Logps, sentence: Sentence) -> Int[Tensor, " N"]:
        p = _truncate(logp / temperature, top_k, top_p).softmax(dim=-1)
        point = torch.stack([torch.rand((), generator=generators[b]) for b in sentence.tolist()])
        below = p.cumsum(dim=-1) <= point.to(p)[:, None] * p.sum(dim=-1, keepdim=True)
        # Rounding can put the point beyond all tokens.
        last = p.size(-1) - 1 - p.flip(-1).gt(0).int().argmax(dim=-1)
        return below.sum(dim=-1).minimum(last)

    return decode_stepwise(step, state, draw, len(seeds), bos, eos, max_length, constraints, device)


def _truncate(logp: Logps, top_k: int | None, top_p: float) -> Logps:
    if top_k is not None and top_k < logp.size(-1):
        logp = logp.masked_fill(logp < logp.topk(top_k).values[:, -1:], -torch.inf)
    if top_p < 1.0:
        descending, order = logp.softmax(dim=-1).sort(dim=-1, descending=True)
        dropped = descending.cumsum(dim=-1) - descending >= top_p  # enough without this token
        logp = logp.masked_fill(dropped.gather(-1, order.argsort(dim=-1)), -torch.inf)
    return logp
