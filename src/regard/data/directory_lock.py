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
from regard.errors import StorageError

LOCK_FILE = ".lock"


@contextmanager
def lock_directory(directory: str | Path) -> Iterator[None]:
    """Hold the lock of a directory, which is created if it does not exist.

    Directories that were created for the lock and are still empty at the end are removed.

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
        try:
            yield
        finally:
            if sys.platform != "win32":  # Windows does not delete open files
                path.unlink(missing_ok=True)
                with suppress(OSError):  # not empty
                    for folder in created:
                        folder.rmdir()


def _open_locked(path: Path) -> IO[str]:
    while True:
        file = path.open("a+", encoding="utf-8")
        try:
            _lock(file)
        except BlockingIOError:
            with file:
                file.seek(0)
                owner = file.read()
            raise StorageError(
                f"{path.parent}: process {owner} is writing to this directory. Wait until it "
                "ends, stop it, or choose another directory."
            ) from None
        # The previous holder may have deleted the file between the two calls.
        if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
        file.close()


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
