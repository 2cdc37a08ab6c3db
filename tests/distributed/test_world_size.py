"""Training with several processes gives the model of a single process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from regard.errors import INTERRUPTED
from regard.tasks.training import RunDirectory
from regard.train import checkpoint
from regard.train.distributed import World
from tests.distributed.processes import RegardProcess, start_world
from tests.toy_corpus import RECURRENT, TRANSFORMER, Toy

DDP, FSDP = "train.parallel=ddp", "train.parallel=fsdp"
FP32 = "train.performance.precision=fp32"
"""For tests in which the order of sums differs: in bf16 the rounding would soon show."""
STEPS = ("train.steps=50", "train.save_every=10", "train.validate_every=25")


class Runs:
    """Runs shared by several tests, each made once."""

    def __init__(self, toy: Toy) -> None:
        self.toy, self.made = toy, dict[tuple[Any, ...], RunDirectory]()

    def __call__(self, processes: int, *settings: str, preset: str = TRANSFORMER) -> RunDirectory:
        key = (processes, preset, *settings)
        if key not in self.made:
            directory = self.toy.run_directory(f"world-{len(self.made)}")
            finish(directory, self.start(directory, processes, *settings, preset=preset))
            self.made[key] = directory
        return self.made[key]

    def start(
        self, directory: RunDirectory, processes: int, *settings: str, preset: str = TRANSFORMER
    ) -> list[RegardProcess]:
        arguments = self.toy.arguments(preset, directory, *STEPS, *settings)
        if processes == 1:
            return [RegardProcess(arguments, directory.path / "output")]
        return start_world(processes, arguments, directory.path / "output")


def finish(directory: RunDirectory, processes: list[RegardProcess]) -> None:
    codes = [process.wait() for process in processes]
    assert codes == [0] * len(processes), processes[-1].output
    assert directory.model.exists(), processes[0].output


@pytest.fixture(scope="module")
def runs(toy: Toy) -> Runs:
    return Runs(toy)


def max_difference(one: RunDirectory, other: RunDirectory) -> float:
    """Return the largest difference of the final weights. `one` has a single process."""
    first, second = (
        checkpoint.checkpoint_folder(root, checkpoint.checkpoint_steps(root)[0])
        for root in (directory.path / "checkpoints" for directory in (one, other))
    )
    expected = load_file(next(first.glob("*.safetensors")))
    actual = {name: torch.empty_like(tensor) for name, tensor in expected.items()}
    checkpoint.load_checkpoint(World(), second, actual)
    names = [name for name in expected if name.startswith(("module.", "ema."))]
    return max(float((expected[name] - actual[name]).abs().max()) for name in names)


def step_events(directory: RunDirectory) -> list[dict[str, Any]]:
    events = [json.loads(line) for line in directory.log.read_text().splitlines()]
    return [event for event in events if event["event"] == "step_completed"]


def same_order(one: RunDirectory, other: RunDirectory) -> bool:
    """Return whether both read the same tokens in the same steps, with losses equal to 1e-6."""
    orders = [
        [(e["step"], e["epoch"], e["tokens"]) for e in step_events(directory)]
        for directory in (one, other)
    ]
    losses = [[e["loss"] for e in step_events(directory)] for directory in (one, other)]
    return orders[0] == orders[1] and losses[0] == pytest.approx(losses[1], abs=1e-6)


def test_two_processes_with_a_batch_each_equal_one_process_exactly(runs: Runs) -> None:
    one, two = (runs(n, "train.micro_batches=2") for n in (1, 2))
    assert same_order(one, two)
    assert max_difference(one, two) == 0


@pytest.mark.parametrize("batches", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_two_processes_with_several_batches_equal_one_process(runs: Runs, batches: int) -> None:
    """Sums of three or more are rounded differently; with three, one process has a batch less."""
    one, two = (runs(n, f"train.micro_batches={batches}", FP32) for n in (1, 2))
    assert same_order(one, two)
    assert max_difference(one, two) < 1e-6


def test_two_fsdp_processes_equal_one_process(runs: Runs) -> None:
    settings = ("train.micro_batches=2", FP32)
    one, two = runs(1, *settings), runs(2, *settings, FSDP)
    assert same_order(one, two)
    assert max_difference(one, two) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("parallel", [DDP, FSDP])
def test_two_processes_have_the_reinforce_baseline_of_one_process(
    runs: Runs, parallel: str
) -> None:
    """The baseline is a buffer, not a parameter."""
    settings = ("train.micro_batches=3", FP32, "model.decoder.attention.normalizer={kind: hard}")
    one, two = runs(1, *settings, preset=RECURRENT), runs(2, *settings, parallel, preset=RECURRENT)
    assert same_order(one, two)
    assert max_difference(one, two) < 1e-6


@pytest.mark.parametrize("parallel", [FSDP, pytest.param(DDP, marks=pytest.mark.slow)])
def test_a_run_resumes_with_two_processes_then_one_then_two(
    runs: Runs, toy: Toy, parallel: str
) -> None:
    directory, settings = (
        toy.run_directory(f"turns-{parallel}"),
        ("train.micro_batches=2", FP32, parallel),
    )
    checkpoints = directory.path / "checkpoints"
    for processes, until in ((2, 10), (1, 30)):
        started = runs.start(directory, processes, *settings)
        wait_for_checkpoint(started[-1], checkpoints, until)
        started[-1].terminate()  # one receives the signal, and all stop
        # torchrun would restart a process that ends with another status
        status = INTERRUPTED if processes == 1 else 0
        assert [one.wait() for one in started] == [status] * processes, started[0].output
        assert not directory.model.exists()
        assert_no_code(checkpoints, shards=processes)
    finish(directory, runs.start(directory, 2, *settings))
    one = runs(1, "train.micro_batches=2", FP32)
    assert same_order(one, directory)
    assert max_difference(one, directory) < (1e-6 if parallel == FSDP else 1e-300)


def wait_for_checkpoint(process: RegardProcess, checkpoints: Path, step: int) -> None:
    assert process.wait_until(lambda: checkpoint.checkpoint_steps(checkpoints)[:1] >= [step])


def assert_no_code(checkpoints: Path, shards: int) -> None:
    """Tensors are safetensors, everything else is JSON, nothing is pickled."""
    newest = checkpoint.checkpoint_folder(checkpoints, checkpoint.checkpoint_steps(checkpoints)[0])
    files = list(newest.iterdir())
    assert sorted(file.suffix for file in files) == [".json", *[".safetensors"] * shards]
    for file in files:
        data = file.read_bytes()
        assert not data.startswith((b"\x80", b"PK"))  # a pickle, torch's archive
        if file.suffix == ".safetensors":
            head = int.from_bytes(data[:8], "little")
            assert json.loads(data[8 : 8 + head])
        else:
            assert json.loads(data)


def test_the_workers_option_equals_one_process_exactly(runs: Runs, toy: Toy) -> None:
    directory = toy.run_directory("workers")
    arguments = toy.arguments(RECURRENT, directory, *STEPS, "train.micro_batches=2")
    done = subprocess.run(
        [sys.executable, "-m", "regard", *arguments, "--workers", "2"],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(directory.model)
    assert max_difference(runs(1, "train.micro_batches=2", preset=RECURRENT), directory) == 0
