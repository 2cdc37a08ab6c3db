"""The lock that keeps two processes from writing to one directory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from regard.data.directory_lock import LOCK_FILE, lock_directory
from regard.data.formats.corpus import open_corpus
from regard.data.preparation.prepare import PreparationSettings, prepare_corpora
from regard.data.preparation.runner import InProcessRunner
from regard.errors import StorageError
from tests.command import run_cli
from tests.toy_corpus import TRANSFORMER, make_toy

HOLD = """
import sys
from regard.data.directory_lock import lock_directory
with lock_directory(sys.argv[1], shared="shared" in sys.argv):
    print("locked", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_by_another_process(directory: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLD, str(directory), *words]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        try:
            yield holder
        finally:
            holder.kill()


def test_a_second_process_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "run"
    with held_by_another_process(directory) as holder:
        refused = pytest.raises(StorageError, match=f"{directory}: process {holder.pid} on")
        with refused, lock_directory(directory):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        with lock_directory(directory):
            assert (directory / LOCK_FILE).read_text().startswith(f"{os.getpid()} on ")
    assert list(directory.iterdir()) == []


def test_a_shared_lock_excludes_only_those_that_are_not_shared(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    with held_by_another_process(directory, "shared") as holder:
        with lock_directory(directory, shared=True):
            assert len(list(directory.iterdir())) == 2
        refused = pytest.raises(StorageError, match=f"{directory}: process {holder.pid} on")
        with refused, lock_directory(directory):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert list(directory.iterdir())
        with lock_directory(directory):
            assert [path.name for path in directory.iterdir()] == [LOCK_FILE]
    with held_by_another_process(directory) as holder:
        refused = pytest.raises(StorageError, match=f"{directory}: process {holder.pid} on")
        with refused, lock_directory(directory, shared=True):
            pass


def test_a_file_system_without_locks_is_not_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", fail)
    with lock_directory(tmp_path), lock_directory(tmp_path):
        pass


def test_a_directory_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = pytest.raises(StorageError, match="file/run: cannot be written")
    with refused, lock_directory(tmp_path / "file" / "run"):
        pass


def test_two_preparations_do_not_share_a_directory(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("one two\n" * 9)
    corpus = open_corpus(str(tmp_path / "a"), str(tmp_path / "b"), name="train")
    settings = PreparationSettings(vocabulary=270, limits=None)
    refused = pytest.raises(StorageError, match=f"process {os.getpid()} on")
    with lock_directory(tmp_path / "out"), refused:
        prepare_corpora([corpus], str(tmp_path / "out"), settings, InProcessRunner())
    prepare_corpora([corpus], str(tmp_path / "out"), settings, InProcessRunner())
    assert not (tmp_path / "out" / LOCK_FILE).exists()


def test_two_trainings_do_not_share_a_directory(tmp_path: Path) -> None:
    toy = make_toy(tmp_path)
    directory = toy.run_directory("run")
    directory.claim()
    directory.log.write_text("lines of the other process")
    arguments = toy.arguments(TRANSFORMER, directory, "train.steps=2")
    with directory.lock():
        for workers in ("1", "2"):
            with pytest.raises(StorageError, match=f"process {os.getpid()} on"):
                run_cli([*arguments, "--workers", workers])
    assert directory.log.read_text() == "lines of the other process"
    run_cli(arguments)
