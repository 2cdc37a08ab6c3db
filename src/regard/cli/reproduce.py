"""`regard reproduce`: rerun the studies behind well-known figures of the attention papers."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.outputs import write_output
from regard.cli.usage import UsageError

if TYPE_CHECKING:
    from regard.studies.runner import RunCallback, RunEstimate, RunProgress
    from regard.studies.study import Findings, StatusCallback, Study

REPORT_EVERY = 10.0  # seconds between two lines on a run


class StudyName(StrEnum):
    bleu_by_length = "bleu-by-length"
    alignments = "alignments"
    mechanisms = "mechanisms"


def reproduce(
    study_name: Annotated[StudyName, typer.Argument(metavar="STUDY", help="The study to run.")],
    data: Annotated[
        Path, typer.Option(envvar="REGARD_DATA", metavar="DIR", help="Directory of the corpora.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Directory for runs and figures.")
    ] = Path("reproduced"),
    jobs: Annotated[
        int,
        typer.Option("--jobs", "-j", min=1, help="Runs in parallel, with one thread each."),
    ] = os.cpu_count() or 1,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="For alignments: also score this Pharaoh file of another aligner. Repeatable.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Make only a few steps, to test the setup.")
    ] = False,
) -> None:
    """Train the models of a study and write its tables and figures.

    Run the same command again to resume after an interruption. Studies share runs: alignments
    reuses the models of bleu-by-length.

    Example: regard reproduce bleu-by-length --data corpora/ --out reproduced/
    """
    from regard.cli.prepare import show_preparation
    from regard.studies.runner import estimate_runs, prepare_runs, train_runs
    from regard.studies.study import study_runs

    study = _make_study(study_name, quick, baseline or [])
    folder = out / ("quick" if quick else "")
    runs = study_runs(study, data, folder.absolute())
    with show_preparation() as report:
        prepare_runs(runs, report)
    estimates = []
    for estimate in estimate_runs(runs):
        estimates.append(estimate)
        print(
            f"{estimate.run.name}: {estimate.parameters:,} parameters, "
            f"{estimate.remaining_steps:,} steps left, {_duration(estimate.seconds)}",
            file=sys.stderr,
            flush=True,
        )
    if estimates:
        print(
            f"all runs: {_duration(_total_seconds(estimates, jobs))}", file=sys.stderr, flush=True
        )
    with _show_runs(estimates) as progress:
        trained = train_runs(runs, jobs, progress)
    if len(trained) < len(runs):
        print("Interrupted. Run the same command again to resume.", file=sys.stderr)
        raise typer.Exit(130)
    with _show_status() as status:
        findings = study.analyze(trained, data, status)
    print(_write_findings(findings, folder / study.name))


def _make_study(name: StudyName, quick: bool, baselines: list[str]) -> Study:
    from regard.studies.alignments import Alignments
    from regard.studies.bleu_by_length import BleuByLength
    from regard.studies.mechanisms import Mechanisms

    if name is StudyName.alignments:
        return Alignments(quick=quick, baselines=dict(map(_parse_baseline, baselines)))
    if baselines:
        raise UsageError("--baseline is only for the study alignments.")
    studies = {StudyName.bleu_by_length: BleuByLength, StudyName.mechanisms: Mechanisms}
    return studies[name](quick=quick)


def _parse_baseline(text: str) -> tuple[str, str]:
    name, _, path = text.partition("=")
    if not Path(path).is_file():
        raise UsageError(f"--baseline {text}: no such file. Write --baseline NAME=FILE.")
    return name, path


def _write_findings(findings: Findings, folder: Path) -> str:
    """Write all files of a study; return its table and the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in findings.pages.items():
        write_output(folder / name, text)
    write_output(folder / "found.json", json.dumps(findings.facts, indent=1))
    return f"{findings.pages['table.md']}\n{folder}"


def _total_seconds(estimates: Sequence[RunEstimate], jobs: int) -> float:
    """Return the seconds for all runs if each starts on the worker that is free first."""
    busy = [0.0] * jobs
    for estimate in estimates:
        busy[busy.index(min(busy))] += estimate.seconds
    return max(busy)


def _duration(seconds: float) -> str:
    from regard.train.events import format_duration

    return f"about {format_duration(seconds)} without validations"


@contextmanager
def _show_runs(estimates: Sequence[RunEstimate]) -> Iterator[RunCallback]:
    """Yield a callback that shows the runs: bars on a terminal, lines otherwise."""
    if not sys.stderr.isatty():
        yield StudyLines(len(estimates))
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[message]}", style="dim"),
    )
    with Progress(*columns) as bars:
        tasks = {
            estimate.run.name: bars.add_task(
                estimate.run.name, total=estimate.run.config.train.steps, message="", visible=False
            )
            for estimate in estimates
        }

        def show(progress: RunProgress) -> None:
            bars.update(
                tasks[progress.run],
                completed=progress.step,
                message=progress.message,
                visible=not progress.done,
            )

        yield show


@contextmanager
def _show_status() -> Iterator[StatusCallback]:
    """Yield a callback that shows its text: in a status line on a terminal, as lines otherwise."""
    if not sys.stderr.isatty():
        yield lambda text: print(text, file=sys.stderr, flush=True)
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield status.update


class StudyLines:
    """Prints the progress of each run at most every ten seconds."""

    def __init__(self, runs: int) -> None:
        self.runs, self.done = runs, 0
        self.last_report: dict[str, float] = {}

    def __call__(self, progress: RunProgress) -> None:
        self.done += progress.done
        now = time.monotonic()
        if progress.minor and now < self.last_report.get(progress.run, 0.0) + REPORT_EVERY:
            return
        self.last_report[progress.run] = now
        step = f"step {progress.step:,}/{progress.steps:,}"
        print(
            f"[{self.done}/{self.runs}] {progress.run}: {step}: {progress.message}",
            file=sys.stderr,
            flush=True,
        )
