"""`regard doctor`: examine a corpus before training."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from regard.cli.corpus_options import (
    Columns,
    TrainingFiles,
    Valid,
    ValidFile,
    check_columns,
    corpus_argument,
    files_option,
)
from regard.cli.options import Html, JsonReport
from regard.cli.outputs import check_output, write_output
from regard.config.load import load_config
from regard.data.doctor.examine import examine
from regard.data.doctor.report import doctor_page, print_report
from regard.errors import FAILED_CHECK
from regard.interop.ctranslate2_export import export_obstacles

if TYPE_CHECKING:
    from regard.data.doctor.survey import DoctorProgress


def doctor(
    train: TrainingFiles,
    test: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="SOURCE TARGET", help="The test set in two files."),
    ] = None,
    test_file: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="A test set in one file. Repeatable."),
    ] = None,
    valid: Valid = None,
    valid_file: ValidFile = None,
    columns: Columns = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="CONFIG",
            help="A preset or run file: report whether its model can be exported to CTranslate2.",
        ),
    ] = None,
    html: Html = None,
    as_json: JsonReport = False,
) -> None:
    """Check a corpus for defects before training. Exit status 3 if there are any.

    Example: regard doctor train.en train.de --test test.en test.de --html report.html
    """
    held_out = [files_option("valid", valid, valid_file), None if test is None else list(test)]
    held_out += [[file] for file in test_file or []]
    check_output(html, *train, *(file for files in held_out for file in files or ()))
    check_columns(columns, train, *held_out)
    tests = [corpus_argument(files, columns) for files in held_out if files is not None]
    with _show_progress() as progress:
        report = examine(corpus_argument(train, columns), tests, on_progress=progress)
    if html is not None:
        write_output(html, doctor_page(report))
    if as_json:
        values = asdict(report) | {"healthy": report.healthy}
        if model is not None:
            values["export"] = {"model": model, "obstacles": _export_obstacles(model)}
        print(json.dumps(values, ensure_ascii=False))
    else:
        print_report(report, Console())
        if model is not None:
            obstacles = "; ".join(_export_obstacles(model))
            print(
                f"{model} cannot be exported to CTranslate2: {obstacles}"
                if obstacles
                else f"{model} can be exported to CTranslate2"
            )
    raise typer.Exit(0 if report.healthy else FAILED_CHECK)


@contextmanager
def _show_progress() -> Iterator[DoctorProgress]:
    """Show progress in a status line on a terminal, else print a line every five seconds."""
    console = Console(stderr=True)
    start = last = time.monotonic()
    with console.status("") as status:

        def show(stage: str, pairs: int) -> None:
            nonlocal last
            now = time.monotonic()
            line = f"{stage}: {pairs:,} pairs, {now - start:.0f} s" if pairs else stage
            if console.is_terminal:
                status.update(line)
            elif now - last >= 5:
                last = now
                console.print(line)

        yield show


def _export_obstacles(model: str) -> list[str]:
    return export_obstacles(load_config(model))
