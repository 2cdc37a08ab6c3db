"""The interface of a measure: from the completed runs of a study to columns, tables and pages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from regard.config.base import Config
from regard.evaluate.bootstrap import Difference, SentenceStatistics, difference_of_means
from regard.studies.runs import Entry, TrainedRun

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
