"""`regard complete`: the beginnings of texts in, the texts out."""

from __future__ import annotations

import json as json_
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from regard.cli.lines import reading, writing


def complete(
    model: Annotated[str, typer.Argument(help="A sealed language model.")],
    prompts: Annotated[
        list[str] | None,
        typer.Argument(help="Beginnings of texts; otherwise the lines of standard input."),
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Pieces to add to each.")] = 100,
    sample: Annotated[
        bool, typer.Option("--sample", help="Draw by chance instead of the likeliest.")
    ] = False,
    temperature: Annotated[float, typer.Option(min=0.01, help="Of --sample.")] = 1.0,
    top_k: Annotated[int | None, typer.Option(min=1, help="Of --sample: from so many.")] = None,
    top_p: Annotated[float, typer.Option(min=0.0, max=1.0, help="Of --sample.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Of --sample.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Otherwise standard output.")] = None,
    json: Annotated[bool, typer.Option("--json", help="A JSON object a line, with all.")] = False,
) -> None:
    """Go on with each beginning of a text, a line each.

    Example: regard complete model/ "Once upon a time" --sample --temperature 0.8 --seed 7
    """
    from regard.engine.engine import Draw
    from regard.tasks.language.completer import load

    completer = load(model)
    draw = Draw(seed, temperature, top_k, top_p) if sample else None
    with reading(None) as lines, writing(out) as file:
        for found in completer.complete(prompts or list(lines), draw, most=most):
            said = json_.dumps(asdict(found), ensure_ascii=False) if json else str(found)
            file.write(f"{said}\n")
