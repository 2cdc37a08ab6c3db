"""The interface of a toolkit in the comparison."""

from __future__ import annotations

import re
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median

from benchmarks.peers.experiment import Experiment, Recipe, read_recipe
from benchmarks.peers.process import child_environment


@dataclass(frozen=True)
class Plan:
    """A run of a toolkit: its schedule and its directory."""

    folder: Path
    steps: int
    warmup: int
    validate_every: int
    report_every: int

    @property
    def log(self) -> Path:
        """The output of the training command."""
        return self.folder / "train.log"

    @property
    def outputs(self) -> Path:
        """The translations of the test set, as text or as pieces, depending on the toolkit."""
        return self.folder / "outputs.txt"


@dataclass(frozen=True)
class LogEntry:
    """A progress line of a log."""

    step: int
    at: float  # seconds since the start of the first step
    rate: float  # target tokens per second since the previous entry, including EOS


@dataclass(frozen=True)
class History:
    parameters: int
    entries: tuple[LogEntry, ...]
    validations: tuple[float, ...]  # seconds of each

    @property
    def rate(self) -> float:
        return median(entry.rate for entry in self.entries)

    @property
    def seconds_per_step(self) -> float:
        """The median, which ignores the validations between steps."""
        return median((b.at - a.at) / (b.step - a.step) for a, b in pairwise(self.entries))


class Toolkit(ABC):
    """The commands, the configuration and the log format of a toolkit."""

    name: str
    package: str  # distribution name
    patches: tuple[str, ...] = ()  # changes that are needed to run it
    differs: tuple[str, ...] = ()  # differences from regard that cannot be configured away

    def __init__(self, python: Path, experiment: Experiment) -> None:
        self.python, self.experiment = python, experiment

    @property
    def recipe(self) -> Recipe:
        return read_recipe(self.experiment.run)

    def versions(self) -> dict[str, str]:
        names = (self.package, "torch", "numpy")
        code = f"from importlib.metadata import version; print(*map(version, {names}))"
        output = subprocess.check_output(
            [str(self.python), "-c", code], env=child_environment(self.python), text=True
        )
        return dict(zip(names, output.split(), strict=True))

    @abstractmethod
    def train(self, plan: Plan) -> list[str]:
        """Write the configuration and return the training command."""

    @abstractmethod
    def read(self, plan: Plan) -> History | None:
        """Read the log so far; None if training has not started."""

    @abstractmethod
    def translate(self, plan: Plan) -> list[str]:
        """The command that translates the test set with the best model of the run."""

    @abstractmethod
    def outputs(self, plan: Plan) -> list[str]:
        """The translations of the test set, detokenized."""

    def finish(self, plan: Plan, made: int) -> list[str] | None:
        """The command that saves a model after a stop at step `made`; None if not needed."""
        return None


class LoggingToolkit(Toolkit):
    """A toolkit whose log consists of lines with timestamps."""

    begins: re.Pattern[str]
    steps: re.Pattern[str]  # step number and target tokens per second
    validations: re.Pattern[str]  # seconds
    parameters: re.Pattern[str]

    def read(self, plan: Plan) -> History | None:
        text = plan.log.read_text("utf-8", errors="replace") if plan.log.exists() else ""
        start = self.begins.search(text)
        if start is None:
            return None
        first = timestamp(text[: start.end()].splitlines()[-1])
        entries = [
            LogEntry(int(found[1]), timestamp(line) - first, float(found[2]))
            for line in text.splitlines()
            if (found := self.steps.search(line)) is not None
        ]
        parameters = self.parameters.search(text)
        assert parameters is not None
        validations = tuple(float(found[1]) for found in self.validations.finditer(text))
        return History(int(parameters[1]), tuple(entries), validations)


TIMESTAMP = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3})")  # of Python's logging


def timestamp(line: str) -> float:
    found = TIMESTAMP.search(line)
    assert found is not None, f"no timestamp in: {line}"
    return datetime.fromisoformat(found[1]).timestamp() + int(found[2]) / 1_000
