"""Law 10, resume, with real deaths: `kill -9` at any moment, and the same command again."""

from __future__ import annotations

import hashlib
import json
import random
from contextlib import suppress
from typing import Any

import pytest
from safetensors.torch import load_file

from regard.tasks.training import RunDirectory
from tests.distributed.processes import Life
from tests.toy_corpus import RECURRENT, TRANSFORMER, Toy

TIMES = {"seconds", "waited", "time", "memory"}  # what may differ between two runs of one command


def content(home: RunDirectory) -> dict[str, str]:
    """What a run left: every file, its data and its journal aside, by the hash of what it holds.

    The header of a checkpoint's tensors has its fields in an order of chance, and is not compared.
    """
    found = {}
    for path in sorted(home.path.rglob("*")):
        if not path.is_file() or path == home.log or home.data in path.parents:
            continue
        data = path.read_bytes()
        if path.parent.parent != home.path and path.suffix == ".safetensors":
            tensors = load_file(path)
            data = b"".join(name.encode() + tensors[name].numpy().tobytes() for name in tensors)
        elif path.name == "state.json":
            data = json.dumps(json.loads(data) | {"files": None}).encode()
        found[str(path.relative_to(home.path))] = hashlib.sha256(data).hexdigest()
    return found


def journal(home: RunDirectory) -> list[Any]:
    """All that happened, its times and the folder's name aside."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: timeless(part) for name, part in value.items() if name not in TIMES}
        return value

    text = home.log.read_text().replace(str(home.path), "")
    return [timeless(json.loads(line)) for line in text.splitlines()]


def asides(home: RunDirectory) -> set[tuple[str, int]]:
    """What is being written, or was when a process died: a folder's name and its number."""
    found = set()
    for path in home.path.glob("*/*.aside"):
        with suppress(FileNotFoundError):  # it has just been done
            found.add((path.name, path.stat().st_ino))
    return found


def kill_and_go_on(toy: Toy, preset: str, kills: int, steps: int) -> int:
    """Kill a run as often, uniformly in its time; each third waits for a save to be under way.

    Gives how many were inside a save. A run that ends before all kills is followed by another.
    """
    settings = f"train.steps={steps}"
    whole = toy.home(f"whole-{preset}-{steps}")
    life = Life(toy.arguments(preset, whole, settings), whole.path / "said")
    assert life.wait() == 0, life.said
    (whole.path / "said").unlink()
    chance = random.Random(preset)
    longest = 2 * life.lasted / (kills + 1)
    left, inside, runs = kills, 0, 0
    while left:
        runs += 1
        home = toy.home(f"killed-{preset}-{steps}-{runs}")
        said = toy.folder / f"{home.path.name}.said"
        while True:
            before = asides(home)
            life = Life(toy.arguments(preset, home, settings), said)
            if not left or life.wait(chance.uniform(0, longest)) is not None:
                break  # not to be killed, or too late for it
            if left % 3 == 1 and not life.until(lambda: asides(home) - before):  # noqa: B023
                break
            life.kill()
            left -= 1
            inside += bool(asides(home) - before)
        assert life.wait() == 0, life.said
        assert content(home) == content(whole)
        assert journal(home) == journal(whole)
    return inside


@pytest.mark.parametrize("preset", [TRANSFORMER, RECURRENT])
def test_law_10_resume_a_run_that_is_killed_four_times_is_one_that_was_not(
    toy: Toy, preset: str
) -> None:
    assert kill_and_go_on(toy, preset, kills=4, steps=40) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("preset", [TRANSFORMER, RECURRENT])
def test_law_10_resume_a_long_run_that_is_killed_ten_times_is_one_that_was_not(
    toy: Toy, preset: str
) -> None:
    inside = kill_and_go_on(toy, preset, kills=10, steps=200)
    print(f"{preset}: 10 kills, {inside} of them inside a save")
    assert inside >= 1
