"""Searches refuse what they cannot do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch

from regard.batch import Tokens
from regard.nn.pooling import BLOCK, length_blocks
from regard.search import beam, forbid_sequences, greedy, min_length, reorder, sample
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


def test_contradictory_constraints_are_refused() -> None:
    constraints = [forbid_sequences([[0], [1], [3]]), min_length(3, eos=2)]
    with pytest.raises(ValueError, match="constraints"):
        greedy(step, torch.zeros(1, 1), rows=1, **ENDS, constraints=constraints)
    with pytest.raises(ValueError, match="constraints"):
        beam(step, torch.zeros(1, 1), rows=1, beam_size=2, **ENDS, constraints=constraints)


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
    assert all(each.kept.ge(0).all() for each in steps[:-1])
    assert steps[-1].kept.eq(-1).all()  # none after the end


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
