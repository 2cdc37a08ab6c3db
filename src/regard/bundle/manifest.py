"""The manifest of a bundle: size and SHA-256 of each file.

A manifest has exactly one byte representation. Reading compares it with its own content written
again, so any damage to it is found.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from regard.errors import ArtifactError

FORMAT = 2
MANIFEST = "manifest.json"
MAX_BYTES = 64 << 10  # of a manifest: enough for hundreds of files

MAX_FILE_BYTES = {
    ".yaml": 256 << 10,  # run.yaml
    ".md": 1 << 20,
    ".json": 4 << 20,  # a vocabulary of 250,000 tokens; parsed, at most 100 MB
    ".model": 5 << 19,  # SentencePiece: 100,000 tokens; loads within half a second
    ".safetensors": 16 << 30,  # 4·10⁹ float32
    ".bin": 16 << 30,  # CTranslate2 weights
}
"""The file types that a bundle may have, with their maximum sizes. None of them is code."""

_NAME = re.compile(r"(\w[\w.-]*/)?\w[\w.-]*", re.ASCII)
_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """Size and digest of a file."""

    size: int
    sha256: str


def identify_file(data: bytes) -> FileIdentity:
    """Return the identity of a file with these bytes."""
    return FileIdentity(len(data), hashlib.sha256(data).hexdigest())


def write_manifest(files: Mapping[str, FileIdentity]) -> bytes:
    """Return the bytes of a manifest."""
    content = {"format": FORMAT, "files": {name: asdict(file) for name, file in files.items()}}
    return json.dumps(content, indent=1, sort_keys=True).encode()


def read_manifest(data: bytes, path: Path) -> dict[str, FileIdentity]:
    """Return the files of a manifest, after checking names and sizes; errors name `path`."""
    try:
        content = json.loads(data)
        version = content["format"]
        files = {name: _identity(facts) for name, facts in content["files"].items()}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ArtifactError(
            f"{path}: not the manifest of a bundle ({type(error).__name__}). Copy the bundle again"
        ) from None
    if version == 1:
        raise ArtifactError(
            f"{path}: bundle format 1 was never released and cannot be read. Retrain the model"
        )
    if type(version) is int and version != FORMAT:
        raise ArtifactError(
            f"{path}: this version of regard reads bundle format {FORMAT}, not {version}. Use the "
            "version of regard that saved the bundle, or copy it again if it was damaged"
        )
    if write_manifest(files) != data:
        raise ArtifactError(f"{path}: damaged or edited. Copy the bundle again")
    for name, identity in files.items():
        check_file(name, identity.size, path)
    return files


def check_file(name: str, size: int, path: Path) -> None:
    """Raise an ArtifactError if a file's name, type or size is not allowed in a bundle."""
    shown = repr(name[:80])  # it may contain any character
    if not _NAME.fullmatch(name) or name == MANIFEST:
        raise ArtifactError(
            f"{path}: {shown} is not an allowed file name in a model bundle: ASCII letters, "
            "digits and . _ - with at most one directory. Do not use this bundle"
        )
    largest = MAX_FILE_BYTES.get(PurePosixPath(name).suffix)
    if largest is None:
        raise ArtifactError(
            f"{path}: {shown} is not an allowed file type in a model bundle. Allowed: "
            f"{', '.join(sorted(MAX_FILE_BYTES))}"
        )
    if size > largest:
        raise ArtifactError(
            f"{path}: {shown} has {size:,} bytes, and the limit is {largest:,}. Do not use this "
            "bundle"
        )


def _identity(facts: Mapping[str, object]) -> FileIdentity:
    size, digest = facts["size"], facts["sha256"]
    if type(size) is not int or type(digest) is not str or not _DIGEST.fullmatch(digest):
        raise ValueError("invalid size or SHA-256")
    return FileIdentity(size, digest)
