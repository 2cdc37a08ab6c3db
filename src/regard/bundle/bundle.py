"""The sealed directory of a trained model: files, and a manifest that says what they are.

    model/
    ├── manifest.json        the size and the SHA-256 of every other file
    ├── run.yaml             the resolved run
    ├── weights.safetensors  each tensor once
    ├── tokenizer.model      and tokenizer.json: its text pipeline
    └── scores.json          how good it was found, and by which measures

Nothing in it is code, and nothing is parsed before its bytes were compared with the manifest.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from safetensors.torch import load, save
from torch import Tensor

from regard.data import storage
from regard.errors import ArtefactError

FORMAT = 1
MANIFEST = "manifest.json"
WEIGHTS = "weights.safetensors"
RUN = "run.yaml"
SCORES = "scores.json"
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Bundle:
    """A directory whose files were found to be what its manifest says."""

    path: Path
    names: tuple[str, ...]

    def read(self, name: str) -> bytes:
        if name not in self.names:
            raise ArtefactError(f"{self.path}: has no {name}; it was sealed by another version")
        return (self.path / name).read_bytes()

    def weights(self) -> dict[str, Tensor]:
        return load(self.read(WEIGHTS))


def seal(path: Path, files: Mapping[str, bytes], weights: Mapping[str, Tensor]) -> Bundle:
    """Write a bundle aside and swap it in; one that was there before is replaced."""
    content = {**files, WEIGHTS: _packed(weights)}
    aside, old = (path.with_name(path.name + end) for end in (".aside", ".old"))
    for left in (aside, old):  # by one who was killed
        shutil.rmtree(left, ignore_errors=True)
    for name, data in content.items():
        storage.write(str(aside / name), data)
    manifest = {"format": FORMAT, "files": {name: _identity(d) for name, d in content.items()}}
    text = json.dumps(manifest, indent=1, sort_keys=True)
    storage.write(str(aside / MANIFEST), text.encode())
    if path.exists():
        path.rename(old)
    aside.rename(path)
    shutil.rmtree(old, ignore_errors=True)
    return unseal(path)


def unseal(path: Path) -> Bundle:
    """Open a bundle, every byte of which is compared with the manifest before it is used."""
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
        known, files = manifest["format"], dict(manifest["files"])
    except OSError as error:
        raise ArtefactError(
            f"{path}: not a model ({error.strerror}: {MANIFEST}); name a folder that "
            "`regard train` has sealed, such as run/model"
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise ArtefactError(f"{path / MANIFEST}: is damaged ({error}); copy it again") from None
    if known != FORMAT:
        raise ArtefactError(f"{path}: of format {known}, and this version reads {FORMAT}")
    for name, identity in files.items():
        file = path / name
        if not _NAME.fullmatch(name) or file.is_symlink() or not file.is_file():
            raise ArtefactError(f"{file}: is missing, or not a plain file; copy the model again")
        if _identity(file.read_bytes()) != identity:
            raise ArtefactError(
                f"{file}: is not what {MANIFEST} says: it was damaged or changed; copy it again"
            )
    return Bundle(path, tuple(files))


def _packed(weights: Mapping[str, Tensor]) -> bytes:
    return save({name: t.cpu().contiguous() for name, t in weights.items()})


def _identity(data: bytes) -> dict[str, int | str]:
    return {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
