"""The step function that extends hypotheses, and the log-probabilities of the next token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.search.constraints import Constraint, Logps, Prefix, Sentence

S = TypeVar("S")

Step: TypeAlias = Callable[[Int[Tensor, " N"], S], tuple[Float[Tensor, "N V"], S]]
"""Maps the last tokens and the state before them to next-token logits and the state after them."""


def constrained_logps(
    logits: Float[Tensor, "N V"],
    constraints: Sequence[Constraint],
    prefix: Prefix,
    sentence: Sentence,
) -> Logps:
    """Log-probabilities of the next token, in at least fp32; `prefix` begins with BOS."""
    logp = logits.to(torch.promote_types(logits.dtype, torch.float32)).log_softmax(dim=-1)
    for constraint in constraints:
        logp = constraint(prefix[:, 1:], sentence, logp)
    if constraints and logp.isneginf().all(dim=-1).any():
        raise ValueError("The constraints contradict each other: they leave no token to choose.")
    return logp


def tokens_before_eos(tokens: list[int], eos: int) -> tuple[int, ...]:
    return tuple(tokens[: tokens.index(eos)] if eos in tokens else tokens)
