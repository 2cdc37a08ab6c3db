"""Disks that are full, too small or read-only: the run ends with what it needs, and goes on."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from regard.tasks.training import RunDirectory
from regard.train import checkpoint
from tests.distributed.processes import Life, together
from tests.distributed.test_kills import content, journal
from tests.toy_corpus import TRANSFORMER, Toy

STEPS = "train.steps=30"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")


@pytest.fixture(scope="module")
def whole(toy: Toy) -> RunDirectory:
    """A run on a disk that was large enough."""
    home = toy.home("whole")
    assert live(toy, home).wait() == 0
    return home


def live(toy: Toy, home: RunDirectory, largest_file: int | None = None) -> Life:
    said = toy.folder / f"{home.path.name}.said"
    said.unlink(missing_ok=True)
    return Life(toy.arguments(TRANSFORMER, home, STEPS), said, largest_file=largest_file)


def stops(life: Life, path: Path, cause: str) -> None:
    """The run ends with the code of a disk's error, and its last words are what a user needs."""
    assert life.wait() == 74, life.said
    last = life.said.splitlines()[-1]
    assert last.startswith(f"regard: {path}/step-"), last
    assert cause in last and "; it needs 0.2 MB. Older checkpoints are intact" in last, last
    assert "Traceback" not in life.said


def goes_on(toy: Toy, home: RunDirectory, whole: RunDirectory) -> None:
    life = live(toy, home)
    assert life.wait() == 0, life.said
    assert content(home) == content(whole)
    assert journal(home) == journal(whole)


@contextmanager
def mounted(path: Path, size: str) -> Iterator[None]:
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", path], check=True)


def remount(path: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", path], check=True)


def saved_and_tidied(checkpoints: Path, *, least: int) -> bool:
    """Two checkpoints and nothing else: the next that is done there is to write a third."""
    found = checkpoint.checkpoint_steps(checkpoints)
    names = {f"step-{step:08}" for step in found}
    tidied = len(found) == 2 and names == {path.name for path in checkpoints.iterdir()}
    return tidied and found[0] >= least


@as_root
def test_a_full_disk_ends_the_run_with_the_need_and_more_room_lets_it_go_on(
    toy: Toy, whole: RunDirectory
) -> None:
    """There is room for two checkpoints, and none for a third beside them."""
    home = toy.home("full")
    checkpoints = home.path / "checkpoints"
    with mounted(checkpoints, size="600k"):
        stops(live(toy, home), checkpoints, "(the disk is full: 0.")
        assert checkpoint.checkpoint_steps(checkpoints) == [5, 0]
        assert not list(checkpoints.glob("*.aside"))
        remount(checkpoints, "size=8m")
        goes_on(toy, home, whole)


@as_root
def test_a_full_disk_ends_all_processes_of_a_run(toy: Toy) -> None:
    home = toy.home("full-for-two")
    checkpoints = home.path / "checkpoints"
    with mounted(checkpoints, size="600k"):
        arguments = toy.arguments(TRANSFORMER, home, STEPS)
        first, second = together(2, arguments, toy.folder / "full-for-two.said")
        stops(first, checkpoints, "(the disk is full: 0.")
        stops(second, checkpoints, "(the disk is full: 0.")
        assert checkpoint.checkpoint_steps(checkpoints) == [5, 0]


@as_root
def test_a_disk_that_becomes_read_only_ends_the_run_and_it_goes_on_when_mended(
    toy: Toy, whole: RunDirectory
) -> None:
    home = toy.home("read-only")
    checkpoints = home.path / "checkpoints"
    with mounted(checkpoints, size="8m"):
        life = live(toy, home)
        with life.halted(lambda: saved_and_tidied(checkpoints, least=10)):
            remount(checkpoints, "ro")
        stops(life, checkpoints, "(Read-only file system)")
        assert checkpoint.checkpoint_steps(checkpoints)[0] >= 10
        remount(checkpoints, "rw")
        goes_on(toy, home, whole)


def test_files_that_may_not_grow_end_the_run_and_it_goes_on_when_they_may(
    toy: Toy, whole: RunDirectory
) -> None:
    home = toy.home("small")
    checkpoints = home.path / "checkpoints"
    life = live(toy, home)
    assert life.until(lambda: checkpoint.checkpoint_steps(checkpoints)[:1] >= [10])
    life.kill()
    newest = checkpoint.checkpoint_steps(checkpoints)[0]
    stops(live(toy, home, largest_file=100_000), checkpoints, "(File too large)")
    assert checkpoint.checkpoint_steps(checkpoints)[0] == newest
    goes_on(toy, home, whole)
