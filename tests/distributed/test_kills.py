"""Resuming after `kill -9` at any time."""

from __future__ import annotations

import hashlib
import json
import random
from contextlib import suppress
from typing import Any

import pytest
from safetensors.torch import load_file

from regard.tasks.training import RunDirectory
from tests.distributed.processes import RegardProcess
from tests.toy_corpus import RECURRENT, TRANSFORMER, Toy

TIMES = {"seconds", "waited", "time", "memory"}  # may differ between two runs of one command


def content(directory: RunDirectory) -> dict[str, str]:
    """Return the hash of every file of a run, except its data and its log.

    The header of a checkpoint's tensors is not compared, because the order of its fields varies.
    """
    hashes = {}
    for path in sorted(directory.path.rglob("*")):
        if not path.is_file() or path == directory.log or directory.data in path.parents:
            continue
        data = path.read_bytes()
        if path.parent.parent != directory.path and path.suffix == ".safetensors":
            tensors = load_file(path)
            data = b"".join(name.encode() + tensors[name].numpy().tobytes() for name in tensors)
        elif path.name == "state.json":
            data = json.dumps(json.loads(data) | {"files": None}).encode()
        hashes[str(path.relative_to(directory.path))] = hashlib.sha256(data).hexdigest()
    return hashes


def log(directory: RunDirectory) -> list[Any]:
    """Return the events of a run, without times and the name of its directory."""

    def without_times(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: without_times(part) for name, part in value.items() if name not in TIMES}
        return value

    text = directory.log.read_text().replace(str(directory.path), "")
    return [without_times(json.loads(line)) for line in text.splitlines()]


def unfinished(directory: RunDirectory) -> set[tuple[str, int]]:
    """Return the name and inode of each checkpoint that is being written or was left unfinished."""
    found = set()
    for path in directory.path.glob("*/*.tmp"):
        with suppress(FileNotFoundError):  # it has just been finished
            found.add((path.name, path.stat().st_ino))
    return found


def kill_and_resume(toy: Toy, preset: str, kills: int, steps: int) -> int:
    """Kill a run `kills` times, uniformly in time; every third kill waits until a save has begun.

    A run that ends before all kills is followed by another. Returns the number of kills during a
    save.
    """
    settings = f"train.steps={steps}"
    expected = toy.run_directory(f"expected-{preset}-{steps}")
    process = RegardProcess(toy.arguments(preset, expected, settings), expected.path / "output")
    assert process.wait() == 0, process.output
    (expected.path / "output").unlink()
    draws = random.Random(preset)
    longest = 2 * process.duration / (kills + 1)
    left, during_save, runs = kills, 0, 0
    while left:
        runs += 1
        directory = toy.run_directory(f"killed-{preset}-{steps}-{runs}")
        output = toy.folder / f"{directory.path.name}.output"
        while True:
            before = unfinished(directory)
            process = RegardProcess(toy.arguments(preset, directory, settings), output)
            if not left or process.wait(draws.uniform(0, longest)) is not None:
                break  # no kills are left, or the run has ended
            if left % 3 == 1 and not process.wait_until(lambda: unfinished(directory) - before):  # noqa: B023
                break
            process.kill()
            left -= 1
            during_save += bool(unfinished(directory) - before)
        assert process.wait() == 0, process.output
        assert content(directory) == content(expected)
        assert log(directory) == log(expected)
    return during_save


@pytest.mark.parametrize("preset", [TRANSFORMER, RECURRENT])
def test_a_run_killed_four_times_equals_an_uninterrupted_one(toy: Toy, preset: str) -> None:
    assert kill_and_resume(toy, preset, kills=4, steps=40) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("preset", [TRANSFORMER, RECURRENT])
def test_a_long_run_killed_ten_times_equals_an_uninterrupted_one(toy: Toy, preset: str) -> None:
    during_save = kill_and_resume(toy, preset, kills=10, steps=200)
    print(f"{preset}: 10 kills, {during_save} of them during a save")
    assert during_save >= 1
