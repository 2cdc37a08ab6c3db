"""Searches refuse what they cannot do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from regard.batch import Tokens
from regard.errors import ConfigError
from regard.nn.image import BLOCK, length_blocks
from regard.search import (
    beam,
    forbid_sequences,
    greedy,
    min_length,
    no_repeat_ngram,
    reorder,
    sample,
)
from regard.search.beam import BeamStep

ENDS = {"bos": 1, "eos": 2, "max_length": 5}


def step(last: torch.Tensor, state: Any) -> tuple[torch.Tensor, Any]:
    return torch.tensor([[0.0, 1.0, 2.0, 3.0]]).expand(len(last), -1), state


@pytest.mark.parametrize(
    "options",
    [{"temperature": 0.0}, {"temperature": -1.0}, {"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.5}],
    ids=str,
)
def test_sampling_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="temperature"):
        sample(step, torch.zeros(1, 1), seeds=[1], **ENDS, **options)


def test_smallest_top_p_keeps_the_most_likely_token() -> None:
    (found,) = sample(step, torch.zeros(1, 1), seeds=[1], **ENDS, top_p=1e-9)
    assert found.tokens == (3,) * 5


P = np.array([0.05, 0.4, 0.3, 0.0, 0.15, 0.1])  # of the next token


def truncated(temperature: float, top_k: int | None, top_p: float) -> np.ndarray:
    """The distribution of which tokens are drawn (Holtzman et al. 2020, 3.1)."""
    p = P ** (1 / temperature)
    p /= p.sum()
    best = np.argsort(-p)
    if top_k is not None:
        p[best[top_k:]] = 0
        p /= p.sum()
    for count in range(1, len(p)):
        if p[best[:count]].sum() >= top_p:
            p[best[count:]] = 0
            break
    return p / p.sum()


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"),
    [
        *((1.0, None, top_p) for top_p in (1.0, 0.99, 0.86, 0.84, 0.71, 0.69, 0.39, 0.1)),
        *((1.0, top_k, 1.0) for top_k in (1, 2, 5, 6, 9)),
        *((temperature, None, 1.0) for temperature in (0.5, 2.0)),
        *((1.0, 3, 0.81), (1.0, 3, 0.84), (2.0, 4, 0.7), (0.5, 2, 0.99)),
    ],
)
def test_tokens_are_drawn_with_the_probabilities_that_the_options_leave(
    temperature: float, top_k: int | None, top_p: float
) -> None:
    draws = 2_000
    expected = truncated(temperature, top_k, top_p)

    def next_token(last: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.tensor(P).log().expand(len(last), -1), state

    options = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    ends = {"bos": 3, "eos": 3, "max_length": 1}
    found = sample(next_token, torch.zeros(draws, 1), seeds=range(draws), **ends, **options)
    tokens = [hypothesis.tokens[0] for hypothesis in found]
    counts = np.bincount(tokens, minlength=len(P))
    assert (counts > 0).tolist() == (expected > 0).tolist()
    deviation = np.sqrt(draws * expected * (1 - expected))
    assert (abs(counts - draws * expected) <= 4.5 * deviation).all(), counts
    # scores are those of the model itself
    assert [hypothesis.score for hypothesis in found] == pytest.approx(np.log(P[tokens]).tolist())


def test_contradictory_constraints_are_refused() -> None:
    constraints = [forbid_sequences([[0], [1], [3]]), min_length(3, eos=2)]
    one = {"step": step, "state": torch.zeros(1, 1), **ENDS, "constraints": constraints}
    for search in (
        lambda: greedy(**one, rows=1),
        lambda: beam(**one, rows=1, beam_size=2),
        lambda: sample(**one, seeds=[1]),
    ):
        with pytest.raises(ConfigError, match="constraints: after 0 tokens they exclude every"):
            search()
    repeated = [no_repeat_ngram(1), min_length(9, eos=2)]  # there are three other tokens
    for size in (1, 2, 3):
        with pytest.raises(ConfigError, match="constraints: after 3 tokens they exclude every"):
            beam(step, torch.zeros(1, 1), rows=1, beam_size=size, **ENDS, constraints=repeated)


def test_a_beam_goes_on_without_hypotheses_that_no_token_may_follow() -> None:
    def end_after_3(prefix: torch.Tensor, _: torch.Tensor, logp: torch.Tensor) -> torch.Tensor:
        return logp.masked_fill(prefix[:, -1:].eq(3), -torch.inf) if prefix.size(1) else logp

    (found,) = beam(step, torch.zeros(1, 1), rows=1, beam_size=2, **ENDS, constraints=[end_after_3])
    assert len(found) == 2 and all(np.isfinite(each.score) for each in found)
    assert not any(3 in each.tokens[:-1] for each in found)


def test_only_the_same_beginning_forbids_the_last_token() -> None:
    prefix = torch.tensor([[9, 5], [9, 6], [9, 4]])
    constrain = forbid_sequences([[5, 2]])
    logp = constrain(prefix, torch.arange(3), torch.zeros(3, 4))
    assert logp[:, 2].isneginf().tolist() == [True, False, False]
    assert logp[:, [0, 1, 3]].eq(0).all()


@pytest.mark.parametrize("search", ["greedy", "sample", "beam"])
def test_constraints_get_all_tokens_so_far(search: str) -> None:
    seen: list[list[list[int]]] = []

    def watch(prefix: torch.Tensor, sentence: torch.Tensor, logp: torch.Tensor) -> torch.Tensor:
        seen.append(prefix.tolist())
        return logp

    state = torch.zeros(1, 1)
    if search == "greedy":
        greedy(step, state, rows=1, **ENDS, constraints=[watch])
    elif search == "sample":
        sample(step, state, seeds=[1], **ENDS, top_p=1e-9, constraints=[watch])
    else:
        beam(step, state, rows=1, beam_size=1, **ENDS, constraints=[watch])
    assert seen == [[[3] * length] for length in range(5)]


def test_steps_of_a_beam_say_which_hypotheses_go_on() -> None:
    steps: list[BeamStep] = []
    beam(step, torch.zeros(1, 1), rows=1, beam_size=2, **ENDS, on_step=steps.append)
    assert all(each.survivors.ge(0).all() for each in steps[:-1])
    assert steps[-1].survivors.eq(-1).all()  # none after the end


@pytest.mark.parametrize("beam_size", [1, 2])
def test_a_search_ends_when_as_many_hypotheses_as_the_beam_have_ended(beam_size: int) -> None:
    """EOS is the likeliest token, so one hypothesis ends in each step. No gradient is kept."""
    weight = torch.zeros(1, requires_grad=True)
    made: list[BeamStep] = []

    def ending(last: torch.Tensor, state: Any) -> tuple[torch.Tensor, Any]:
        return torch.tensor([-9.0, -9.0, 2.0, 0.0]).expand(len(last), -1) + weight, state

    state = torch.zeros(1, 1)
    options = {"rows": 1, "beam_size": beam_size, "on_step": made.append}
    (found,) = beam(ending, state, **ENDS, **options)
    assert len(made) == len(found) == beam_size
    assert not any(each.totals.requires_grad or each.logps.requires_grad for each in made)


def test_states_with_other_containers_are_refused() -> None:
    @dataclass(frozen=True)
    class State:
        past: Any

    rows = torch.tensor([1, 0])
    assert reorder(State((torch.tensor([3, 4]), None, 5)), rows).past[0].tolist() == [4, 3]
    for wrong in ({"x": torch.zeros(2)}, [torch.zeros(2)]):
        with pytest.raises(TypeError, match="state"):
            reorder(State(wrong), rows)


def test_a_sentence_longer_than_a_block_is_a_block_of_its_own() -> None:
    lengths = torch.tensor([3, BLOCK + 1, 4])
    words = Tokens(torch.zeros(3, BLOCK + 1, dtype=torch.long), lengths)
    assert [rows.tolist() for rows in length_blocks(words)] == [[0, 2], [1]]
