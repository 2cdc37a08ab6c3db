"""`regard export MODEL --to ctranslate2`: the same model for a faster engine."""

from __future__ import annotations

import json as json_
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from regard.tasks.translation.exporting import ExportParity


def export(
    model: Annotated[Path, typer.Argument(help="A sealed model.")],
    to: Annotated[Literal["ctranslate2"], typer.Option(help="The engine that is to run it.")],
    int8: Annotated[
        bool, typer.Option("--int8", help="Weights of eight bits: a quarter of the size.")
    ] = False,
    source: Annotated[
        str | None, typer.Option(help="Sentences, one a line, to compare both models on.")
    ] = None,
    reference: Annotated[str | None, typer.Option(help="Their translations by people.")] = None,
    json: Annotated[bool, typer.Option("--json", help="The report as one JSON object.")] = False,
) -> None:
    """Add the model to its own folder as CTranslate2 runs it; what translates will then use it.

    Both models read the same, and how far they differ is told and kept beside the export.

    Example: regard export model/ --to ctranslate2 --source test.en --reference test.de
    """
    from rich.console import Console

    from regard.cli.evaluate import read_text_lines
    from regard.tasks.translation.exporting import export_bundle as export_

    if reference is not None and source is None:
        raise typer.BadParameter("--reference needs --source, the sentences that it translates")
    with Console(stderr=True).status(f"exporting to {to}"):
        parity = export_(
            model,
            "int8" if int8 else None,
            [] if source is None else read_text_lines(source),
            None if reference is None else read_text_lines(reference),
        )
    if json:
        print(json_.dumps(asdict(parity)))
    else:
        _tell(parity)


def _tell(parity: ExportParity) -> None:
    print(f"log-probabilities differ by {parity.logps:.1e} at most")
    if parity.same is not None:
        print(f"{parity.same:.1%} of {parity.texts:,} texts are translated the same")
    if parity.scores is not None:
        print(f"where they are, scores differ by {parity.scores:.1e} at most")
    if parity.bleu is not None:
        change = parity.bleu.exported - parity.bleu.ours
        print(f"BLEU {parity.bleu.exported:.2f}, ours {parity.bleu.ours:.2f} ({change:+.2f})")
