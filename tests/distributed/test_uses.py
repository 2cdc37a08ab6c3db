"""Laws 10 and 12, resume and world, for the uses of models besides translation."""

from __future__ import annotations

import pytest

from tests.distributed.processes import Life
from tests.distributed.test_kills import kill_and_go_on
from tests.distributed.test_worlds import COPIES, FP32, SHARDS, Runs, apart, same_order
from tests.task_runs import USES, make_use


@pytest.fixture(scope="module", params=USES)
def use(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Runs, str]:
    folder = tmp_path_factory.mktemp(request.param)
    Life(["--help"], folder / "help").wait()  # the nursery is up: later lives are timed
    toy, preset = make_use(request.param, folder)
    return Runs(toy), preset


def test_law_10_resume_a_run_that_is_killed_is_one_that_was_not(use: tuple[Runs, str]) -> None:
    runs, preset = use
    kill_and_go_on(runs.toy, preset, kills=2, steps=30)


@pytest.mark.parametrize("how", [COPIES, SHARDS])
def test_law_12_world_two_processes_have_the_model_of_one(use: tuple[Runs, str], how: str) -> None:
    runs, preset = use
    settings = ("train.micro_batches=2", FP32, "train.steps=20")
    one, two = runs(1, *settings, preset=preset), runs(2, *settings, how, preset=preset)
    assert same_order(one, two)
    # Adam divides a gradient by its size: one that is nearly nothing but rounding moves a weight
    # by up to the rate, 0.02 here; shards add up in another order
    assert apart(one, two) < (1e-6 if how == COPIES else 1e-4)
