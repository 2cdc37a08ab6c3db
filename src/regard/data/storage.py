"""File operations on local paths and object stores.

A path that contains `://` is a URL and goes through fsspec, which is imported only then. Writes are
atomic: a local file is written to a temporary name, synced and renamed; a PUT to an object store is
atomic by itself.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from regard.errors import CorpusError, StorageError

TMP = ".regard-tmp"  # suffix of unfinished files, which no other program uses


def is_remote(path: str) -> bool:
    return "://" in path


def join_path(root: str, name: str) -> str:
    return f"{root.rstrip('/')}/{name}"


def path_exists(path: str) -> bool:
    return bool(_store(path).exists(path)) if is_remote(path) else Path(path).is_file()


def read_bytes(path: str, start: int = 0, stop: int | None = None) -> bytes:
    """Return the bytes from `start` to `stop`; only this range is fetched from a store."""
    if is_remote(path):
        entire = start == 0 and stop is None  # a range request for an empty object fails
        byte_range = {} if entire else {"start": start, "end": stop}
        return bytes(_store(path).cat_file(path, **byte_range))
    with Path(path).open("rb") as file:
        file.seek(start)
        return file.read() if stop is None else file.read(stop - start)


def map_array(path: str, dtype: DTypeLike) -> NDArray[Any]:
    """Return a file as an array: memory-mapped if local, fetched if remote."""
    if is_remote(path) or not Path(path).stat().st_size:  # an empty file cannot be mapped
        return np.frombuffer(read_bytes(path), dtype)
    return np.memmap(path, dtype, mode="r").view(np.ndarray)


def write_bytes(path: str, content: bytes | memoryview) -> None:
    """Write a file atomically."""
    if is_remote(path):
        _store(path).pipe_file(path, bytes(content))
        return
    with _unfinished_file(path, content) as temporary:
        temporary.replace(path)


def create_bytes(path: str, content: bytes) -> bool:
    """Write a file atomically if there is none. Return whether this call has written it.

    Of several processes, also on several machines, one writes the file.
    """
    if not is_remote(path):
        with _unfinished_file(path, content) as temporary:
            try:
                os.link(temporary, path)
            except FileExistsError:
                return False
        return True
    try:
        _store(path).pipe_file(path, content, mode="create")
    except OSError:
        if path_exists(path):
            return False
        raise
    return True


@contextmanager
def _unfinished_file(path: str, content: bytes | memoryview) -> Iterator[Path]:
    """Write a temporary file beside `path` and yield its name."""
    # Processes on several machines, whose ids may be equal, may write the same file.
    temporary = Path(f"{path}.{secrets.token_hex(8)}{TMP}")
    try:
        temporary.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    except OSError as error:
        raise StorageError(
            f"{path}: cannot be written ({error.strerror or error}); it needs "
            f"{len(content) / 1e6:,.1f} MB. Fix this, then run the same command again."
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def open_upload(url: str) -> Iterator[IO[bytes]]:
    """Yield a file to write to. It becomes the object when the block ends without an error."""
    upload = _store(url).open(url, "wb")
    try:
        yield upload
    except BaseException:
        upload.discard()
        upload.closed = True  # otherwise the end of the file object uploads what was written
        raise
    upload.close()


def list_names(directory: str) -> set[str]:
    """Return the names of the files in a directory; none if it does not exist."""
    if is_remote(directory):
        try:
            paths = _store(directory).ls(directory, detail=False)
        except FileNotFoundError:
            return set()
        return {path.rpartition("/")[2] for path in paths}
    return {path.name for path in Path(directory).glob("*")}


def remove_directory(path: str) -> None:
    """Delete a directory with its files, or all objects below a URL."""
    if not is_remote(path):
        shutil.rmtree(path, ignore_errors=True)
    elif (store := _store(path)).exists(path):
        store.rm(path, recursive=True)


def remove_file(path: str) -> None:
    """Delete a file or an object, if there is one."""
    if not is_remote(path):
        Path(path).unlink(missing_ok=True)
    elif (store := _store(path)).exists(path):
        store.rm(path)


def remove_temporary(directory: str) -> None:
    """Delete unfinished files that killed processes left in a local directory or one below it."""
    if not is_remote(directory):
        for pattern in (f"*{TMP}", f"*/*{TMP}"):
            for path in Path(directory).glob(pattern):
                path.unlink(missing_ok=True)


def file_identity(path: str) -> dict[str, str | int]:
    """Return path, size and version of a file, which change when its content does.

    The version is the ETag or the modification time; the content is not read.
    """
    if is_remote(path):
        try:
            info = _store(path).info(path)
        except FileNotFoundError:
            raise CorpusError(f"{path}: no such object. Check the URL.") from None
        version = info.get("ETag") or info.get("etag") or info.get("LastModified", "")
        return {"path": path, "size": int(info["size"]), "version": str(version)}
    try:
        status = Path(path).stat()
    except FileNotFoundError:
        raise CorpusError(f"{path}: no such file. Check the path.") from None
    return {"path": path, "size": status.st_size, "version": str(status.st_mtime_ns)}


def _store(path: str) -> Any:
    try:
        import fsspec
    except ImportError:
        raise CorpusError(
            f"{path}: object stores require fsspec. Install it with `pip install 'regard[cloud]'`."
        ) from None
    # No cache of listings, because other processes write at the same time.
    store, _ = fsspec.core.url_to_fs(path, use_listings_cache=False)
    return store
