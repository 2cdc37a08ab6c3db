"""`regard complete`: the beginnings of texts in, the texts out."""

from __future__ import annotations

import json as json_
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from regard.cli.line_files import open_input, open_output
from regard.cli.sampling_options import Sample, Seed, Temperature, TopK, TopP


def complete(
    model: Annotated[str, typer.Argument(help="A sealed language model.")],
    prompts: Annotated[
        list[str] | None,
        typer.Argument(help="Beginnings of texts; otherwise the lines of standard input."),
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Pieces to add to each.")] = 100,
    sample: Sample = False,
    temperature: Temperature = 1.0,
    top_k: TopK = None,
    top_p: TopP = 1.0,
    seed: Seed = 1,
    out: Annotated[Path | None, typer.Option(help="Otherwise standard output.")] = None,
    json: Annotated[bool, typer.Option("--json", help="A JSON object a line, with all.")] = False,
) -> None:
    """Go on with each beginning of a text, a line each.

    Example: regard complete model/ "Once upon a time" --sample --temperature 0.8 --seed 7
    """
    from regard.inference.engine import SamplingOptions
    from regard.tasks.language.completer import load_completer

    completer = load_completer(model)
    draw = SamplingOptions(seed, temperature, top_k, top_p) if sample else None
    with open_input(None) as lines, open_output(out) as file:
        for found in completer.complete(prompts or list(lines), draw, max_length=most):
            said = json_.dumps(asdict(found), ensure_ascii=False) if json else str(found)
            file.write(f"{said}\n")
