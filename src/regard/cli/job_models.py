"""The model bundles of corpus jobs, which workers on any machine open."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from regard.bundle.remote import bundle_digest, fetch_bundle
from regard.cli.job_options import absolute_path
from regard.errors import ArtifactError
from regard.tasks.translation.translator import Translator


@dataclass(frozen=True)
class JobModel:
    """A bundle, by its path or URL, and the digest that it must have on every machine."""

    path: str
    digest: str
    to: str | None = None  # target language

    @classmethod
    def find(cls, path: str, to: str | None = None) -> JobModel:
        return cls(absolute_path(path), bundle_digest(path), to)

    def fetch(self) -> Path:
        """Return the local directory of the bundle."""
        folder = fetch_bundle(self.path)
        if bundle_digest(folder) != self.digest:
            raise ArtifactError(
                f"{self.path}: differs from the bundle that the job was started with. Use the same "
                "bundle on every machine, and do not replace it during the job."
            )
        return folder

    def load(self) -> Translator:
        """Return the model with the torch engine, which scores and aligns."""
        return Translator.load(self.fetch(), engine="torch").for_target(self.to)
