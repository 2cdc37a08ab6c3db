"""Greedy search and sampling."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from regard.hypothesis import Hypothesis
from regard.search.step import (
    Constraint,
    Logps,
    S,
    Sentence,
    Step,
    constrained_logps,
    reorder,
    tokens_before_eos,
)

# -- greedy search, and the decoding loop that it shares with sampling -----------------------------


def greedy(
    step: Step[S],
    state: S,
    *,
    rows: int,
    bos: int,
    eos: int,
    max_length: int,
    constraints: Sequence[Constraint] = (),
    device: torch.device | str = "cpu",
) -> list[Hypothesis]:
    """Take the most likely next token at each step. Scores are Σ log p."""

    def best(logp: Logps, sentence: Sentence) -> Int[Tensor, " N"]:
        return logp.argmax(dim=-1)

    return decode_stepwise(step, state, best, rows, bos, eos, max_length, constraints, device)


@torch.inference_mode()
def decode_stepwise(
    step: Step[S],
    state: S,
    choose: Callable[[Logps, Sentence], Int[Tensor, " N"]],
    rows: int,
    bos: int,
    eos: int,
    max_length: int,
    constraints: Sequence[Constraint],
    device: torch.device | str,
) -> list[Hypothesis]:
    """Extend one hypothesis per sentence, token by token, until all have ended."""
    sentence = torch.arange(rows, device=device)  # N: sentences that have not ended
    last = torch.full((rows,), bos, device=device)
    prefix = torch.full((rows, max_length + 1), eos, device=device)
    prefix[:, 0] = bos
    logps = torch.zeros(rows, max_length, device=device)
    lengths = torch.full((rows,), max_length, device=device)
    for t in range(max_length):
        logits, state = step(last, state)
        logp = constrained_logps(logits, constraints, prefix[sentence, : t + 1], sentence)
        last = choose(logp, sentence)
        prefix[sentence, t + 1] = last
        logps[sentence, t] = logp.gather(1, last[:, None])[:, 0].to(logps)
        ended = last == eos
        lengths[sentence[ended]] = t + 1
        if ended.all():
            break
        if ended.any():
            alive = (~ended).nonzero()[:, 0]
            state, last, sentence = reorder(state, alive, alive), last[alive], sentence[alive]
    return [
        Hypothesis(
            tokens_before_eos(tokens[1 : n + 1], eos),
            tuple(steps[:n]),
            sum(steps[:n]),
            eos in tokens[1 : n + 1],
        )
        for tokens, steps, n in zip(prefix.tolist(), logps.tolist(), lengths.tolist(), strict=True)
    ]


# -- sample ----------------------------------------------------------------------------------------


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
