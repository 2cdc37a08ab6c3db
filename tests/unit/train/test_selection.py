"""Selection of the final weights."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from regard.train import checkpoint
from regard.train.checkpoint import TrainState
from regard.train.distributed import World
from regard.train.events import Scores
from regard.train.selection import Selection
from regard.train.settings import Adam
from tests.counting import Counting


def selection(
    directory: Path, *, average: int = 1, patience: int | None = None, higher: bool = True
) -> Selection:
    state = TrainState(Counting(), Adam(rate=0.1), 0.0)
    return Selection(
        state,
        directory,
        World(),
        metric="score",
        higher_is_better=higher,
        average=average,
        patience=patience,
    )


def fill(chosen: Selection, value: float) -> None:
    for weight in chosen.state.weights().values():
        weight.fill_(value)


def value(chosen: Selection) -> float:
    """The value of all weights, which must be the same."""
    (only,) = {x for weight in chosen.state.weights().values() for x in weight.unique().tolist()}
    return only


def add(chosen: Selection, *scores: float) -> list[bool]:
    """Validate at steps 10, 20 …, whose weights are all 10, 20 …"""
    improved = []
    for i, score in enumerate(scores, 1):
        fill(chosen, 10.0 * i)
        improved.append(chosen.add(10 * i, Scores({"score": score, "other": -score}, {"s": "v"})))
    return improved


def never() -> Scores:
    raise AssertionError("nothing is averaged")


@pytest.mark.parametrize("higher", [True, False])
def test_only_a_better_score_is_an_improvement(tmp_path: Path, higher: bool) -> None:
    sign = 1 if higher else -1
    chosen = selection(tmp_path, higher=higher, patience=3)
    assert chosen.patience_left == 3
    scores = [sign * score for score in (5.0, 4.0, 5.0, 6.0, 6.0, 7.0, 1.0)]
    assert add(chosen, *scores) == [True, False, False, True, False, True, False]
    progress = chosen.state.progress
    assert (progress.best, progress.best_step, progress.stale) == (sign * 7.0, 60, 1)
    assert chosen.patience_left == 2
    assert selection(tmp_path).patience_left is None


def test_the_weights_and_scores_of_the_best_step_are_loaded(tmp_path: Path) -> None:
    chosen = selection(tmp_path)
    assert chosen.load_best(never) is None
    add(chosen, 3.0, 9.0, 4.0)
    loaded = chosen.load_best(never)
    assert loaded == Scores({"score": 9.0, "other": -9.0}, {"s": "v"})
    assert value(chosen) == 20.0


@pytest.mark.parametrize(("average", "mean"), [(2, 35.0), (3, 30.0), (9, 25.0)])
def test_the_last_weights_are_averaged(tmp_path: Path, average: int, mean: float) -> None:
    chosen = selection(tmp_path, average=average)
    add(chosen, 3.0, 9.0, 4.0, 5.0)
    validated = []

    def validate() -> Scores:
        validated.append(value(chosen))
        return Scores({"score": 9.5})

    assert chosen.load_best(validate) == Scores({"score": 9.5})
    assert validated == pytest.approx([mean]) and value(chosen) == pytest.approx(mean)


def test_an_average_that_is_no_better_gives_way_to_the_best_weights(tmp_path: Path) -> None:
    for score in (9.0, 8.0):
        chosen = selection(tmp_path / str(score), average=3)
        add(chosen, 3.0, 9.0, 4.0)
        loaded = chosen.load_best(lambda score=score: Scores({"score": score}))
        assert loaded is not None and loaded.values["score"] == 9.0 and loaded.signatures
        assert value(chosen) == 20.0


def test_a_single_validation_is_not_averaged(tmp_path: Path) -> None:
    chosen = selection(tmp_path, average=3)
    add(chosen, 3.0)
    fill(chosen, 0.0)
    assert chosen.load_best(never) is not None
    assert value(chosen) == 10.0


def test_forgotten_scores_are_not_compared(tmp_path: Path) -> None:
    chosen = selection(tmp_path, average=3, patience=2)
    add(chosen, 3.0, 9.0, 4.0)
    chosen.reset_scores()
    progress = chosen.state.progress
    assert (progress.best, progress.best_step, progress.validated) == (None, 0, [])
    assert chosen.patience_left == 2
    assert chosen.add(40, Scores({"score": 1.0}))
    assert (progress.best_step, progress.validated) == (40, [40])


def test_the_weights_of_other_steps_are_deleted(tmp_path: Path) -> None:
    chosen = selection(tmp_path)
    add(chosen, 3.0, 9.0, 4.0)
    chosen.keep({20, 30})
    assert checkpoint.checkpoint_steps(tmp_path) == [30, 20]
    (path,) = tmp_path.glob("step-*20")
    shapes = {name: torch.empty_like(weight) for name, weight in chosen.state.weights().items()}
    checkpoint.load_checkpoint(World(), path, shapes)
    assert {x for weight in shapes.values() for x in weight.unique().tolist()} == {20.0}
