"""Model bundles: the directory of a trained model.

    model/
    ├── manifest.json        size and SHA-256 of every other file
    ├── README.md            model card
    ├── run.yaml             resolved config
    ├── weights.safetensors  parameters
    ├── tokenizer.model      tokenizer, with tokenizer.json
    ├── target_tokenizer.*   the same of the target, if its vocabulary differs
    ├── languages.json       pairs of languages, where known
    ├── splitting.json       lengths above which texts are split
    ├── scores.json          validation scores and their signatures
    ├── data.json            sizes and fingerprints of the corpora
    ├── alignment.json       the alignment head
    ├── aligner.safetensors  the word aligner
    ├── quality.json         thresholds of quality warnings
    └── ctranslate2/         the exported model, after `regard export`

A bundle contains no code. Every read compares the bytes with the manifest before they are parsed.
Files that the manifest does not list are ignored. This module is free of torch: it handles bytes.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from regard.bundle import manifest
from regard.bundle.manifest import MANIFEST, FileIdentity, identify_file
from regard.data import storage
from regard.errors import ArtifactError
from regard.text.tagged_tokenizer import read_tokenizers
from regard.text.tokenizer import Tokenizer

CARD = "README.md"
WEIGHTS = "weights.safetensors"
RUN = "run.yaml"
SCORES = "scores.json"
DATA = "data.json"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bundle:
    """An open bundle. `open_bundle` has checked all its files."""

    path: Path
    files: Mapping[str, FileIdentity]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.files)

    @property
    def version(self) -> str:
        """A digest that changes with every change of a file."""
        return identify_file(manifest.write_manifest(self.files)).sha256[:12]

    def read(self, name: str) -> bytes:
        """Return the bytes of a file, compared with the manifest again."""
        if name not in self.files:
            raise ArtifactError(f"{self.path}: has no {name}. Another version of regard saved it")
        with _open(self.path, name) as file:
            data = file.read(self.files[name].size + 1)
        _compare(self.path / name, identify_file(data), self.files[name])
        return data

    def text(self, name: str) -> str:
        try:
            return self.read(name).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ArtifactError(f"{self.path / name}: not UTF-8 ({error})") from None

    def json(self, name: str) -> dict[str, object]:
        """Return the object of a JSON file."""
        try:
            content = json.loads(self.text(name))
        except (ValueError, RecursionError) as error:
            raise ArtifactError(f"{self.path / name}: not JSON ({error})") from None
        if type(content) is not dict:
            raise ArtifactError(f"{self.path / name}: must be a JSON object")
        return content

    def value(self, name: str, kind: type[T]) -> T:
        """Return a JSON file as an instance of the dataclass `kind`, with all fields checked."""
        try:
            return TypeAdapter(kind).validate_json(self.read(name), strict=True)
        except ValidationError as error:
            problems = "; ".join(
                ": ".join((*map(str, problem["loc"]), problem["msg"])) for problem in error.errors()
            )
            raise ArtifactError(f"{self.path / name}: {problems}") from None


def save_bundle(path: Path, files: Mapping[str, bytes]) -> Bundle:
    """Write a bundle to a temporary directory and move it to `path`, replacing an old bundle."""
    return _write_bundle(path, files.items())


def add_files(bundle: Bundle, files: Mapping[str, bytes]) -> Bundle:
    """Save the bundle again with files added or replaced."""
    unchanged = ((name, bundle.read(name)) for name in bundle.names if name not in files)
    return _write_bundle(bundle.path, chain(unchanged, files.items()))


def find_bundle(path: Path) -> Path:
    """Return `path`, or the folder `model` in it if `path` is a run directory."""
    model = path / "model"
    try:
        is_run = not os.path.lexists(path / MANIFEST) and (model / MANIFEST).is_file()
    except OSError:  # not a path, such as a name that is too long
        return path
    return model if is_run else path


def open_bundle(path: Path) -> Bundle:
    """Open a bundle, or the bundle of a run directory; compare every file with the manifest."""
    path = find_bundle(path)
    try:
        with _open(path, MANIFEST) as file:
            data = file.read(manifest.MAX_BYTES + 1)
    except ArtifactError:
        olds = sorted(path.resolve().parent.glob(f"{glob.escape(path.name)}.old-*"))
        missing = (os.path.lexists(path / MANIFEST) and "cannot be read") or "does not exist"
        raise ArtifactError(
            f"{path}: not a model bundle: {MANIFEST} {missing}. "
            + (
                f"Saving a new version was interrupted: rename {olds[-1]} to {path.name}"
                if olds and not path.exists()
                else "Pass a directory that `regard train` has written, such as run/model"
            )
        ) from None
    if len(data) > manifest.MAX_BYTES:
        raise ArtifactError(
            f"{path / MANIFEST}: must have at most {manifest.MAX_BYTES:,} bytes. Do not use this "
            "bundle"
        )
    files = manifest.read_manifest(data, path / MANIFEST)
    for name, identity in files.items():
        with _open(path, name) as file:
            size = os.fstat(file.fileno()).st_size
            if size == identity.size:
                actual = FileIdentity(size, hashlib.file_digest(file, "sha256").hexdigest())
            else:
                actual = FileIdentity(size, "")
        _compare(path / name, actual, identity)
    return Bundle(path, files)


def _write_bundle(path: Path, contents: Iterable[tuple[str, bytes]]) -> Bundle:
    """Write beside `path` and rename. Files of `path` that are not of a bundle are kept."""
    path = path.resolve()
    version = secrets.token_hex(4)
    new, old = (path.with_name(f"{path.name}.{kind}-{version}") for kind in ("new", "old"))
    files = {}
    try:
        for name, data in contents:
            files[name] = identify_file(data)
            manifest.check_file(name, len(data), path)
            storage.write_bytes(str(new / name), data)
        storage.write_bytes(str(new / MANIFEST), manifest.write_manifest(files))
        open_bundle(new)  # an invalid bundle must not replace the old one
        listed = _listed_files(path)
        for name in {MANIFEST, *files} - listed:
            if os.path.lexists(path / name):
                raise ArtifactError(
                    f"{path / name}: is not part of a bundle and would be overwritten. Move it away"
                )
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    if not path.exists():
        new.rename(path)
        return Bundle(path, files)
    path.rename(old)
    new.rename(path)
    for name in listed:
        (old / name).unlink(missing_ok=True)
    _move_contents(old, path)
    return Bundle(path, files)


def _listed_files(path: Path) -> set[str]:
    """Names of the files that belong to the bundle at `path`; none if there is no bundle."""
    try:
        data = (path / MANIFEST).read_bytes()
        return {MANIFEST, *manifest.read_manifest(data, path / MANIFEST)}
    except (OSError, ArtifactError):
        return set()


def _move_contents(old: Path, new: Path) -> None:
    """Move what is left in `old` to the same place in `new`, and remove `old`."""
    for entry in old.iterdir():
        target = new / entry.name
        if target.is_dir() and entry.is_dir() and not entry.is_symlink():
            _move_contents(entry, target)
        else:
            entry.rename(target)
    old.rmdir()


def _open(folder: Path, name: str) -> BufferedReader:
    """Open a regular file of the directory; refuse links, pipes, devices and linked directories."""
    path = folder / name
    try:
        inside = path.parent == folder or stat.S_ISDIR(path.parent.lstat().st_mode)
        status = path.lstat()
        if not (inside and stat.S_ISREG(status.st_mode)):
            raise ArtifactError(f"{path}: not a regular file. Copy the bundle again")
        file = path.open("rb")
    except OSError as error:
        raise ArtifactError(
            f"{path}: cannot be read ({error.strerror}). Copy the bundle again"
        ) from None
    if not os.path.samestat(status, os.fstat(file.fileno())):
        file.close()
        raise ArtifactError(f"{path}: was replaced while it was opened. Open the bundle again")
    return file


def _compare(path: Path, actual: FileIdentity, expected: FileIdentity) -> None:
    if actual != expected:
        raise ArtifactError(
            f"{path}: does not match {MANIFEST}: damaged or changed. Copy the bundle again"
        )


# -- the tokenizers of a bundle. Free of torch -----------------------------------------------------


def bundle_tokenizers(bundle: Bundle) -> tuple[Tokenizer, Tokenizer]:
    """Return the tokenizers of source and target; they are one object if they are the same."""
    return read_tokenizers(bundle.read, bundle.names, bundle.path)


def bundle_tokenizer(bundle: Bundle) -> Tokenizer:
    """Return the tokenizer of a model that has only one."""
    return bundle_tokenizers(bundle)[0]
