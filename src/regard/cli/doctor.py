"""`regard doctor TRAIN.EN TRAIN.DE --test TEST.EN TEST.DE`: what is wrong with a corpus."""

from __future__ import annotations

import json as json_
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from regard.data.corpus import Corpus


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
    sides: Annotated[
        tuple[str, str] | None,
        typer.Option(help="Source and target in one file: columns (from 0), keys or languages."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The report as one JSON object.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write the report as one page too.")] = None,
) -> None:
    """Look a corpus over before training on it. Ends with 1 where it has a defect.

    Example: regard doctor train.en train.de --test test.en test.de --html report.html
    """
    from regard.data.doctor import examine
    from regard.data.doctor_page import page
    from regard.data.doctor_report import draw

    tests = [_corpus(list(paths), sides) for paths in (valid, test) if paths]
    tests += [_corpus([path], sides) for path in test_file or []]
    report = examine(_corpus(train, sides), tests)
    if html is not None:
        html.write_text(page(report), encoding="utf-8")
    if json:
        print(json_.dumps(asdict(report) | {"healthy": report.healthy}, ensure_ascii=False))
    else:
        from rich.console import Console

        draw(report, Console())
    raise typer.Exit(0 if report.healthy else 1)


def _corpus(paths: list[str], sides: tuple[str, str] | None) -> Corpus:
    from regard.data.corpus import corpus_of

    if len(paths) > 2:
        raise typer.BadParameter(f"{paths[2]}: a corpus has one file or two")
    fields: dict[str, Any] = {"name": _stem(paths[0])}
    if sides is not None and len(paths) == 1:
        columns = [int(side) if side.isdecimal() else side for side in sides]
        fields |= dict(zip(("source", "target"), columns, strict=True))
    return corpus_of(*paths, **fields)


def _stem(path: str) -> str:
    """train of train.en.gz"""
    name = PurePosixPath(path)
    if name.suffix in (".gz", ".xz", ".zst"):
        name = name.with_suffix("")
    return name.stem
