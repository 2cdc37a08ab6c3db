"""Law 12, world: any number of processes trains the model that one trains."""

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

from regard.tasks.training import RunDirectory
from regard.train import checkpoint
from regard.train.distributed import World
from tests.distributed.processes import Life, together
from tests.toy_corpus import RECURRENT, TRANSFORMER, Toy

COPIES, SHARDS = "train.parallel=ddp", "train.parallel=fsdp"
FP32 = "train.performance.precision=fp32"
"""Where sums are rounded in another order; in bf16 a last bit soon is another number."""
STEPS = ("train.steps=50", "train.save_every=10", "train.validate_every=25")


class Runs:
    """Runs that were made, each once however many tests ask for it."""

    def __init__(self, toy: Toy) -> None:
        self.toy, self.made = toy, dict[tuple[Any, ...], RunDirectory]()

    def __call__(self, processes: int, *settings: str, preset: str = TRANSFORMER) -> RunDirectory:
        key = (processes, preset, *settings)
        if key not in self.made:
            home = self.toy.home(f"world-{len(self.made)}")
            finish(home, self.begin(home, processes, *settings, preset=preset))
            self.made[key] = home
        return self.made[key]

    def begin(
        self, home: RunDirectory, processes: int, *settings: str, preset: str = TRANSFORMER
    ) -> list[Life]:
        arguments = self.toy.arguments(preset, home, *STEPS, *settings)
        if processes == 1:
            return [Life(arguments, home.path / "said")]
        return together(processes, arguments, home.path / "said")


def finish(home: RunDirectory, lives: list[Life]) -> None:
    assert [life.wait() for life in lives] == [0] * len(lives), lives[-1].said
    assert home.model.exists(), lives[0].said


@pytest.fixture(scope="module")
def runs(toy: Toy) -> Runs:
    return Runs(toy)


def apart(one: RunDirectory, other: RunDirectory) -> float:
    """How far apart the weights of two runs, of which the first was alone, are at their ends."""
    own, others = (
        checkpoint.checkpoint_folder(root, checkpoint.checkpoint_steps(root)[0])
        for root in (home.path / "checkpoints" for home in (one, other))
    )
    ours = load_file(next(own.glob("*.safetensors")))
    theirs = {name: torch.empty_like(tensor) for name, tensor in ours.items()}
    checkpoint.load_checkpoint(World(), others, theirs)
    models = [name for name in ours if name.startswith(("task.", "moving."))]
    return max(float((ours[name] - theirs[name]).abs().max()) for name in models)


def stepped(home: RunDirectory) -> list[dict[str, Any]]:
    events = [json.loads(line) for line in home.log.read_text().splitlines()]
    return [event for event in events if event["event"] == "step_completed"]


def same_order(one: RunDirectory, other: RunDirectory) -> bool:
    """Whether both read the same tokens in the same steps, with losses equal to six decimals."""
    orders = [
        [(e["step"], e["epoch"], e["tokens"]) for e in stepped(home)] for home in (one, other)
    ]
    losses = [[e["loss"] for e in stepped(home)] for home in (one, other)]
    return orders[0] == orders[1] and losses[0] == pytest.approx(losses[1], abs=1e-6)


def test_law_12_world_two_processes_with_a_batch_each_have_the_bits_of_one(runs: Runs) -> None:
    one, two = (runs(n, "train.micro_batches=2") for n in (1, 2))
    assert same_order(one, two)
    assert apart(one, two) == 0


@pytest.mark.parametrize("batches", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_law_12_world_two_processes_with_more_batches_have_the_model_of_one(
    runs: Runs, batches: int
) -> None:
    """Sums of three or more are rounded in another order; with three, one process idles."""
    one, two = (runs(n, f"train.micro_batches={batches}", FP32) for n in (1, 2))
    assert same_order(one, two)
    assert apart(one, two) < 1e-6


def test_law_12_world_two_processes_that_share_a_model_have_the_model_of_one(runs: Runs) -> None:
    settings = ("train.micro_batches=2", FP32)
    one, two = runs(1, *settings), runs(2, *settings, SHARDS)
    assert same_order(one, two)
    assert apart(one, two) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("how", [COPIES, SHARDS])
def test_law_12_world_two_processes_remember_what_one_does_of_choices_that_went_well(
    runs: Runs, how: str
) -> None:
    """Hard attention is taught against how well sentences usually went, which is no parameter."""
    settings = ("train.micro_batches=3", FP32, "model.decoder.attention.normalizer={kind: hard}")
    one, two = runs(1, *settings, preset=RECURRENT), runs(2, *settings, how, preset=RECURRENT)
    assert same_order(one, two)
    assert apart(one, two) < 1e-6


@pytest.mark.parametrize("how", [SHARDS, pytest.param(COPIES, marks=pytest.mark.slow)])
def test_law_12_world_a_run_goes_on_with_two_processes_then_one_then_two(
    runs: Runs, toy: Toy, how: str
) -> None:
    home, settings = toy.home(f"turns-{how}"), ("train.micro_batches=2", FP32, how)
    checkpoints = home.path / "checkpoints"
    for processes, until in ((2, 10), (1, 30)):
        lives = runs.begin(home, processes, *settings)
        assert lives[-1].until(lambda: checkpoint.checkpoint_steps(checkpoints)[:1] >= [until])  # noqa: B023
        lives[-1].ask_to_stop()  # one is asked, and all stop
        assert [life.wait() for life in lives] == [0] * processes, lives[0].said
        assert not home.model.exists()
        no_code(checkpoints, shards=processes)
    finish(home, runs.begin(home, 2, *settings))
    one = runs(1, "train.micro_batches=2", FP32)
    assert same_order(one, home)
    assert apart(one, home) < (1e-6 if how == SHARDS else 1e-300)


def no_code(checkpoints: Path, shards: int) -> None:
    """Tensors in safetensors, the rest JSON; nothing is pickled."""
    newest = checkpoint.checkpoint_folder(checkpoints, checkpoint.checkpoint_steps(checkpoints)[0])
    files = list(newest.iterdir())
    assert sorted(file.suffix for file in files) == [".json", *[".safetensors"] * shards]
    for file in files:
        data = file.read_bytes()
        assert not data.startswith((b"\x80", b"PK"))  # as a pickle and torch's own archive do
        if file.suffix == ".safetensors":
            head = int.from_bytes(data[:8], "little")
            assert json.loads(data[8 : 8 + head])
        else:
            assert json.loads(data)


def test_law_12_world_two_workers_of_one_command_have_the_bits_of_one(runs: Runs, toy: Toy) -> None:
    home = toy.home("workers")
    arguments = toy.arguments(RECURRENT, home, *STEPS, "train.micro_batches=2")
    done = subprocess.run(
        [sys.executable, "-m", "regard", *arguments, "--workers", "2"],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(home.model)
    assert apart(runs(1, "train.micro_batches=2", preset=RECURRENT), home) == 0
