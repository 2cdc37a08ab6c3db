"""Full, small and read-only disks: the run ends with an error that helps, and resumes later."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from regard.tasks.training import RunDirectory
from regard.train import checkpoint
from tests.distributed.processes import RegardProcess, start_world
from tests.distributed.test_kills import content, log
from tests.toy_corpus import TRANSFORMER, Toy

STEPS = "train.steps=30"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")


@pytest.fixture(scope="module")
def expected(toy: Toy) -> RunDirectory:
    """A run on a disk that is large enough."""
    directory = toy.run_directory("expected")
    assert start(toy, directory).wait() == 0
    return directory


def start(toy: Toy, directory: RunDirectory, largest_file: int | None = None) -> RegardProcess:
    output = toy.folder / f"{directory.path.name}.output"
    output.unlink(missing_ok=True)
    arguments = toy.arguments(TRANSFORMER, directory, STEPS)
    return RegardProcess(arguments, output, largest_file=largest_file)


def assert_storage_error(process: RegardProcess, path: Path, cause: str) -> None:
    assert process.wait() == 74, process.output
    last = process.output.splitlines()[-1]
    assert last.startswith(f"regard: {path}/step-"), last
    assert cause in last and "needs 0.2 MB" in last and "Older checkpoints are intact" in last, last
    assert "Traceback" not in process.output


def assert_resumes(toy: Toy, directory: RunDirectory, expected: RunDirectory) -> None:
    process = start(toy, directory)
    assert process.wait() == 0, process.output
    assert content(directory) == content(expected)
    assert log(directory) == log(expected)


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


def saved_and_cleaned(checkpoints: Path, *, least: int) -> bool:
    """Return whether there are two checkpoints and nothing else: the next operation is a save."""
    found = checkpoint.checkpoint_steps(checkpoints)
    names = {f"step-{step:08}" for step in found}
    cleaned = len(found) == 2 and names == {path.name for path in checkpoints.iterdir()}
    return cleaned and found[0] >= least


@as_root
def test_a_full_disk_ends_the_run_and_it_resumes_with_more_space(
    toy: Toy, expected: RunDirectory
) -> None:
    """There is space for two checkpoints, but not for a third."""
    directory = toy.run_directory("full")
    checkpoints = directory.path / "checkpoints"
    with mounted(checkpoints, size="600k"):
        assert_storage_error(start(toy, directory), checkpoints, "(the disk is full: 0.")
        assert checkpoint.checkpoint_steps(checkpoints) == [5, 0]
        assert not list(checkpoints.glob("*.tmp"))
        remount(checkpoints, "size=8m")
        assert_resumes(toy, directory, expected)


@as_root
def test_a_full_disk_ends_all_processes_of_a_run(toy: Toy) -> None:
    directory = toy.run_directory("full-for-two")
    checkpoints = directory.path / "checkpoints"
    with mounted(checkpoints, size="600k"):
        arguments = toy.arguments(TRANSFORMER, directory, STEPS)
        first, second = start_world(2, arguments, toy.folder / "full-for-two.output")
        assert_storage_error(first, checkpoints, "(the disk is full: 0.")
        assert_storage_error(second, checkpoints, "(the disk is full: 0.")
        assert checkpoint.checkpoint_steps(checkpoints) == [5, 0]


@as_root
def test_a_disk_that_becomes_read_only_ends_the_run_and_it_resumes_later(
    toy: Toy, expected: RunDirectory
) -> None:
    directory = toy.run_directory("read-only")
    checkpoints = directory.path / "checkpoints"
    with mounted(checkpoints, size="8m"):
        process = start(toy, directory)
        with process.paused(lambda: saved_and_cleaned(checkpoints, least=10)):
            remount(checkpoints, "ro")
        assert_storage_error(process, checkpoints, "(Read-only file system)")
        assert checkpoint.checkpoint_steps(checkpoints)[0] >= 10
        remount(checkpoints, "rw")
        assert_resumes(toy, directory, expected)


def test_a_file_size_limit_ends_the_run_and_it_resumes_without_it(
    toy: Toy, expected: RunDirectory
) -> None:
    directory = toy.run_directory("small")
    checkpoints = directory.path / "checkpoints"
    process = start(toy, directory)
    assert process.wait_until(lambda: checkpoint.checkpoint_steps(checkpoints)[:1] >= [10])
    process.kill()
    newest = checkpoint.checkpoint_steps(checkpoints)[0]
    assert_storage_error(
        start(toy, directory, largest_file=100_000), checkpoints, "(File too large)"
    )
    assert checkpoint.checkpoint_steps(checkpoints)[0] == newest
    assert_resumes(toy, directory, expected)
