"""`regard doctor TRAIN.EN TRAIN.DE --test TEST.EN TEST.DE`: what is wrong with a corpus."""

from __future__ import annotations

import json as json_
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.corpus_options import Columns, corpus_argument

if TYPE_CHECKING:
    from regard.data.doctor.survey import Tell


def doctor(
    train: Annotated[
        list[str], typer.Argument(help="Two files of lines, or one .tsv, .jsonl, .parquet or .tmx.")
    ],
    test: Annotated[
        tuple[str, str] | None, typer.Option(help="The two files of the test set.")
    ] = None,
    valid: Annotated[
        tuple[str, str] | None, typer.Option(help="The two files of the validation set.")
    ] = None,
    test_file: Annotated[
        list[str] | None, typer.Option(help="A test in one file; may be given again.")
    ] = None,
    columns: Columns = None,
    model: Annotated[
        str | None, typer.Option(help="A preset or a run file: can its model be exported?")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The report as one JSON object.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write the report as one page too.")] = None,
) -> None:
    """Look a corpus over before training on it. Ends with 1 where it has a defect.

    Example: regard doctor train.en train.de --test test.en test.de --html report.html
    """
    from regard.data.doctor.doctor_page import doctor_page
    from regard.data.doctor.examine import examine
    from regard.data.doctor.summary import print_report

    tests = [corpus_argument(list(paths), columns) for paths in (valid, test) if paths]
    tests += [corpus_argument([path], columns) for path in test_file or []]
    with _told() as tell:
        report = examine(corpus_argument(train, columns), tests, tell=tell)
    if html is not None:
        html.write_text(doctor_page(report), encoding="utf-8")
    if json:
        facts = asdict(report) | {"healthy": report.healthy}
        if model is not None:
            facts["export"] = {"model": model, "obstacles": _obstacles(model)}
        print(json_.dumps(facts, ensure_ascii=False))
    else:
        from rich.console import Console

        print_report(report, Console())
        if model is not None:
            found = "; ".join(_obstacles(model))
            print(f"{model} cannot be exported: {found}" if found else f"{model} can be exported")
    raise typer.Exit(0 if report.healthy else 1)


@contextmanager
def _told() -> Iterator[Tell]:
    """A line that changes on a terminal; elsewhere a new one every five seconds."""
    from rich.console import Console

    console = Console(stderr=True)
    begun = said = time.monotonic()
    with console.status("") as status:

        def tell(what: str, pairs: int) -> None:
            nonlocal said
            now = time.monotonic()
            line = f"{what}: {pairs:,} pairs, {now - begun:.0f} s" if pairs else what
            if console.is_terminal:
                status.update(line)
            elif now - said >= 5:
                said = now
                console.print(line)

        yield tell


def _obstacles(model: str) -> list[str]:
    from regard.config.load import load_config
    from regard.interop.ctranslate2_limits import export_obstacles

    return export_obstacles(load_config(model))
