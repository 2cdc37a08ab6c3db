"""`regard reproduce`: the figures that everyone cites, made again from data."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cores import available_cores

if TYPE_CHECKING:
    from regard.studies.runner import RunEstimate, RunProgress, Tell
    from regard.studies.study import Findings, Say, Study

PAUSE = 10.0  # seconds between two lines on a run, where no terminal shows bars


class StudyName(StrEnum):
    bleu_by_length = "bleu-by-length"
    alignments = "alignments"
    mechanisms = "mechanisms"


def reproduce(
    figure: Annotated[StudyName, typer.Argument(help="What is to be seen again.")],
    data: Annotated[
        Path, typer.Option(envvar="REGARD_DATA", help="The folder that holds the corpora.")
    ],
    out: Annotated[Path, typer.Option(help="Where runs and figures go.")] = Path("reproduced"),
    at_once: Annotated[
        int, typer.Option(min=1, help="Runs at the same time, on a thread each.")
    ] = available_cores(),
    beside: Annotated[
        list[str] | None,
        typer.Option(help="For alignments: NAME=FILE, links of another aligner (Pharaoh)."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few steps of everything: that it works.")
    ] = False,
) -> None:
    """Teach the models of a study and draw what they show; the same command goes on after a stop.

    Studies share their runs where they can: alignments are read from the models of bleu-by-length.
    Example: regard reproduce bleu-by-length --data corpora/ --out reproduced/
    """
    from regard.cli.prepare import show_preparation
    from regard.studies.runner import estimate_runs, prepare_runs, train_runs
    from regard.studies.study import study_runs

    study = _study(figure, quick, beside or [])
    folder = out / ("quick" if quick else "")
    every = study_runs(study, data, folder.absolute())
    with show_preparation() as tell:
        prepare_runs(every, tell)
    estimates = []
    for each in estimate_runs(every):
        estimates.append(each)
        print(
            f"{each.job.name}: {each.parameters:,} parameters, {each.left:,} steps to go, "
            f"{_lasting(each.seconds)}",
            file=sys.stderr,
            flush=True,
        )
    if estimates:
        print(f"all runs: {_lasting(_together(estimates, at_once))}", file=sys.stderr, flush=True)
    with _shown(estimates) as shown:
        taught = train_runs(every, at_once, shown)
    if len(taught) < len(every):
        print("stopped; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(130)
    with _saying() as say:
        found = study.find(taught, data, say)
    print(_written(found, folder / study.name))


def _study(figure: StudyName, quick: bool, beside: list[str]) -> Study:
    from regard.studies.alignments import Alignments
    from regard.studies.bleu_by_length import BleuByLength
    from regard.studies.mechanisms import Mechanisms

    if figure is StudyName.alignments:
        return Alignments(quick=quick, beside=dict(map(_named, beside)))
    if beside:
        raise typer.BadParameter("--beside is for alignments")
    return {StudyName.bleu_by_length: BleuByLength, StudyName.mechanisms: Mechanisms}[figure](
        quick=quick
    )


def _named(given: str) -> tuple[str, str]:
    name, _, path = given.partition("=")
    if not Path(path).is_file():
        raise typer.BadParameter(f"--beside {given}: no such file; write NAME=FILE")
    return name, path


def _written(found: Findings, folder: Path) -> str:
    """Write all files of a study; its table is what is told."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in found.pages.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "found.json").write_text(json.dumps(found.facts, indent=1), "utf-8")
    return f"{found.pages['table.md']}\n{folder}"


def _together(estimates: Sequence[RunEstimate], at_once: int) -> float:
    """Seconds for all: each run goes to whoever is first free."""
    free = [0.0] * at_once
    for each in estimates:
        free[free.index(min(free))] += each.seconds
    return max(free)


def _lasting(seconds: float) -> str:
    from regard.train.events import format_duration

    return f"about {format_duration(seconds)} and validations"


@contextmanager
def _shown(estimates: Sequence[RunEstimate]) -> Iterator[Tell]:
    """Tell how the runs go: bars on a terminal, a line for each now and then elsewhere."""
    if not sys.stderr.isatty():
        yield StudyLines(len(estimates))
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(*columns, TextColumn("{task.fields[words]}", style="dim")) as progress:
        bars = {
            each.job.name: progress.add_task(
                each.job.name, total=each.job.run.train.steps, words="", visible=False
            )
            for each in estimates
        }

        def tell(course: RunProgress) -> None:
            bar, visible = bars[course.job], not course.done
            progress.update(bar, completed=course.step, words=course.words, visible=visible)

        yield tell


@contextmanager
def _saying() -> Iterator[Say]:
    """What is being looked at: one line that changes on a terminal, a line for each elsewhere."""
    if not sys.stderr.isatty():
        yield lambda words: print(words, file=sys.stderr, flush=True)
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield status.update


class StudyLines:
    def __init__(self, runs: int) -> None:
        self.runs, self.done = runs, 0
        self.said: dict[str, float] = {}

    def __call__(self, course: RunProgress) -> None:
        self.done += course.done
        now = time.monotonic()
        if course.plain and now < self.said.get(course.job, 0.0) + PAUSE:
            return
        self.said[course.job] = now
        place = f"step {course.step:,}/{course.last:,}"
        print(
            f"[{self.done}/{self.runs}] {course.job}: {place}: {course.words}",
            file=sys.stderr,
            flush=True,
        )
