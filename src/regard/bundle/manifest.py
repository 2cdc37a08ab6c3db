"""What a bundle says of its files: the size and the SHA-256 of each, written in one way only.

Whatever damages a manifest is found. It is compared with its own content written anew, so no byte
of it is idle; and each of its words says something of a file that is then found to be otherwise.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from regard.errors import ArtifactError

FORMAT = 1
MANIFEST = "manifest.json"
MAX_FILES = 64 << 10  # bytes of a manifest: hundreds of files, and a bundle has some ten

MAX_FILE_BYTES = {
    ".yaml": 256 << 10,  # a run is a page or two
    ".md": 1 << 20,
    ".json": 4 << 20,  # a vocabulary of 250,000 pieces; parsed, at most 100 MB
    ".model": 5 << 19,  # SentencePiece: 100,000 pieces; 260,000 absurd ones load in half a second
    ".safetensors": 16 << 30,  # four thousand million float32
    ".bin": 16 << 30,  # CTranslate2's own weights
}
"""The kinds of file that a bundle may have, and the most bytes of each. None of them is code."""

_NAME = re.compile(r"(\w[\w.-]*/)?\w[\w.-]*", re.ASCII)
_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """What tells a file's content from any other."""

    size: int
    sha256: str


def identify_file(data: bytes) -> FileIdentity:
    return FileIdentity(len(data), hashlib.sha256(data).hexdigest())


def write_manifest(files: Mapping[str, FileIdentity]) -> bytes:
    said = {"format": FORMAT, "files": {name: asdict(one) for name, one in files.items()}}
    return json.dumps(said, indent=1, sort_keys=True).encode()


def read_manifest(data: bytes, where: Path) -> dict[str, FileIdentity]:
    """The files of a manifest, each with a name and a size that a bundle may have."""
    try:
        said = json.loads(data)
        known, files = said["format"], {n: _identity(f) for n, f in said["files"].items()}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ArtifactError(
            f"{where}: not the manifest of a model ({type(error).__name__}); copy it again"
        ) from None
    if type(known) is int and known != FORMAT:
        raise ArtifactError(
            f"{where}: of format {known}, and this version reads {FORMAT}; use the version of "
            "regard that sealed it, or copy it again if it was damaged"
        )
    if write_manifest(files) != data:
        raise ArtifactError(f"{where}: is damaged or was changed by hand; copy it again")
    for name, identity in files.items():
        check_file(name, identity.size, where)
    return files


def check_file(name: str, size: int, where: Path) -> None:
    """Refuse a name that may lead out of the bundle, and what is too large to be what it is."""
    shown = repr(name[:80])  # whose characters may be anything
    if not _NAME.fullmatch(name) or name == MANIFEST:
        raise ArtifactError(
            f"{where}: {shown} cannot be a file of a model: letters, digits and . _ - make its "
            "name, with one folder at most; do not use a model that says otherwise"
        )
    largest = MAX_FILE_BYTES.get(PurePosixPath(name).suffix)
    if largest is None:
        raise ArtifactError(
            f"{where}: {shown} is of a kind that no model has; there are "
            f"{', '.join(sorted(MAX_FILE_BYTES))}"
        )
    if size > largest:
        raise ArtifactError(
            f"{where}: {shown} has {size:,} bytes, and such a file has {largest:,} at most; "
            "do not use a model that says otherwise"
        )


def _identity(facts: Mapping[str, object]) -> FileIdentity:
    size, digest = facts["size"], facts["sha256"]
    if type(size) is not int or type(digest) is not str or not _DIGEST.fullmatch(digest):
        raise ValueError("neither a size nor a SHA-256")
    return FileIdentity(size, digest)
