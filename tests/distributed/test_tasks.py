"""Resuming and training with several processes, for all tasks except translation."""

from __future__ import annotations

import pytest

from tests.distributed.processes import RegardProcess
from tests.distributed.test_kills import kill_and_resume
from tests.distributed.test_world_size import DDP, FP32, FSDP, Runs, max_difference, same_order
from tests.task_runs import TASKS, make_task_toy


@pytest.fixture(scope="module", params=TASKS)
def task(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Runs, str]:
    folder = tmp_path_factory.mktemp(request.param)
    RegardProcess(["--help"], folder / "help").wait()  # starts the fork server
    toy, preset = make_task_toy(request.param, folder)
    return Runs(toy), preset


def test_a_killed_run_equals_an_uninterrupted_one(task: tuple[Runs, str]) -> None:
    runs, preset = task
    kill_and_resume(runs.toy, preset, kills=2, steps=30)


@pytest.mark.parametrize("parallel", [DDP, FSDP])
def test_two_processes_equal_one_process(task: tuple[Runs, str], parallel: str) -> None:
    runs, preset = task
    settings = ("train.micro_batches=2", FP32, "train.steps=20")
    one, two = runs(1, *settings, preset=preset), runs(2, *settings, parallel, preset=preset)
    assert same_order(one, two)
    # Adam divides a gradient by its magnitude, so one that is mostly rounding error moves a weight
    # by up to the learning rate, 0.02 here. FSDP adds gradients in another order.
    assert max_difference(one, two) < (1e-6 if parallel == DDP else 1e-4)
