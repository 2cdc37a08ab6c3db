"""Detection of diverging runs, and the choice of the checkpoint to go back to."""

from __future__ import annotations

import math
import random

import pytest

from regard.errors import TrainingError
from regard.train.checkpoint import TrainProgress
from regard.train.selection import Diverged, RollbackPolicy, check_divergence


@pytest.mark.parametrize(("loss", "norm"), [(math.nan, 1.0), (math.inf, 1.0), (1.0, math.nan)])
def test_a_loss_or_gradient_that_is_not_finite_diverges(loss: float, norm: float) -> None:
    progress = TrainProgress()
    with pytest.raises(Diverged):
        check_divergence(progress, 1, loss, norm)
    assert progress.mean_loss is None


def test_a_single_high_loss_does_not_diverge_and_a_lasting_rise_does() -> None:
    progress = TrainProgress()

    def run(first: int, last: int, *losses: float) -> None:
        for step in range(first, last + 1):
            check_divergence(progress, step, losses[(step - first) % len(losses)], 1.0)

    run(1, 150, 2.0)
    run(151, 200, 20.0, *[2.0] * 49)
    with pytest.raises(Diverged, match="risen from 2") as raised:
        run(201, 299, 6.0)
    assert 201 < raised.value.step < 299


def test_the_average_of_the_first_steps_is_not_checked() -> None:
    progress = TrainProgress()
    for step in range(1, 101):
        check_divergence(progress, step, 2.0 + step, 1.0)


@pytest.mark.parametrize(
    "corpora",  # chance and loss of the steps of each corpus
    [
        {1.7: 0.5, 5.5: 0.5},
        {1.7: 0.9, 5.5: 0.1},
        {0.1: 0.1, 4.0: 0.9},
        {0.5: 0.3, 2.0: 0.4, 6.0: 0.3},
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", range(4))
def test_steps_of_easy_and_hard_corpora_may_alternate(
    corpora: dict[float, float], seed: int
) -> None:
    progress, draws = TrainProgress(), random.Random(seed)
    losses = draws.choices(list(corpora), list(corpora.values()), k=20_000)
    # the first step is an easy one, and the losses of a corpus vary
    for step, loss in enumerate([min(corpora), *losses], 1):
        check_divergence(progress, step, loss * draws.uniform(0.8, 1.2), 1.0)

    def rise() -> None:
        for step, loss in enumerate(losses[:400], 20_001):
            check_divergence(progress, step, loss + 4.0, 1.0)

    with pytest.raises(Diverged):  # in all corpora
        rise()


@pytest.mark.parametrize("max_rise", [0.5, 1.0, 3.0])
def test_the_average_may_rise_by_the_setting(max_rise: float) -> None:
    def run(rise: float) -> None:
        progress = TrainProgress()
        for step in range(1, 1_000):
            check_divergence(progress, step, 2.0 + rise * (step > 300), 1.0, max_rise)

    run(0.9 * max_rise)
    with pytest.raises(Diverged):
        run(1.1 * max_rise)


def test_without_a_limit_only_losses_that_are_not_finite_diverge() -> None:
    progress = TrainProgress()
    for step in range(1, 1_000):
        check_divergence(progress, step, 2.0 + step, 1.0, None)
    with pytest.raises(Diverged):
        check_divergence(progress, 1_000, math.inf, 1.0, None)


def test_a_second_rollback_goes_to_the_checkpoint_before_the_newest() -> None:
    policy = RollbackPolicy()
    assert policy.target([20, 10]) == 20
    assert policy.target([20, 10]) == 10
    assert policy.target([10]) == 10
    assert policy.target([30, 10]) == 30


def test_the_learning_rate_is_halved_five_times() -> None:
    progress, policy = TrainProgress(), RollbackPolicy()
    for rollbacks in range(5):
        progress.rollbacks = rollbacks
        progress.lr_scale = policy.reduced_lr_scale(progress, Diverged(1, "the loss is nan"))
    assert progress.lr_scale == 1 / 32
    progress.rollbacks = 5
    with pytest.raises(TrainingError, match=r"step 7: .*train\.optimizer\.rate"):
        policy.reduced_lr_scale(progress, Diverged(7, "the loss is nan"))
