"""The beam as a tree: it is what the search did, and telling of it changes nothing."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import pytest
import torch

from regard.batch import Tokens, pad
from regard.explain.beam_tree import BeamTree, build_beam_tree
from regard.search import BeamStep, Hypothesis, beam
from regard.text.tokenizer import BOS, EOS
from tests.tiny_models import tiny

MODELS = ["bahdanau", "luong-local-p", "sutskever", "transformer"]
LIMIT = 9  # some come to an end before it


SOURCES = [pad([[*ids, EOS]]) for ids in ([4, 5, 6, 7], [], [9, 9, 8, 10, 4, 5, 6])]


@pytest.fixture(scope="module", params=MODELS)
def model(request) -> Any:
    """Its choices differ, and some of what it says comes to an end."""
    lively = copy.deepcopy(tiny(request.param).model)
    with torch.no_grad():
        lively.readout.weight.mul_(10)
        lively.readout.bias[EOS] += 2
    return lively


@torch.inference_mode()
def search(model: Any, source: Tokens, width: int, alpha: float) -> list[Hypothesis]:
    ends = {"bos": BOS, "eos": EOS, "max_length": LIMIT}
    return beam(
        model.step, model.start(source), rows=1, beam_size=width, length_penalty=alpha, **ends
    )[0]


def depths(tree: BeamTree) -> list[int]:
    """Of each node, counted from 1."""
    found: list[int] = []
    for parent in tree.parents:
        found.append(1 if parent < 0 else found[parent] + 1)
    return found


@pytest.mark.parametrize(("width", "alpha"), [(1, 0.0), (4, 1.0)])
def test_the_best_path_is_the_best_hypothesis_and_nothing_is_changed_by_looking(
    model: Any, width: int, alpha: float
) -> None:
    for source in SOURCES:
        found, tree = build_beam_tree(
            model, source, beam_size=width, length_penalty=alpha, max_length=LIMIT
        )
        assert found == search(model, source, width, alpha)
        best = found[0]
        said = tuple(tree.tokens[node] for node in tree.best)
        assert said == (*best.tokens, EOS) if best.ended else best.tokens
        assert tuple(tree.logps[node] for node in tree.best) == best.logps
        assert tree.totals[tree.best[-1]] / len(tree.best) ** alpha == best.score
        assert [tree.parents[node] for node in tree.best] == [-1, *tree.best[:-1]]


@pytest.mark.parametrize("width", [1, 3])
def test_a_tree_is_what_a_beam_may_do(model: Any, width: int) -> None:
    for source in SOURCES:
        found, tree = build_beam_tree(
            model, source, beam_size=width, length_penalty=1.0, max_length=LIMIT
        )
        deep = depths(tree)
        assert deep == sorted(deep)
        for node, parent in enumerate(tree.parents):
            before = torch.tensor(0.0 if parent < 0 else tree.totals[parent])
            assert tree.totals[node] == float(before + torch.tensor(tree.logps[node]))
            assert parent < 0 or tree.fates[parent] == "kept"
        weighed = Counter(deep)
        assert max(weighed.values()) <= 2 * width
        fates = Counter(zip(deep, tree.fates, strict=True))
        assert all(n <= width for (_, fate), n in fates.items() if fate == "kept")
        # what was kept went on or lost to its siblings, but one of each length did go on
        for length in range(1, max(deep)):
            assert any(d == length and tree.fates[n] == "kept" for n, d in enumerate(deep))
        assert not any(d == max(deep) and tree.fates[n] == "kept" for n, d in enumerate(deep))
        whole = [n for n, fate in enumerate(tree.fates) if fate == "ended"]
        assert all(tree.tokens[n] == EOS or deep[n] == LIMIT for n in whole)
        scores = sorted((tree.totals[n] / deep[n] for n in whole), reverse=True)
        assert scores[:width] == [hypothesis.score for hypothesis in found]


def test_of_several_sentences_each_is_told_as_if_alone() -> None:
    """Not to the last bit, as rows of a larger batch are summed in another order."""
    small = tiny("transformer")

    def told(source: Tokens, rows: int) -> list[BeamStep]:
        heard: list[BeamStep] = []
        state = small.model.start(source)
        ends = {"bos": BOS, "eos": EOS, "max_length": 6}
        beam(small.model.step, state, rows=rows, beam_size=3, **ends, on_step=heard.append)
        return heard

    batch = [[4, 5, 6, EOS], [7, EOS], [9, 9, 8, 5, 4, EOS]]
    together = told(pad(batch), 3)
    for row, source in enumerate(batch):
        alone = told(pad([source]), 1)
        beside = [grown for grown in together if row in grown.sentences]
        assert len(alone) == len(beside)
        for one, other in zip(alone, beside, strict=True):
            at = other.sentences.index(row)
            for name in ("origins", "tokens", "ended", "kept"):
                assert getattr(one, name)[0].tolist() == getattr(other, name)[at].tolist()
            torch.testing.assert_close(one.totals[0], other.totals[at])


def test_with_fewer_tokens_than_ways_only_real_ways_are_nodes() -> None:
    small = tiny("bahdanau")
    found, tree = build_beam_tree(
        small.model, pad([[4, EOS]]), beam_size=40, length_penalty=1.0, max_length=3
    )
    assert len(found) == 40
    assert all(total > -torch.inf for total in tree.totals)
    assert Counter(depths(tree))[1] == 11  # the whole vocabulary


def test_a_tree_is_written_in_pieces() -> None:
    _, tree = build_beam_tree(
        tiny("transformer").model, pad([[4, EOS]]), beam_size=2, length_penalty=1.0, max_length=3
    )
    told = tree.to_record(lambda token: f"▁{token}")
    assert told["pieces"] == [f"▁{token}" for token in tree.tokens]
    assert "tokens" not in told
    assert (told["width"], told["best"], told["fates"]) == (2, tree.best, tree.fates)
