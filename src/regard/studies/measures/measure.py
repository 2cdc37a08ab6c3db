"""The interface of measures, and the runs that they measure."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from regard.config.base import Config
from regard.config.run import RunConfig
from regard.data.formats.corpus import read_parallel
from regard.evaluate.bootstrap import Difference, SentenceStatistics, difference_of_means
from regard.tasks.training import RunDirectory
from regard.tasks.translation.translator import Translator

# -- the runs of a study ---------------------------------------------------------------------------
# An entry with a seed, and what is left of it when it is complete.


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


# -- measure ---------------------------------------------------------------------------------------


StatusCallback = Callable[[str], None]
QUICK_PAIRS = 20  # of a measure's own pairs, with --quick


@dataclass(frozen=True, slots=True)
class MeasureContext:
    """The inputs of a measure."""

    runs: Mapping[str, Sequence[TrainedRun]]  # of each seed, by entry; the first is the baseline
    find_file: Callable[[str], Path]  # from a path in the study file
    quick: bool  # whether to use only a few of the measure's own pairs
    on_status: StatusCallback  # receives a line about the current work

    @property
    def baseline(self) -> str:
        return next(iter(self.runs))

    def entry(self, name: str) -> Entry:
        return self.runs[name][0].run.entry

    def forward(self) -> dict[str, Sequence[TrainedRun]]:
        """The runs of the entries that translate in the direction of the baseline."""
        return {name: seeds for name, seeds in self.runs.items() if not self.entry(name).reversed}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the main table."""

    name: str
    values: Mapping[str, Sequence[float]]  # of each seed, by entry; entries may be missing
    format: str = ".1f"
    differences: Mapping[str, Difference] = field(default_factory=dict)  # from the baseline
    drawn: bool = True  # whether the figure has a panel for it


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A further table."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class MeasureResult:
    columns: Sequence[Column] = ()
    tables: Sequence[ResultTable] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)  # written as JSON
    files: Mapping[str, str] = field(default_factory=dict)  # SVG and HTML by file name


class MeasureConfig(Config):
    """A measure and its arguments, as the study file lists them."""

    kind: str

    def files(self) -> Sequence[str]:
        """The files that the measure reads, for a check before the work."""
        return ()

    def check(self, entries: Sequence[Entry], origin: str) -> None:
        """Raise ConfigError if an argument does not fit the entries of the study."""
        return

    @abstractmethod
    def measure(self, context: MeasureContext) -> MeasureResult: ...


def mean_and_deviation(values: Sequence[float], form: str) -> str:
    """Format the mean and, if the values differ, ± their standard deviation."""
    mean = format(fmean(values), form).replace("-", "−")
    return mean if len(set(values)) < 2 else f"{mean} ± {format(stdev(values), form)}"


def format_difference(
    difference: Difference | None,
    values: Sequence[float],
    baseline: Sequence[float],
    form: str,
) -> tuple[str, str]:
    """Return the cells of a difference and of its p-value.

    The difference is that of the means as they are printed, so that readers can check it.
    """
    if difference is None:
        return "", ""
    printed = float(format(fmean(values), form)) - float(format(fmean(baseline), form))
    cell = format(printed, f"+{form}").replace("-", "−")
    return cell, "–" if difference.p is None else f"{difference.p:.3f}"


def compared_column(
    name: str,
    statistics: Mapping[str, Sequence[SentenceStatistics]],
    context: MeasureContext,
    *,
    form: str = ".1f",
    compare_directions: bool = False,
) -> Column:
    """A column with the score of each seed, and the differences from the baseline.

    `compare_directions`: also compare entries that translate in the other direction.
    """
    differences = {}
    for entry, seeds in statistics.items():
        comparable = compare_directions or not context.entry(entry).reversed
        if entry != context.baseline and comparable and context.baseline in statistics:
            context.on_status(f"{entry}: {name} compared with {context.baseline}")
            differences[entry] = difference_of_means(seeds, statistics[context.baseline])
    values = {
        entry: tuple(seed_statistics.corpus_score() for seed_statistics in seeds)
        for entry, seeds in statistics.items()
    }
    return Column(name, values, form, differences)
