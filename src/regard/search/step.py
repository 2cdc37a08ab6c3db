"""The step of a search: decoder states, log-probabilities, constraints, ensembles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeAlias, TypedDict, TypeVar, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.errors import ConfigError

# -- reordering decoder states ---------------------------------------------------------------------
# A decoder state is a tree of tensors (frozen dataclasses and tuples) whose first dimension is the
# batch. Its field `source` has one row per sentence, shared by the hypotheses of the sentence. All
# other tensors have one row per hypothesis.


S = TypeVar("S")


def reorder(state: S, rows: Int[Tensor, " N"], sentences: Int[Tensor, " B"] | None = None) -> S:
    """Select `rows` of the state: to copy, reorder or drop hypotheses.

    `source` stays as it is, unless `sentences` selects the sentences to keep.
    """
    if isinstance(state, Tensor):
        return cast(S, state.index_select(0, rows))
    if isinstance(state, tuple):
        return cast(S, tuple(reorder(part, rows, sentences) for part in state))
    if state is None or isinstance(state, int):
        return state
    if not is_dataclass(state) or isinstance(state, type):
        raise TypeError(f"a decoder state consists of tensors, tuples, dataclasses, not {state!r}")
    changed: dict[str, object] = {}
    for field in fields(state):
        value = getattr(state, field.name)
        if field.name != "source":
            changed[field.name] = reorder(value, rows, sentences)
        elif sentences is not None:
            changed[field.name] = reorder(value, sentences, sentences)
    return cast(S, replace(cast(Any, state), **changed))


# -- constraints -----------------------------------------------------------------------------------
# They change the log-probabilities of the next token.


Prefix: TypeAlias = Int[Tensor, "N T"]  # the tokens of each row so far, without BOS
Sentence: TypeAlias = Int[Tensor, " N"]  # the sentence that each row translates
Logps: TypeAlias = Float[Tensor, "N V"]
Constraint: TypeAlias = Callable[[Prefix, Sentence, Logps], Logps]


class DecodingArguments(TypedDict):
    """The arguments that all searches have."""

    bos: int
    eos: int
    max_length: int
    constraints: Sequence[Constraint]
    device: torch.device | str


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


# -- step ------------------------------------------------------------------------------------------


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


# -- ensembles: several models as one step function ------------------------------------------------


def ensemble(steps: Sequence[Step[Any]]) -> Step[tuple[Any, ...]]:
    """p(y) = mean of p_m(y) over the models m; the state is the tuple of their states."""

    def step(
        last: Int[Tensor, " N"], states: tuple[Any, ...]
    ) -> tuple[Float[Tensor, "N V"], tuple[Any, ...]]:
        outputs = [member(last, state) for member, state in zip(steps, states, strict=True)]
        logps = torch.stack([logits.log_softmax(dim=-1) for logits, _ in outputs])
        return logps.logsumexp(dim=0), tuple(state for _, state in outputs)

    return step
