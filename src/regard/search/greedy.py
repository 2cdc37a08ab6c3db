"""Greedy search, and the decoding loop that it shares with sampling."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from regard.hypothesis import Hypothesis
from regard.search.constraints import Constraint, Logps, Sentence
from regard.search.state import reorder
from regard.search.step import S, Step, constrained_logps, tokens_before_eos


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
