"""`regard classify`: documents in, their classes out, and what in them counted."""

from __future__ import annotations

import json as json_
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.line_files import line_batches, open_input, open_output

if TYPE_CHECKING:
    from regard.tasks.classification.document_classifier import ClassificationResult

BLOCK = 100  # documents that are held at once


def classify(
    model: Annotated[str, typer.Argument(help="A sealed classifier.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Each a document; otherwise each line of standard input is one."),
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write a page there that shades what counted.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Otherwise standard output.")] = None,
    json: Annotated[
        bool, typer.Option("--json", help="A JSON object a line: weights of words and sentences.")
    ] = False,
) -> None:
    """Name the class of each document: a line with its label, a tab and its probability.

    Examples: regard classify model/ < reviews.txt; regard classify model/ a.txt --page a.html
    """
    from regard.tasks.classification.document_classifier import document_view, load_classifier

    labeller = load_classifier(model)
    shown: list[ClassificationResult] = []
    with open_input(None) as lines, open_output(out) as file:
        texts = map(_whole, files) if files else lines
        for block in line_batches(iter(texts), BLOCK):
            found = labeller.classify(block, weights=json or page is not None)
            for one in found:
                file.write(f"{_as_json(one) if json else _as_text(one)}\n")
            if page is not None:
                shown += found
    if page is not None:
        page.write_text(document_view(shown), encoding="utf-8")


def _as_text(found: ClassificationResult) -> str:
    return "\t" if found.label is None else f"{found.label}\t{found.probability:.4f}"


def _as_json(found: ClassificationResult) -> str:
    return json_.dumps({**asdict(found), "probability": found.probability}, ensure_ascii=False)


def _whole(path: Path) -> str:
    with open_input(path) as lines:
        return "\n".join(lines)
