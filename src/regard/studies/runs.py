"""The runs of a study: an entry with a seed, and what is left of it when it is complete."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from regard.config.run import RunConfig
from regard.data.formats.corpus import read_parallel
from regard.tasks.training import RunDirectory
from regard.tasks.translation.translator import Translator


@dataclass(frozen=True, slots=True)
class Entry:
    """One model of a study: a preset and the settings that change it."""

    name: str  # in tables and figures
    stem: str  # in file names
    preset: str
    settings: tuple[str, ...] = ()  # as for `--set`
    reverses: str | None = None  # the entry that translates in the other direction

    @property
    def reversed(self) -> bool:
        """Whether it translates from target to source."""
        return self.reverses is not None


@dataclass(frozen=True, slots=True)
class StudyRun:
    """An entry with a seed."""

    entry: Entry
    seed: int
    config: RunConfig
    directory: RunDirectory
    test: tuple[str, str]  # files of sources and references

    @property
    def name(self) -> str:
        return f"{self.entry.name}, seed {self.seed}"

    @property
    def outputs(self) -> Path:
        """The file of the translations of the test sources, whose hash is part of its name."""
        sources, _ = self.test_pairs()
        digest = hashlib.sha256("\n".join(sources).encode()).hexdigest()
        return self.directory.path / f"outputs-{digest[:12]}.txt"

    @property
    def cost(self) -> Path:
        """The file of the run's cost, written when it is trained."""
        return self.directory.path / "cost.json"

    @property
    def complete(self) -> bool:
        """Whether the model is trained and has translated the test set."""
        return self.cost.exists() and self.outputs.exists()

    def test_pairs(self) -> tuple[list[str], list[str]]:
        """The sources and the references."""
        return read_parallel(*self.test)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a run."""

    parameters: int
    tokens: int  # predicted target tokens
    seconds: float  # in training steps
    speed: float  # target tokens per second, median over the steps
    memory: int  # peak, in bytes


@dataclass(frozen=True, slots=True)
class TrainedRun:
    """A completed run."""

    run: StudyRun
    cost: Cost

    @classmethod
    def read(cls, run: StudyRun) -> TrainedRun:
        return cls(run, Cost(**json.loads(run.cost.read_text("utf-8"))))

    @property
    def outputs(self) -> list[str]:
        """The translations of the test sources."""
        return self.run.outputs.read_text("utf-8").splitlines()

    def translator(self) -> Translator:
        """Load the model."""
        return Translator.load(self.run.directory.model, engine="torch")
