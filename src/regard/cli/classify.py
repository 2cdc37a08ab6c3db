"""`regard classify`: label documents and show which words and sentences were weighted most."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.options import JsonLines, Out
from regard.cli.outputs import (
    check_output,
    line_batches,
    open_input,
    open_output,
    to_line,
    write_output,
)
from regard.tasks.classification.document_classifier import document_view, load_classifier

if TYPE_CHECKING:
    from regard.tasks.classification.document_classifier import ClassificationResult

BATCH_SIZE = 100  # documents held in memory at once


def classify(
    model: Annotated[str, typer.Argument(help="A classifier's model bundle.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files with one document each. Default: standard input, one document per line."
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write an HTML page that shades words and sentences by their attention weights.",
        ),
    ] = None,
    out: Out = None,
    as_json: JsonLines = False,
) -> None:
    """Print a label and its probability for each document, separated by a tab.

    Examples: regard classify model/ < reviews.txt; regard classify model/ a.txt --html a.html
    """
    check_output(html, *(files or ()))
    check_output(out, html, *(files or ()))
    classifier = load_classifier(model)
    shown: list[ClassificationResult] = []
    with open_input(None) as lines, open_output(out) as file:
        texts = map(_read_document, files) if files else lines
        for batch in line_batches(iter(texts), BATCH_SIZE):
            results = classifier.classify(batch, weights=as_json or html is not None)
            for result in results:
                file.write(f"{_to_json(result) if as_json else _to_text(result)}\n")
            if html is not None:
                shown += results
    if html is not None:
        write_output(html, document_view(shown))


def _to_text(result: ClassificationResult) -> str:
    return "\t" if result.label is None else f"{to_line(result.label)}\t{result.probability:.4f}"


def _to_json(result: ClassificationResult) -> str:
    return json.dumps({**asdict(result), "probability": result.probability}, ensure_ascii=False)


def _read_document(path: Path) -> str:
    with open_input(path) as lines:
        return "\n".join(lines)
