"""The sealed directory of a trained model: files, and a manifest that says what they are.

    model/
    ├── manifest.json        the size and the SHA-256 of every other file
    ├── README.md            the model card
    ├── run.yaml             the resolved run
    ├── weights.safetensors  each tensor once
    ├── tokenizer.model      and tokenizer.json, text.json: its text pipeline
    ├── scores.json          how good it was found, and by which measures
    ├── data.json            what it was taught with: counts and fingerprints
    ├── alignment.json       which of its looks points, and alarms.json: what is usual for it
    └── ctranslate2/         the same model for another engine, where it was exported

Nothing in it is code, and nothing is parsed before its bytes were compared with the manifest: not
as they were when the bundle was opened, but the very bytes. What else lies there is never read.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from torch import Tensor

from regard.bundle import manifest
from regard.bundle.manifest import MANIFEST, FileIdentity, identify_file
from regard.bundle.weights import pack, unpack
from regard.data import storage
from regard.errors import ArtifactError

CARD = "README.md"
WEIGHTS = "weights.safetensors"
RUN = "run.yaml"
SCORES = "scores.json"
DATA = "data.json"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bundle:
    """A directory whose files were found to be what its manifest says."""

    path: Path
    files: Mapping[str, FileIdentity]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.files)

    def read(self, name: str) -> bytes:
        """The bytes of a file, compared with the manifest; they may have changed meanwhile."""
        if name not in self.files:
            raise ArtifactError(f"{self.path}: has no {name}; it was sealed by another version")
        with _open(self.path, name) as file:
            data = file.read(self.files[name].size + 1)
        _compare(self.path / name, identify_file(data), self.files[name])
        return data

    def text(self, name: str) -> str:
        try:
            return self.read(name).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ArtifactError(f"{self.path / name}: not UTF-8 ({error}); seal it again") from None

    def json(self, name: str) -> dict[str, Any]:
        """What a JSON file says, by name."""
        try:
            said = json.loads(self.text(name))
        except (ValueError, RecursionError) as error:
            raise ArtifactError(f"{self.path / name}: not JSON ({error}); seal it again") from None
        if type(said) is not dict:
            raise ArtifactError(f"{self.path / name}: tells no facts by name; seal it again")
        return said

    def value(self, name: str, kind: type[T]) -> T:
        """What a JSON file says, as a value whose every field was checked."""
        try:
            return TypeAdapter(kind).validate_json(self.read(name), strict=True)
        except ValidationError as error:
            wrong = "; ".join(
                ": ".join((*map(str, one["loc"]), one["msg"])) for one in error.errors()
            )
            raise ArtifactError(f"{self.path / name}: {wrong}; seal it again") from None

    def weights(self) -> dict[str, Tensor]:
        return unpack(self.read(WEIGHTS), self.path / WEIGHTS)


def save_bundle(path: Path, files: Mapping[str, bytes], weights: Mapping[str, Tensor]) -> Bundle:
    """Write a bundle aside and swap it in; one that was there before is replaced."""
    return _write_bundle(path, {**files, WEIGHTS: pack(weights)}.items())


def add_files(bundle: Bundle, files: Mapping[str, bytes]) -> Bundle:
    """Seal the same bundle with more files, or with others in the place of some."""
    kept = ((name, bundle.read(name)) for name in bundle.names if name not in files)
    return _write_bundle(bundle.path, chain(kept, files.items()))


def open_bundle(path: Path) -> Bundle:
    """Open a bundle, every byte of which is compared with the manifest before it is used."""
    try:
        with _open(path, MANIFEST) as file:
            said = file.read(manifest.MAX_FILES + 1)
    except ArtifactError as error:
        aside = _beside(path, "old")
        raise ArtifactError(
            f"{path}: not a model ({error}); "
            + (
                f"it was being replaced: rename {aside} to {path.name}"
                if aside.exists()
                else "name a folder that `regard train` has sealed, such as run/model"
            )
        ) from None
    if len(said) > manifest.MAX_FILES:
        raise ArtifactError(
            f"{path / MANIFEST}: a manifest has {manifest.MAX_FILES:,} bytes at most; do not use "
            "this model"
        )
    files = manifest.read_manifest(said, path / MANIFEST)
    for name, identity in files.items():
        with _open(path, name) as file:
            size = os.fstat(file.fileno()).st_size
            if size == identity.size:  # else its bytes need not be read
                found = FileIdentity(size, hashlib.file_digest(file, "sha256").hexdigest())
            else:
                found = FileIdentity(size, "")
        _compare(path / name, found, identity)
    return Bundle(path, files)


def _write_bundle(path: Path, contents: Iterable[tuple[str, bytes]]) -> Bundle:
    aside, old = _beside(path, "aside"), _beside(path, "old")
    for left in (aside, old):  # by one who was killed
        shutil.rmtree(left, ignore_errors=True)
    files = {}
    for name, data in contents:
        files[name] = identify_file(data)
        manifest.check_file(name, len(data), path)
        storage.write_bytes(str(aside / name), data)
    storage.write_bytes(str(aside / MANIFEST), manifest.write_manifest(files))
    open_bundle(aside)  # what cannot be opened replaces nothing
    if path.exists():
        path.rename(old)
    aside.rename(path)
    shutil.rmtree(old, ignore_errors=True)
    return Bundle(path, files)


def _beside(path: Path, what: str) -> Path:
    return path.with_name(f"{path.name}.{what}")


def _open(folder: Path, name: str) -> BufferedReader:
    """A plain file that lies in the folder itself: no link, pipe or device, nor behind a link."""
    path = folder / name
    try:
        inside = path.parent == folder or stat.S_ISDIR(path.parent.lstat().st_mode)
        found = path.lstat()
        if not (inside and stat.S_ISREG(found.st_mode)):
            raise ArtifactError(f"{path}: is not a plain file; copy the model again")
        file = path.open("rb")
    except OSError as error:
        raise ArtifactError(
            f"{path}: cannot be read ({error.strerror}); copy the model again"
        ) from None
    if not os.path.samestat(found, os.fstat(file.fileno())):
        file.close()
        raise ArtifactError(f"{path}: was replaced while it was opened; open the model again")
    return file


def _compare(path: Path, found: FileIdentity, said: FileIdentity) -> None:
    if found != said:
        raise ArtifactError(
            f"{path}: is not what {MANIFEST} says: it was damaged or changed; copy it again"
        )
