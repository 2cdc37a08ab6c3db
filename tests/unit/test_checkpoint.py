"""Checkpoints, when the process dies or the disk fails at any of the acts that make one."""

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
ACTS = ("fsync", "rename", "replace", "mkdir", "unlink", "rmdir")  # of os, which all others use


class Died(BaseException):
    """Stands for the end of the process: nothing catches it, and nothing is done after it."""


class Disk:
    """Notes the acts that change the disk, and lets one of them fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.acts: list[str] = []
        self.fatal, self.failure, self.dead = 0, BaseException(), False
        for name in ACTS:
            monkeypatch.setattr(os, name, self._watched(name, getattr(os, name)))
        opened = Path.open

        def open_watched(path: Path, mode: str = "r", *rest: Any, **more: Any) -> Any:
            if "w" not in mode:
                return opened(path, mode, *rest, **more)
            self.act("open")
            return Written(path, self)

        monkeypatch.setattr(Path, "open", open_watched)

    def act(self, name: str) -> None:
        self.acts.append(name)
        if self.dead:
            raise Died
        if len(self.acts) == self.fatal:
            self.dead = isinstance(self.failure, Died)
            raise self.failure

    def of(self, work: Callable[[], None]) -> list[str]:
        """The acts of `work`."""
        self.acts = []
        work()
        return self.acts

    @contextmanager
    def failing(self, fatal: int, failure: BaseException) -> Iterator[None]:
        """Let the act of that number fail, from now on; after the block all is well again."""
        self.acts, self.fatal, self.failure = [], fatal, failure
        try:
            yield
        finally:
            self.fatal, self.dead = 0, False

    def _watched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def act(*said: Any, **more: Any) -> Any:
            self.act(name)
            return real(*said, **more)

        return act


class Written(io.FileIO):
    """A file that is being written; where that fails, the half of it is there."""

    def __init__(self, path: Path, disk: Disk) -> None:
        super().__init__(path, "w")
        self.disk = disk

    def write(self, data: Any) -> int:
        try:
            self.disk.act("write")
        except BaseException:
            super().write(data[: len(data) // 2])
            raise
        return super().write(data)


def tensors(value: float) -> dict[str, Tensor]:
    return {"weights": torch.full((50, 3), value), "count": torch.tensor(int(value))}


def save(root: Path, step: int, value: float) -> None:
    checkpoint.save_checkpoint(WORLD, root, step, tensors(value), {"progress": {"value": value}})


def newest(root: Path) -> tuple[int, float]:
    """The step and the value of the newest checkpoint, all of which was read."""
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


def fail_at_every_act(
    disk: Disk,
    root: Path,
    failure: BaseException,
    before: Callable[[], None],
    during: Callable[[], None],
) -> Iterator[bool]:
    """Let each act of `during` fail once, each time on what `before` makes: was that told?"""
    before()
    acts = len(disk.of(during))
    assert acts
    for fatal in range(1, acts + 1):
        shutil.rmtree(root)
        before()
        told = False
        with disk.failing(fatal, failure):
            try:
                during()
            except Died:
                told = True
            except StorageError as error:
                told = str(root) in str(error)
        yield told


@pytest.mark.parametrize("failure", FAILURES, ids=["death", "EIO"])
def test_whatever_fails_in_a_save_the_older_or_the_newer_checkpoint_is_whole(
    tmp_path: Path, disk: Disk, failure: BaseException
) -> None:
    found = set()
    for told in fail_at_every_act(
        disk, tmp_path, failure, lambda: save(tmp_path, 1, 1.0), lambda: save(tmp_path, 2, 2.0)
    ):
        found.add(newest(tmp_path))
        assert told or newest(tmp_path) == (2, 2.0)  # an act that was not needed
        save(tmp_path, 3, 3.0)
        assert newest(tmp_path) == (3, 3.0)
        assert not [name for name in names(tmp_path) if name.endswith(".aside")]
    assert found == {(1, 1.0), (2, 2.0)}


@pytest.mark.parametrize("failure", FAILURES, ids=["death", "EIO"])
def test_whatever_fails_in_replacing_the_only_checkpoint_one_of_the_two_is_whole(
    tmp_path: Path, disk: Disk, failure: BaseException
) -> None:
    found = set()
    for told in fail_at_every_act(
        disk, tmp_path, failure, lambda: save(tmp_path, 1, 1.0), lambda: save(tmp_path, 1, 2.0)
    ):
        found.add(newest(tmp_path))
        assert told or newest(tmp_path) == (1, 2.0)
        save(tmp_path, 1, 3.0)
        assert newest(tmp_path) == (1, 3.0)
        assert names(tmp_path) == ["step-00000001"]
    assert found == {(1, 1.0), (1, 2.0)}


@pytest.mark.parametrize("failure", FAILURES, ids=["death", "EIO"])
def test_whatever_fails_in_tidying_up_what_is_wanted_is_whole(
    tmp_path: Path, disk: Disk, failure: BaseException
) -> None:
    def before() -> None:
        for step in (1, 2, 3):
            save(tmp_path, step, step)

    def tidy() -> None:
        checkpoint.keep_checkpoints(WORLD, tmp_path, {2, 3})

    for told in fail_at_every_act(disk, tmp_path, failure, before, tidy):
        assert told and newest(tmp_path) == (3, 3.0)
        tidy()
        assert names(tmp_path) == ["step-00000002", "step-00000003"]
        assert newest(tmp_path) == (3, 3.0)


def test_two_deaths_in_replacing_the_only_checkpoint_leave_one_of_them(
    tmp_path: Path, disk: Disk
) -> None:
    """The first between the two renames: the old one is away, and the new one not yet there."""
    save(tmp_path, 1, 1.0)
    acts = disk.of(lambda: save(tmp_path, 1, 2.0))
    between = acts.index("rename", acts.index("rename") + 1) + 1

    def die_once() -> None:
        save(tmp_path, 1, 1.0)
        with disk.failing(between, Died()), pytest.raises(Died):
            save(tmp_path, 1, 2.0)
        assert names(tmp_path) == ["step-00000001.aside", "step-00000001.old"]

    found = set()
    for _ in fail_at_every_act(disk, tmp_path, Died(), die_once, lambda: save(tmp_path, 1, 3.0)):
        found.add(newest(tmp_path))
        checkpoint.keep_checkpoints(WORLD, tmp_path, {1})
        assert len(names(tmp_path)) == 1
        found.add(newest(tmp_path))
    assert found == {(1, 1.0), (1, 3.0)}


def test_a_full_disk_is_told_with_the_path_the_need_and_what_is_free(
    tmp_path: Path, disk: Disk
) -> None:
    """At whichever act of the first save of all it is found full."""
    root, full = tmp_path / "checkpoints", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    told = re.compile(
        rf"{root}/step-00000007: the checkpoint cannot be written \(the disk is full: [\d,.]+ MB "
        r"are free\); it needs 0\.0 MB\. Older checkpoints are intact: mend this and run the same"
    )
    acts = len(disk.of(lambda: save(root, 7, 1.0)))
    for fatal in range(1, acts + 1):
        shutil.rmtree(root, ignore_errors=True)
        with disk.failing(fatal, full):
            error = failure_of(lambda: save(root, 7, 1.0))
        if error is None:
            assert newest(root) == (7, 1.0)
        else:
            assert told.match(str(error)) and error.code == 74
            assert not list(root.glob("*.aside"))


def failure_of(work: Callable[[], None]) -> StorageError | None:
    try:
        work()
    except StorageError as error:
        return error
    return None


def test_a_checkpoint_holds_tensors_and_json_and_no_code(tmp_path: Path) -> None:
    save(tmp_path, 1, 1.0)
    files = sorted(path.suffix for path in (tmp_path / "step-00000001").iterdir())
    assert files == [".json", ".safetensors"]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": 99}'])
def test_a_state_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    save(tmp_path, 1, 1.0)
    (tmp_path / "step-00000001" / "state.json").write_text(text)
    with pytest.raises(ArtifactError, match="step-00000001"):
        newest(tmp_path)
