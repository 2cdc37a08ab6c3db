"""`regard study`: train models that differ in named settings, and compare them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from regard.bounds import WORKERS
from regard.cli.options import Mode
from regard.cli.outputs import write_output
from regard.cli.prepare import show_stages
from regard.errors import INTERRUPTED
from regard.studies.planning import StudyPlan
from regard.studies.report import report_study
from regard.studies.runner import estimate_runs, prepare_runs, train_runs
from regard.studies.study_file import built_in_studies, load_study, read_study_text
from regard.train.events import format_duration

if TYPE_CHECKING:
    from regard.studies.measures.measure import StatusCallback
    from regard.studies.runner import RunCallback, RunEstimate, RunProgress

# -- progress of runs that train in parallel -------------------------------------------------------
# Bars on a terminal, lines elsewhere.


REPORT_EVERY = 10.0  # seconds between two lines on a run


@contextmanager
def show_runs(steps: Mapping[str, int]) -> Iterator[RunCallback]:
    """Yield a callback that shows the runs; `steps` are their numbers of steps by name."""
    if not sys.stderr.isatty():
        yield StudyLines(len(steps))
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[message]}", style="dim"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bars:
        tasks = {
            name: bars.add_task(name, total=total, message="", visible=False)
            for name, total in steps.items()
        }

        def show(progress: RunProgress) -> None:
            bars.update(
                tasks[progress.run],
                completed=progress.step,
                message=progress.message,
                visible=not progress.done,
            )

        yield show


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


# -- study -----------------------------------------------------------------------------------------


def study(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="STUDY", help="A study file, or a built-in study. Without it, list these."
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Directory for runs and results.")
    ] = Path("studies"),
    data: Annotated[
        Path | None,
        typer.Option(
            envvar="REGARD_DATA",
            metavar="DIR",
            help="Directory of the corpora, for files that are not beside the study file.",
        ),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            "-j",
            min=WORKERS.low,
            max=WORKERS.high,
            help="Runs in parallel, with one thread each.",
        ),
    ] = os.cpu_count() or 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="Make only a few steps, to test the setup.")
    ] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Print the study file and exit, to start your own.")
    ] = False,
) -> None:
    """Train the models of a study, and write a table, a figure and all numbers.

    Run the same command again to resume after an interruption. Entries that are added later are
    trained; the others are not trained again.

    Examples:

    regard study my-study.yaml --out studies/

    regard study mechanisms --show > my-study.yaml
    """
    if name is None:
        Mode("without a study", frozenset()).check()
        _list_studies()
        return
    if show:
        Mode("with --show", frozenset({"name", "show"})).check()
        print(read_study_text(name), end="")
        return
    folder = out / "quick" if quick else out
    _run_study(StudyPlan(load_study(name), data, folder.absolute(), quick), jobs)


def _list_studies() -> None:
    for name in built_in_studies():
        config = load_study(name).config
        print(f"{name}: {config.title}\n  {config.description}\n  {config.data.obtain}\n")


def _run_study(plan: StudyPlan, jobs: int) -> None:
    runs = plan.runs()
    with show_stages("prepared") as report:
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
    steps = {run.name: run.config.train.steps for run in runs if not run.complete}
    with show_runs(steps) as progress:
        trained = train_runs(runs, jobs, progress)
    if len(trained) < len(runs):
        print("Interrupted. Run the same command again to resume.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)
    with _show_status() as status:
        results = report_study(plan, trained, status)
    plan.results.mkdir(parents=True, exist_ok=True)
    for name, text in results.files.items():
        write_output(plan.results / name, text)
    print(f"{results.table}\n{plan.results}")


def _total_seconds(estimates: Sequence[RunEstimate], jobs: int) -> float:
    """Return the seconds for all runs if each starts on the worker that is free first."""
    busy = [0.0] * jobs
    for estimate in estimates:
        busy[busy.index(min(busy))] += estimate.seconds
    return max(busy)


def _duration(seconds: float) -> str:
    return f"about {format_duration(seconds)} without validations"


@contextmanager
def _show_status() -> Iterator[StatusCallback]:
    """Yield a callback that shows its text: in a status line on a terminal, as lines otherwise."""
    if not sys.stderr.isatty():
        yield lambda text: print(text, file=sys.stderr, flush=True)
        return
    with Console(stderr=True).status("") as status:
        yield status.update
