"""Progress of runs that train in parallel: bars on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from regard.studies.runner import RunCallback, RunProgress

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
