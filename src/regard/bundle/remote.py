"""Model bundles in object stores: fetched once to a cache on the local disk."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from regard.bundle.bundle import open_bundle
from regard.bundle.manifest import MANIFEST, check_file, read_manifest
from regard.data import storage
from regard.errors import ArtifactError


def bundle_digest(path: str | Path) -> str:
    """Return the SHA-256 of the manifest of a bundle, which changes when any of its files does."""
    return hashlib.sha256(_read_manifest(str(path))).hexdigest()


def fetch_bundle(path: str | Path) -> Path:
    """Return the local directory of a bundle. That of a URL is copied to the cache.

    Directories of the cache are named by the digest of the bundle. They are complete: processes
    that fetch the same bundle at once use the copy that is finished first.
    """
    if not storage.is_remote(str(path)):
        return Path(path)
    data = _read_manifest(str(path))
    folder = _cache() / hashlib.sha256(data).hexdigest()
    if folder.is_dir():
        return folder
    copy = folder.with_name(f"{folder.name}.{os.getpid()}")
    try:
        for name, identity in read_manifest(data, Path(MANIFEST)).items():
            check_file(name, identity.size, copy)
            storage.write_bytes(
                str(copy / name), storage.read_bytes(storage.join_path(str(path), name))
            )
        storage.write_bytes(str(copy / MANIFEST), data)
        open_bundle(copy)  # compares all files with the manifest
        copy.rename(folder)
    except OSError:
        if not folder.is_dir():  # otherwise another process was faster
            raise
    finally:
        shutil.rmtree(copy, ignore_errors=True)
    return folder


def _read_manifest(path: str) -> bytes:
    try:
        return storage.read_bytes(storage.join_path(path, MANIFEST))
    except OSError as error:
        raise ArtifactError(
            f"{path}: not a model bundle: {MANIFEST} cannot be read ({error}). "
            "Pass a directory that `regard train` has written, such as run/model, or its URL."
        ) from None


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "regard" / "models"
