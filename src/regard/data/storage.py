"""Files, here or in an object store: the few verbs that shards and manifests need.

A path with `://` in it is a URL and goes through fsspec, which is imported only then. A file
appears whole or not at all: here it is written aside, synced and renamed; in a store a PUT is
atomic.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from regard.errors import CorpusError


def is_remote(path: str) -> bool:
    return "://" in path


def join_path(root: str, name: str) -> str:
    return f"{root.rstrip('/')}/{name}"


def path_exists(path: str) -> bool:
    return bool(_store(path).exists(path)) if is_remote(path) else Path(path).is_file()


def read_bytes(path: str, start: int = 0, stop: int | None = None) -> bytes:
    """The bytes of a file from `start` to `stop`; of a store, only these are fetched."""
    if is_remote(path):
        whole = start == 0 and stop is None  # of an empty object no range can be asked
        asked = {} if whole else {"start": start, "end": stop}
        return bytes(_store(path).cat_file(path, **asked))
    with Path(path).open("rb") as file:
        file.seek(start)
        return file.read() if stop is None else file.read(stop - start)


def map_array(path: str, dtype: DTypeLike) -> NDArray[Any]:
    """The numbers in a file: mapped where it lies here, fetched where it lies in a store."""
    if is_remote(path) or not Path(path).stat().st_size:  # nothing cannot be mapped
        return np.frombuffer(read_bytes(path), dtype)
    return np.memmap(path, dtype, mode="r").view(np.ndarray)


def write_bytes(path: str, content: bytes | memoryview) -> None:
    """Write a whole file, so that nobody ever sees a part of it."""
    if is_remote(path):
        _store(path).pipe_file(path, bytes(content))
        return
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    aside = f"{path}.{os.getpid()}.aside"  # a retried task may meet the one it replaces
    with Path(aside).open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    Path(aside).replace(path)


def file_identity(path: str) -> dict[str, str | int]:
    """What tells this content of a file from another, without reading it: name, size, version."""
    if is_remote(path):
        try:
            facts = _store(path).info(path)
        except FileNotFoundError:
            raise CorpusError(f"{path}: there is no such object; check the name") from None
        version = facts.get("ETag") or facts.get("etag") or facts.get("LastModified", "")
        return {"path": path, "size": int(facts["size"]), "version": str(version)}
    try:
        facts = Path(path).stat()
    except FileNotFoundError:
        raise CorpusError(f"{path}: there is no such file; check the name") from None
    return {"path": path, "size": facts.st_size, "version": str(facts.st_mtime_ns)}


def _store(path: str) -> Any:
    try:
        import fsspec
    except ImportError:
        raise CorpusError(
            f"{path}: reading an object store needs fsspec; pip install 'regard[cloud]'"
        ) from None
    # Listings are not cached: other processes write at the same time.
    store, _ = fsspec.core.url_to_fs(path, use_listings_cache=False)
    return store
