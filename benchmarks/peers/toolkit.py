"""What the comparison asks of a toolkit, be it regard or a peer."""

from __future__ import annotations

import re
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median

from benchmarks.peers.child import surroundings
from benchmarks.peers.lesson import Lesson, Recipe, recipe_of


@dataclass(frozen=True)
class Plan:
    """A run of a toolkit: how long its schedule is, and where all of it is kept."""

    folder: Path
    steps: int
    warmup: int
    validate_every: int
    report_every: int

    @property
    def log(self) -> Path:
        """All that the training's command said."""
        return self.folder / "train.log"

    @property
    def outputs(self) -> Path:
        """Of the test's sentences; what a peer's file says, the sentences or their pieces."""
        return self.folder / "outputs.txt"


@dataclass(frozen=True)
class Told:
    """A line of a log: how far the run is, and how fast it was since the line before."""

    step: int
    at: float  # seconds since its first step began
    rate: float  # target tokens a second, as the toolkit counts them: the end of a sentence is one


@dataclass(frozen=True)
class History:
    parameters: int
    told: tuple[Told, ...]
    validations: tuple[float, ...]  # seconds of each

    @property
    def rate(self) -> float:
        return median(told.rate for told in self.told)

    @property
    def seconds_a_step(self) -> float:
        """The median, which leaves out the steps that a validation came between."""
        return median((b.at - a.at) / (b.step - a.step) for a, b in pairwise(self.told))


class Toolkit(ABC):
    """Its commands, its configuration, and how its log is read."""

    name: str
    package: str  # as it is installed
    patches: tuple[str, ...] = ()  # what had to be changed so that it runs
    differs: tuple[str, ...] = ()  # where it cannot be made to do what regard does

    def __init__(self, python: Path, lesson: Lesson) -> None:
        self.python, self.lesson = python, lesson

    @property
    def recipe(self) -> Recipe:
        return recipe_of(self.lesson.run)

    def versions(self) -> dict[str, str]:
        names = (self.package, "torch", "numpy")
        code = f"from importlib.metadata import version; print(*map(version, {names}))"
        told = subprocess.check_output(
            [str(self.python), "-c", code], env=surroundings(self.python), text=True
        )
        return dict(zip(names, told.split(), strict=True))

    @abstractmethod
    def train(self, plan: Plan) -> list[str]:
        """Write the configuration; the command that trains."""

    @abstractmethod
    def read(self, plan: Plan) -> History | None:
        """What the run has told so far; None: it has not begun."""

    @abstractmethod
    def translate(self, plan: Plan) -> list[str]:
        """The command that translates the test's sentences with the best of the run."""

    @abstractmethod
    def outputs(self, plan: Plan) -> list[str]:
        """Those translations, as a reader would see them."""

    def finish(self, plan: Plan, made: int) -> list[str] | None:
        """The command that makes a model of a run that was stopped after `made` steps, where the
        toolkit has none ready."""
        return None


class Logged(Toolkit):
    """One whose log is lines with a time, of which each kind has words of its own."""

    begins: re.Pattern[str]
    steps: re.Pattern[str]  # its number, and target tokens a second
    validations: re.Pattern[str]  # seconds
    parameters: re.Pattern[str]

    def read(self, plan: Plan) -> History | None:
        text = plan.log.read_text("utf-8", errors="replace") if plan.log.exists() else ""
        begun = self.begins.search(text)
        if begun is None:
            return None
        first = stamp(text[: begun.end()].splitlines()[-1])
        told = [
            Told(int(found[1]), stamp(line) - first, float(found[2]))
            for line in text.splitlines()
            if (found := self.steps.search(line)) is not None
        ]
        parameters = self.parameters.search(text)
        assert parameters is not None
        validations = tuple(float(found[1]) for found in self.validations.finditer(text))
        return History(int(parameters[1]), tuple(told), validations)


STAMP = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3})")  # as Python's logging writes it


def stamp(line: str) -> float:
    found = STAMP.search(line)
    assert found is not None, f"no time in: {line}"
    return datetime.fromisoformat(found[1]).timestamp() + int(found[2]) / 1_000
