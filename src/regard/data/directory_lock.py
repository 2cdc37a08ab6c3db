"""An exclusive lock on a directory, so that two processes never write to it at the same time."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from regard.data import storage
from regard.data.ownership import MARKER
from regard.errors import StorageError

LOCK_FILE = ".regard.lock"
_held: set[str] = set()  # directories that this process has locked


@contextmanager
def lock_directory(directory: str | Path) -> Iterator[None]:
    """Hold the lock of a directory, which is created if it does not exist.

    A directory is also locked by a process that holds the lock of one that contains it: while a run
    trains, nobody else writes to its prepared data.

    Directories that were created for the lock are removed at the end, if they have no files but
    markers.

    The operating system releases the lock when the process ends, even if it is killed. URLs, and
    file systems without locks, are not locked.

    Raises:
        StorageError: another process holds the lock.
    """
    if storage.is_remote(str(directory)):
        yield
        return
    path = Path(directory) / LOCK_FILE
    created = [folder for folder in path.parents if not folder.exists()]
    real = os.path.realpath(directory)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = _open_locked(path)
    except OSError as error:
        raise StorageError(
            f"{directory}: cannot be written ({error.strerror or error}). Choose another directory."
        ) from error
    with file:
        file.truncate(0)
        file.write(f"{os.getpid()} on {socket.gethostname()}")
        file.flush()
        _held.add(real)
        try:
            for parent in Path(real).parents:
                _check_unlocked(parent)
            yield
        finally:
            _held.discard(real)
            if sys.platform != "win32":  # Windows does not delete open files
                path.unlink(missing_ok=True)
                for folder in created:
                    _remove_unused(folder)


def _remove_unused(folder: Path) -> None:
    """Remove a directory whose only files are the markers of a command that wrote nothing."""
    files = [path for path in folder.rglob("*") if not path.is_dir()]
    if all(path.name == MARKER for path in files):
        with suppress(OSError):  # another process writes to it
            for path in files:
                path.unlink()
            for path in sorted(folder.rglob("*"), reverse=True):
                path.rmdir()
            folder.rmdir()


def _open_locked(path: Path) -> IO[str]:
    while True:
        file = path.open("a+", encoding="utf-8")
        try:
            _lock(file)
        except BlockingIOError:
            with file:
                raise _locked_error(path, file) from None
        # The previous holder may have deleted the file between the two calls.
        if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
        file.close()


def _check_unlocked(directory: Path) -> None:
    """Raise StorageError if another process holds the lock of a directory."""
    path = directory / LOCK_FILE
    if str(directory) in _held or not path.is_file():
        return
    try:
        file = path.open("r+", encoding="utf-8")
    except OSError:
        return  # the process has ended, or the directory is another user's
    with file:
        try:
            _lock(file)  # until it is closed
        except BlockingIOError:
            raise _locked_error(path, file) from None


def _locked_error(path: Path, file: IO[str]) -> StorageError:
    file.seek(0)
    return StorageError(
        f"{path.parent}: process {file.read()} is writing to this directory. Wait until it ends, "
        "stop it, or choose another directory."
    )


def _lock(file: IO[str]) -> None:
    """Lock an open file. Raises BlockingIOError if another process holds the lock."""
    if sys.platform == "win32":
        import msvcrt

        file.seek(1 << 30)  # beyond the text, so that others can read it
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError from error
        return
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:  # a file system without locks
        return
