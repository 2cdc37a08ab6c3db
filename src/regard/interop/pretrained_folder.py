"""Read the files of a folder that others have written: regular files of limited size."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regard.bundle.manifest import MAX_FILE_BYTES
from regard.errors import ArtifactError

MAX_JSON = 16 << 20
MAX_SPM = MAX_FILE_BYTES[".model"]
MAX_WEIGHTS = 8 << 30


@dataclass(frozen=True, slots=True)
class PretrainedFolder:
    """A folder with a model. `read_names` collects the files that were read."""

    path: Path
    read_names: list[str] = field(default_factory=list)

    def find(self, *patterns: str) -> list[str]:
        """Return the names of the files that match one of the patterns, sorted."""
        names = {path.name for pattern in patterns for path in self.path.glob(pattern)}
        return sorted(name for name in names if (self.path / name).is_file())

    def file(self, name: str, limit: int) -> Path:
        """Return the path of a regular file; raise ArtifactError if it is odd or too large."""
        path = self.path / name
        if Path(name).name != name:
            raise ArtifactError(f"{path}: is outside of the folder. Do not use this model.")
        try:
            status = path.stat()
        except OSError as error:
            raise ArtifactError(f"{path}: cannot be read ({error.strerror}).") from None
        if not stat.S_ISREG(status.st_mode):
            raise ArtifactError(f"{path}: is not a regular file. Do not use this model.")
        if status.st_size > limit:
            raise ArtifactError(
                f"{path}: has {status.st_size:,} bytes, and the limit is {limit:,}. "
                "Do not use this model."
            )
        if name not in self.read_names:
            self.read_names.append(name)
        return path

    def read(self, name: str, limit: int) -> bytes:
        path = self.file(name, limit)
        with path.open("rb") as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise ArtifactError(f"{path}: grew beyond {limit:,} bytes while it was read.")
        return data

    def text(self, name: str) -> str:
        try:
            return self.read(name, MAX_JSON).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ArtifactError(f"{self.path / name}: not UTF-8 ({error}).") from None

    def json(self, name: str) -> dict[str, Any]:
        try:
            content = json.loads(self.text(name))
        except (ValueError, RecursionError) as error:
            raise ArtifactError(f"{self.path / name}: not JSON ({error}).") from None
        if type(content) is not dict:
            raise ArtifactError(f"{self.path / name}: must be a JSON object.")
        return content

    def licence(self) -> str | None:
        """Return the licence that the card of the model names."""
        for name in self.find("README.md"):
            lines = self.text(name).split("\n")[:200]
            if lines[0].strip() != "---":
                return None
            for line in lines[1:]:
                if line.strip() == "---":
                    return None
                key, _, value = line.partition(":")
                if key.strip().lower() == "license" and value.strip():
                    return value.strip().strip("\"'")[:100]
        return None
