"""The step function that extends hypotheses, and the log-probabilities of the next token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.errors import ConfigError
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
    """Log-probabilities of the next token, in at least fp32; `prefix` begins with BOS.

    Raises:
        ConfigError: The constraints leave no token for any hypothesis of a sentence.
    """
    logp = logits.to(torch.promote_types(logits.dtype, torch.float32)).log_softmax(dim=-1)
    for constraint in constraints:
        logp = constraint(prefix[:, 1:], sentence, logp)
    possible = ~logp.isneginf().all(dim=-1) if constraints else None  # N
    if possible is not None and not torch.isin(sentence, sentence[possible]).all():
        raise ConfigError(
            f"constraints: after {prefix.size(1) - 1} tokens they exclude every token. Lower "
            "min_length, raise no_repeat_ngram, or forbid less."
        )
    return logp


def tokens_before_eos(tokens: list[int], eos: int) -> tuple[int, ...]:
    return tuple(tokens[: tokens.index(eos)] if eos in tokens else tokens)
