"""The beam tree shows what the search did, and recording it does not change the search."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import pytest
import torch

from regard.batch import Tokens, pad
from regard.explain.beam_tree import BeamTree, build_beam_tree
from regard.hypothesis import Hypothesis
from regard.search import BeamStep, beam
from regard.text.tokenizer import BOS, EOS
from tests.tiny_models import tiny

MODELS = ["bahdanau", "luong-local-p", "sutskever", "transformer"]
MAX_LENGTH = 9  # some hypotheses end earlier
SOURCES = [pad([[*ids, EOS]]) for ids in ([4, 5, 6, 7], [], [9, 9, 8, 10, 4, 5, 6])]


@pytest.fixture(scope="module", params=MODELS)
def model(request) -> Any:
    """A model whose hypotheses differ, and of which some end."""
    sharp = copy.deepcopy(tiny(request.param).model)
    with torch.no_grad():
        sharp.readout.weight.mul_(10)
        sharp.readout.bias[EOS] += 2
    return sharp


@torch.inference_mode()
def search(model: Any, source: Tokens, beam_size: int, length_penalty: float) -> list[Hypothesis]:
    ends = {"bos": BOS, "eos": EOS, "max_length": MAX_LENGTH}
    return beam(
        model.step,
        model.start(source),
        rows=1,
        beam_size=beam_size,
        length_penalty=length_penalty,
        **ends,
    )[0]


def depths(tree: BeamTree) -> list[int]:
    """The depth of each node, from 1."""
    depth: list[int] = []
    for parent in tree.parents:
        depth.append(1 if parent < 0 else depth[parent] + 1)
    return depth


@pytest.mark.parametrize(("beam_size", "length_penalty"), [(1, 0.0), (4, 1.0)])
def test_best_path_is_the_best_hypothesis_of_the_plain_search(
    model: Any, beam_size: int, length_penalty: float
) -> None:
    for source in SOURCES:
        found, tree = build_beam_tree(
            model, source, beam_size=beam_size, length_penalty=length_penalty, max_length=MAX_LENGTH
        )
        assert found == search(model, source, beam_size, length_penalty)
        best = found[0]
        tokens = tuple(tree.tokens[node] for node in tree.best)
        assert tokens == (*best.tokens, EOS) if best.ended else best.tokens
        assert tuple(tree.logps[node] for node in tree.best) == best.logps
        assert tree.totals[tree.best[-1]] / len(tree.best) ** length_penalty == best.score
        assert [tree.parents[node] for node in tree.best] == [-1, *tree.best[:-1]]


@pytest.mark.parametrize("beam_size", [1, 3])
def test_tree_is_consistent_with_beam_search(model: Any, beam_size: int) -> None:
    for source in SOURCES:
        found, tree = build_beam_tree(
            model, source, beam_size=beam_size, length_penalty=1.0, max_length=MAX_LENGTH
        )
        depth = depths(tree)
        assert depth == sorted(depth)
        for node, parent in enumerate(tree.parents):
            prefix = torch.tensor(0.0 if parent < 0 else tree.totals[parent])
            assert tree.totals[node] == float(prefix + torch.tensor(tree.logps[node]))
            assert parent < 0 or tree.status[parent] == "kept"
        candidates = Counter(depth)
        assert max(candidates.values()) <= 2 * beam_size
        statuses = Counter(zip(depth, tree.status, strict=True))
        assert all(n <= beam_size for (_, status), n in statuses.items() if status == "kept")
        # At every length but the last some candidate is extended.
        for length in range(1, max(depth)):
            assert any(d == length and tree.status[n] == "kept" for n, d in enumerate(depth))
        assert not any(d == max(depth) and tree.status[n] == "kept" for n, d in enumerate(depth))
        finished = [n for n, status in enumerate(tree.status) if status == "finished"]
        assert all(tree.tokens[n] == EOS or depth[n] == MAX_LENGTH for n in finished)
        scores = sorted((tree.totals[n] / depth[n] for n in finished), reverse=True)
        assert scores[:beam_size] == [hypothesis.score for hypothesis in found]


def test_steps_of_a_sentence_do_not_depend_on_its_batch() -> None:
    """Up to rounding: rows of a larger batch are summed in another order."""
    small = tiny("transformer")

    def steps(source: Tokens, rows: int) -> list[BeamStep]:
        recorded: list[BeamStep] = []
        state = small.model.start(source)
        ends = {"bos": BOS, "eos": EOS, "max_length": 6}
        beam(small.model.step, state, rows=rows, beam_size=3, **ends, on_step=recorded.append)
        return recorded

    batch = [[4, 5, 6, EOS], [7, EOS], [9, 9, 8, 5, 4, EOS]]
    together = steps(pad(batch), 3)
    for row, source in enumerate(batch):
        alone = steps(pad([source]), 1)
        batched = [step for step in together if row in step.sentences]
        assert len(alone) == len(batched)
        for one, other in zip(alone, batched, strict=True):
            at = other.sentences.index(row)
            for name in ("origins", "tokens", "ended", "survivors"):
                assert getattr(one, name)[0].tolist() == getattr(other, name)[at].tolist()
            torch.testing.assert_close(one.totals[0], other.totals[at])


def test_beam_wider_than_the_vocabulary_has_only_real_nodes() -> None:
    small = tiny("bahdanau")
    found, tree = build_beam_tree(
        small.model, pad([[4, EOS]]), beam_size=40, length_penalty=1.0, max_length=3
    )
    assert len(found) == 40
    assert all(total > -torch.inf for total in tree.totals)
    assert Counter(depths(tree))[1] == 11  # the whole vocabulary


def test_json_has_pieces_instead_of_tokens() -> None:
    _, tree = build_beam_tree(
        tiny("transformer").model, pad([[4, EOS]]), beam_size=2, length_penalty=1.0, max_length=3
    )
    record = tree.to_record(lambda token: f"▁{token}")
    assert record["pieces"] == [f"▁{token}" for token in tree.tokens]
    assert "tokens" not in record
    assert (record["beam_size"], record["length_penalty"]) == (2, 1.0)
    assert (record["best"], record["status"]) == (tree.best, tree.status)
