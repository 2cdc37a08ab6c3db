"""`regard import FOLDER --out MODEL`: make a bundle of a pretrained model."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from regard.cli.evaluation import read_text_lines
from regard.cli.options import JsonReport
from regard.tasks.translation.exchange import import_pretrained

if TYPE_CHECKING:
    from regard.tasks.translation.exchange import ImportReport


def import_model(
    folder: Annotated[Path, typer.Argument(help="The folder of a pretrained model.")],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder of the model bundle to write.")
    ],
    source_language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Code of the source language, such as en.")
    ] = None,
    target_language: Annotated[
        str | None,
        typer.Option(
            metavar="CODE",
            help="Code of the target language. It selects one of several. Default: all of them.",
        ),
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Source sentences, one per line, to calibrate alignments and quality checks.",
        ),
    ] = None,
    as_json: JsonReport = False,
) -> None:
    """Import a pretrained translation model as a model bundle.

    FOLDER is a Hugging Face MarianMT model (OPUS-MT), a Marian model (.npz) or a Bergamot model of
    Firefox (.bin). A model that cannot be represented exactly is refused, and nothing is written.

    Example: regard import opus-mt-en-de/ --out model/
    """
    lines = [] if sample is None else read_text_lines(sample)
    with Console(stderr=True).status(f"importing {folder}"):
        report = import_pretrained(
            folder, out, languages=(source_language, target_language), sample=lines
        )
    if as_json:
        print(json.dumps(asdict(report)))
    else:
        _print_report(report, out)


def _print_report(report: ImportReport, out: Path) -> None:
    source, target = (language or "?" for language in report.languages)
    target = ", ".join(report.targets) or target
    rows = {
        "format": report.origin,
        "model": f"{report.kind}, {report.parameters:,} parameters",
        "languages": f"{source} to {target}",
        "vocabulary": f"{report.vocabulary[0]:,} source and {report.vocabulary[1]:,} target pieces",
        "licence": report.licence or "unknown: the files do not name it",
        "alignment": report.alignment,
        "quality": "calibrated" if report.calibrated else "not calibrated: pass --sample",
        "export": report.export,
    }
    for name, value in rows.items():
        print(f"{name:11} {value}")
    print(f"Wrote {out}")
