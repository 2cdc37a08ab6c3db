"""`regard export MODEL --to ctranslate2|huggingface`: convert a model for another toolkit."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from regard.cli.evaluation import read_text_lines
from regard.cli.options import JsonReport, UsageError, refuse_without
from regard.tasks.translation.exchange import export_bundle, export_huggingface

if TYPE_CHECKING:
    from regard.tasks.translation.exchange import ExportParity


def export(
    model: Annotated[Path, typer.Argument(help="A translation model bundle.")],
    to: Annotated[
        Literal["ctranslate2", "huggingface"],
        typer.Option(help="An engine, added to the bundle, or a MarianMT folder at --out."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="With --to huggingface: the folder to write."),
    ] = None,
    int8: Annotated[
        bool, typer.Option("--int8", help="Quantize weights to 8 bits: a quarter of the size.")
    ] = False,
    source: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Sentences to compare both engines on, one per line."),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Their reference translations, to compare BLEU."),
    ] = None,
    target_language: Annotated[
        str | None,
        typer.Option(
            metavar="CODE", help="With --source: the target language, of a model with several."
        ),
    ] = None,
    as_json: JsonReport = False,
) -> None:
    """Add a CTranslate2 export to a model bundle, or write a Hugging Face MarianMT folder.

    `regard translate` uses the CTranslate2 model. The command compares it with the original,
    prints how far they differ, and stores the comparison in the bundle. The transformers library
    loads a MarianMT folder.

    Example: regard export model/ --to ctranslate2 --source test.en --reference test.de
    """
    if (to == "huggingface") != (out is not None):
        raise UsageError("--to huggingface and --out need each other.")
    if out is not None:
        if int8 or source or reference or target_language:
            raise UsageError(
                "--int8, --source, --reference and --target-language are for --to ctranslate2."
            )
        files = export_huggingface(model, out)
        print(json.dumps({"files": files}) if as_json else f"Wrote {out}: {', '.join(files)}")
        return
    if source is None:
        refuse_without("--source", "reference", "target_language")
    with Console(stderr=True).status(f"exporting to {to}"):
        parity = export_bundle(
            model,
            "int8" if int8 else None,
            [] if source is None else read_text_lines(source),
            None if reference is None else read_text_lines(reference),
            target_language,
        )
    if as_json:
        print(json.dumps(asdict(parity)))
    else:
        _print_parity(parity)


def _print_parity(parity: ExportParity) -> None:
    print(f"log-probabilities differ by at most {parity.logps:.1e}")
    if parity.same is not None:
        print(f"{parity.same:.1%} of {parity.texts:,} translations are identical")
    if parity.scores is not None:
        print(f"scores of identical translations differ by at most {parity.scores:.1e}")
    if parity.bleu is not None:
        change = parity.bleu.exported - parity.bleu.torch
        print(
            f"BLEU: {parity.bleu.exported:.2f} exported, {parity.bleu.torch:.2f} torch "
            f"({change:+.2f})"
        )
