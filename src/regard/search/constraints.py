"""What may be said next: rules that change the log-probabilities of the next token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor

Constraint: TypeAlias = Callable[
    [Int[Tensor, "N T"], Int[Tensor, " N"], Float[Tensor, "N V"]], Float[Tensor, "N V"]
]
"""What was said in each row (without the mark of beginning), the sentence that each row translates,
and the log-probabilities of the next token, to the same changed."""


def min_length(length: int, eos: int) -> Constraint:
    """No end before `length` tokens were said."""

    def rule(
        said: Int[Tensor, "N T"], sentence: Int[Tensor, " N"], logp: Float[Tensor, "N V"]
    ) -> Float[Tensor, "N V"]:
        if said.size(1) >= length:
            return logp
        return logp.index_fill(1, torch.tensor([eos], device=logp.device), -torch.inf)

    return rule


def forbid_tokens(tokens: Sequence[int]) -> Constraint:
    """Never say any of `tokens`."""
    banned = torch.tensor(list(tokens), dtype=torch.long)

    def rule(
        said: Int[Tensor, "N T"], sentence: Int[Tensor, " N"], logp: Float[Tensor, "N V"]
    ) -> Float[Tensor, "N V"]:
        return logp.index_fill(1, banned.to(logp.device), -torch.inf)

    return rule


def no_repeat_ngram(size: int) -> Constraint:
    """Never say the same `size` tokens in a row twice."""

    def rule(
        said: Int[Tensor, "N T"], sentence: Int[Tensor, " N"], logp: Float[Tensor, "N V"]
    ) -> Float[Tensor, "N V"]:
        if said.size(1) < size:
            return logp
        grams = said.unfold(1, size, 1)  # N G size
        begun = said[:, said.size(1) - size + 1 :]  # N size−1: what the next token would complete
        again = (grams[..., :-1] == begun[:, None]).all(dim=-1)  # N G
        heard = torch.zeros_like(logp, dtype=torch.bool)
        row, gram = again.nonzero(as_tuple=True)
        heard[row, grams[row, gram, -1]] = True
        return logp.masked_fill(heard, -torch.inf)

    return rule


def force_prefix(prefixes: Sequence[Sequence[int]]) -> Constraint:
    """Begin the translation of each sentence with the tokens given for it; an empty one is free."""
    longest = max((len(prefix) for prefix in prefixes), default=0)
    free = -1
    table = torch.tensor([[*p, *[free] * (longest - len(p))] for p in prefixes], dtype=torch.long)

    def rule(
        said: Int[Tensor, "N T"], sentence: Int[Tensor, " N"], logp: Float[Tensor, "N V"]
    ) -> Float[Tensor, "N V"]:
        if said.size(1) >= longest:
            return logp
        must = table.to(logp.device)[sentence, said.size(1), None]  # N 1
        others = torch.arange(logp.size(1), device=logp.device) != must  # N V
        return logp.masked_fill(others & (must != free), -torch.inf)

    return rule
