"""Constraints: they change the log-probabilities of the next token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor

Prefix: TypeAlias = Int[Tensor, "N T"]  # the tokens of each row so far, without BOS
Sentence: TypeAlias = Int[Tensor, " N"]  # the sentence that each row translates
Logps: TypeAlias = Float[Tensor, "N V"]
Constraint: TypeAlias = Callable[[Prefix, Sentence, Logps], Logps]


def min_length(length: int, eos: int) -> Constraint:
    """No end before `length` tokens."""

    def constrain(prefix: Prefix, sentence: Sentence, logp: Logps) -> Logps:
        if prefix.size(1) >= length:
            return logp
        return logp.index_fill(1, torch.tensor([eos], device=logp.device), -torch.inf)

    return constrain


def forbid_sequences(sequences: Sequence[Sequence[int]]) -> Constraint:
    """None of these token sequences, each of at least one token."""
    single = torch.tensor([ids[0] for ids in sequences if len(ids) == 1], dtype=torch.long)
    longer = [ids for ids in sequences if len(ids) > 1]

    def constrain(prefix: Prefix, sentence: Sentence, logp: Logps) -> Logps:
        logp = logp.index_fill(1, single.to(logp.device), -torch.inf)
        for *beginning, last in longer:
            end = prefix[:, max(0, prefix.size(1) - len(beginning)) :]
            if end.size(1) == len(beginning):
                begun = (end == end.new_tensor(beginning)).all(dim=1)
                logp[:, last].masked_fill_(begun, -torch.inf)
        return logp

    return constrain


def no_repeat_ngram(size: int) -> Constraint:
    """No sequence of `size` tokens twice."""

    def constrain(prefix: Prefix, sentence: Sentence, logp: Logps) -> Logps:
        if prefix.size(1) < size:
            return logp
        ngrams = prefix.unfold(1, size, 1)  # N G size
        begun = prefix[:, prefix.size(1) - size + 1 :]  # N size−1: the next token completes it
        row, ngram = (ngrams[..., :-1] == begun[:, None]).all(dim=-1).nonzero(as_tuple=True)
        repeated = torch.zeros_like(logp, dtype=torch.bool)
        repeated[row, ngrams[row, ngram, -1]] = True
        return logp.masked_fill(repeated, -torch.inf)

    return constrain


def force_prefix(prefixes: Sequence[Sequence[int]]) -> Constraint:
    """Begin each sentence's translation with its prefix, which may be empty."""
    longest = max((len(prefix) for prefix in prefixes), default=0)
    free = -1
    table = torch.tensor([[*p, *[free] * (longest - len(p))] for p in prefixes], dtype=torch.long)

    def constrain(prefix: Prefix, sentence: Sentence, logp: Logps) -> Logps:
        if prefix.size(1) >= longest:
            return logp
        forced = table.to(logp.device)[sentence, prefix.size(1), None]  # N 1
        not_forced = torch.arange(logp.size(1), device=logp.device) != forced  # N V
        return logp.masked_fill(not_forced & (forced != free), -torch.inf)

    return constrain
