"""Checkpoints if the process dies or the disk fails at any operation of a save."""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from regard.errors import ArtifactError, StorageError
from regard.train import checkpoint
from regard.train.distributed import World

WORLD = World()
OPERATIONS = ("fsync", "rename", "replace", "mkdir", "unlink", "rmdir")  # of os


class Died(BaseException):
    """Simulates the death of the process: nothing catches it, and no operation follows it."""


class Disk:
    """Records the operations that change the disk, and makes one of them fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.operations: list[str] = []
        self.failing_at, self.failure, self.dead = 0, BaseException(), False
        for name in OPERATIONS:
            monkeypatch.setattr(os, name, self._patched(name, getattr(os, name)))
        original_open = Path.open

        def patched_open(path: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            if "w" not in mode:
                return original_open(path, mode, *args, **kwargs)
            self.record("open")
            return FailingFile(path, self)

        monkeypatch.setattr(Path, "open", patched_open)

    def record(self, name: str) -> None:
        self.operations.append(name)
        if self.dead:
            raise Died
        if len(self.operations) == self.failing_at:
            self.dead = isinstance(self.failure, Died)
            raise self.failure

    def operations_of(self, work: Callable[[], None]) -> list[str]:
        self.operations = []
        work()
        return self.operations

    @contextmanager
    def failing(self, number: int, failure: BaseException) -> Iterator[None]:
        """Make operation `number`, counted from 1, fail inside this context."""
        self.operations, self.failing_at, self.failure = [], number, failure
        try:
            yield
        finally:
            self.failing_at, self.dead = 0, False

    def _patched(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def patched(*args: Any, **kwargs: Any) -> Any:
            self.record(name)
            return original(*args, **kwargs)

        return patched


class FailingFile(io.FileIO):
    """A file that is half written if writing fails."""

    def __init__(self, path: Path, disk: Disk) -> None:
        super().__init__(path, "w")
        self.disk = disk

    def write(self, data: Any) -> int:
        try:
            self.disk.record("write")
        except BaseException:
            super().write(data[: len(data) // 2])
            raise
        return super().write(data)


def tensors(value: float) -> dict[str, Tensor]:
    return {"weights": torch.full((50, 3), value), "count": torch.tensor(int(value))}


def save(root: Path, step: int, value: float) -> None:
    checkpoint.save_checkpoint(WORLD, root, step, tensors(value), {"progress": {"value": value}})


def newest(root: Path) -> tuple[int, float]:
    """Read the newest checkpoint and return its step and value."""
    step = checkpoint.checkpoint_steps(root)[0]
    read = tensors(0.0)
    facts = checkpoint.load_checkpoint(WORLD, checkpoint.checkpoint_folder(root, step), read)
    value = facts["progress"]["value"]
    assert all(torch.equal(read[name], tensor) for name, tensor in tensors(value).items())
    return step, value


def names(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir())


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


FAILURES = [Died(), OSError(errno.EIO, "Input/output error")]


def fail_at_every_operation(
    disk: Disk,
    root: Path,
    failure: BaseException,
    before: Callable[[], None],
    during: Callable[[], None],
) -> Iterator[bool]:
    """Run `before` and `during` once for each operation of `during`, which fails.

    Yields whether the failure was raised.
    """
    before()
    operations = len(disk.operations_of(during))
    assert operations
    for number in range(1, operations + 1):
        shutil.rmtree(root)
        before()
        raised = False
        with disk.failing(number, failure):
            try:
                during()
            except Died:
                raised = True
            except StorageError as error:
                raised = str(root) in str(error)
        yield raised


@pytest.mark.parametrize("failure", FAILURES, ids=["death", "EIO"])
def test_a_failed_save_leaves_the_old_or_the_new_checkpoint_intact(
    tmp_path: Path, disk: Disk, failure: BaseException
) -> None:
    found = set()
    for raised in fail_at_every_operation(
        disk, tmp_path, failure, lambda: save(tmp_path, 1, 1.0), lambda: save(tmp_path, 2, 2.0)
    ):
        found.add(newest(tmp_path))
        assert raised or newest(tmp_path) == (2, 2.0)  # the operation was not essential
        save(tmp_path, 3, 3.0)
        assert newest(tmp_path) == (3, 3.0)
        assert not [name for name in names(tmp_path) if name.endswith(".tmp")]
    assert found == {(1, 1.0), (2, 2.0)}


@pytest.mark.parametrize("failure", FAILURES, ids=["death", "EIO"])
def test_a_failed_replacement_leaves_the_old_or_the_new_checkpoint_intact(
    tmp_path: Path, disk: Disk, failure: BaseException
) -> None:
    found = set()
    for raised in fail_at_every_operation(
        disk, tmp_path, failure, lambda: save(tmp_path, 1, 1.0), lambda: save(tmp_path, 1, 2.0)
    ):
        found.add(newest(tmp_path))
        assert raised or newest(tmp_path) == (1, 2.0)
        save(tmp_path, 1, 3.0)
        assert newest(tmp_path) == (1, 3.0)
        assert names(tmp_path) == ["step-00000001"]
    assert found == {(1, 1.0), (1, 2.0)}


@pytest.mark.parametrize("failure", FAILURES, ids=["death", "EIO"])
def test_a_failed_cleanup_leaves_the_wanted_checkpoints_intact(
    tmp_path: Path, disk: Disk, failure: BaseException
) -> None:
    def before() -> None:
        for step in (1, 2, 3):
            save(tmp_path, step, step)

    def clean_up() -> None:
        checkpoint.keep_checkpoints(WORLD, tmp_path, {2, 3})

    for raised in fail_at_every_operation(disk, tmp_path, failure, before, clean_up):
        assert raised and newest(tmp_path) == (3, 3.0)
        clean_up()
        assert names(tmp_path) == ["step-00000002", "step-00000003"]
        assert newest(tmp_path) == (3, 3.0)


def test_two_kills_while_replacing_the_only_checkpoint_leave_one_intact(
    tmp_path: Path, disk: Disk
) -> None:
    """The first is between the two renames, when no checkpoint has its final name."""
    save(tmp_path, 1, 1.0)
    operations = disk.operations_of(lambda: save(tmp_path, 1, 2.0))
    between = operations.index("rename", operations.index("rename") + 1) + 1

    def die_once() -> None:
        save(tmp_path, 1, 1.0)
        with disk.failing(between, Died()), pytest.raises(Died):
            save(tmp_path, 1, 2.0)
        assert names(tmp_path) == ["step-00000001.old", "step-00000001.tmp"]

    found = set()
    for _ in fail_at_every_operation(
        disk, tmp_path, Died(), die_once, lambda: save(tmp_path, 1, 3.0)
    ):
        found.add(newest(tmp_path))
        checkpoint.keep_checkpoints(WORLD, tmp_path, {1})
        assert len(names(tmp_path)) == 1
        found.add(newest(tmp_path))
    assert found == {(1, 1.0), (1, 3.0)}


def test_a_full_disk_error_has_the_path_and_the_needed_and_free_space(
    tmp_path: Path, disk: Disk
) -> None:
    root, full = tmp_path / "checkpoints", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    message = re.compile(
        rf"{root}/step-00000007: .*the disk is full: [\d,.]+ MB are free.* needs 0\.0 MB"
    )
    operations = len(disk.operations_of(lambda: save(root, 7, 1.0)))
    for number in range(1, operations + 1):
        shutil.rmtree(root, ignore_errors=True)
        with disk.failing(number, full):
            error = storage_error(lambda: save(root, 7, 1.0))
        if error is None:
            assert newest(root) == (7, 1.0)
        else:
            assert message.match(str(error)) and error.code == 74
            assert not list(root.glob("*.tmp"))


def storage_error(work: Callable[[], None]) -> StorageError | None:
    try:
        work()
    except StorageError as error:
        return error
    return None


def test_a_checkpoint_holds_only_safetensors_and_json(tmp_path: Path) -> None:
    save(tmp_path, 1, 1.0)
    files = sorted(path.suffix for path in (tmp_path / "step-00000001").iterdir())
    assert files == [".json", ".safetensors"]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": 1}', '{"format": 99}'])
def test_an_unreadable_state_file_is_refused(tmp_path: Path, text: str) -> None:
    save(tmp_path, 1, 1.0)
    (tmp_path / "step-00000001" / "state.json").write_text(text)
    with pytest.raises(ArtifactError, match="step-00000001"):
        newest(tmp_path)
