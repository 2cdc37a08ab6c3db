"""An exclusive lock on a directory, so that two processes never write to it at the same time."""

from __future__ import annotations

import errno
import os
import secrets
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from regard.data import storage
from regard.data.ownership import MARKER
from regard.errors import StorageError

LOCK_FILE = ".regard.lock"
_SHARED = ".regard.{}.lock"  # of one of the processes that share a directory
_PATIENCE = 0.2  # seconds, as the previous process may just have deleted the file
_WITHOUT_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP)
_held: set[str] = set()  # lock files of this process


@contextmanager
def lock_directory(directory: str | Path, *, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a directory, which is created if it does not exist.

    A directory is also locked by a process that holds the lock of one that contains it: while a run
    trains, no other process writes to its prepared data.

    Directories that were created for the lock are removed at the end, if they have no files but
    markers.

    With `shared`, other processes may hold the lock with `shared` at the same time, but none
    without. Each has a lock file of its own, and none removes a directory, which another may use.

    The operating system releases the lock when the process ends, even if it is killed. URLs, and
    file systems without locks, are not locked.

    Raises:
        StorageError: another process holds the lock.
    """
    if storage.is_remote(str(directory)):
        yield
        return
    path = Path(directory) / (_SHARED.format(secrets.token_hex(8)) if shared else LOCK_FILE)
    real = Path(os.path.realpath(directory))
    created = [] if shared else [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = _acquire(path, _write_holder)
    except OSError as error:
        raise StorageError(
            f"{directory}: cannot be written ({error.strerror or error}). Choose another directory."
        ) from error
    _held.add(str(real / path.name))
    try:
        for folder in (real, *real.parents):
            _check_unlocked(folder / LOCK_FILE)
        for holder in () if shared else real.glob(_SHARED.format("*")):
            _check_unlocked(holder, remove=True)
        yield
    finally:
        _held.discard(str(real / path.name))
        _release(lock, path, remove=True)
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


def _check_unlocked(path: Path, *, remove: bool = False) -> None:
    """Raise StorageError if another process holds a lock; otherwise `remove` its file."""
    if str(path) in _held or not path.is_file():
        return
    with suppress(OSError):  # the process has ended, or the directory is another user's
        _release(_acquire(path), path, remove)


def _release(lock: FileLock, path: Path, remove: bool) -> None:
    """Release a lock. Its file is removed before, so that nobody locks a file without a name."""
    if remove and sys.platform != "win32":  # there, filelock deletes the file
        path.unlink(missing_ok=True)
    lock.release()


def _acquire(path: Path, on_acquired: Callable[[int], None] | None = None) -> FileLock:
    """Lock a file, which is created. A file system without locks is not locked."""
    lock = FileLock(path, timeout=_PATIENCE, fallback_to_soft=False, on_acquired=on_acquired)
    try:
        lock.acquire()
    except Timeout:
        raise StorageError(
            f"{path.parent}: process {_holder(path)} is writing to this directory. Wait until it "
            "ends, stop it, or choose another directory."
        ) from None
    except OSError as error:
        if error.errno not in _WITHOUT_LOCKS:
            raise
    return lock


def _write_holder(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()} on {socket.gethostname()}".encode())


def _holder(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:  # Windows allows nobody to read a locked file
        return "unknown"
