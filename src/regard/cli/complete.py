"""`regard complete`: continue texts with a language model."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from regard.cli.options import JsonLines, Out, SamplingArguments, option_groups
from regard.cli.outputs import check_output, open_input, open_output, to_line
from regard.tasks.language.completer import load_completer


@option_groups
def complete(
    model: Annotated[str, typer.Argument(help="A language model bundle.")],
    prompts: Annotated[
        list[str] | None,
        typer.Argument(help="Texts to continue. Default: the lines of standard input."),
    ] = None,
    max_new_tokens: Annotated[
        int,
        typer.Option(min=1, max=100_000, help="Maximum number of tokens to add to each prompt."),
    ] = 100,
    *,
    sampling: SamplingArguments,
    out: Out = None,
    as_json: JsonLines = False,
) -> None:
    """Continue each prompt, one per line.

    Example: regard complete model/ "Once upon a time" --sample --temperature 0.8 --seed 7
    """
    drawn = sampling.options()
    check_output(out)
    completer = load_completer(model)
    with open_input(None) as lines, open_output(out) as file:
        for result in completer.complete(prompts or list(lines), drawn, max_length=max_new_tokens):
            line = (
                json.dumps(asdict(result), ensure_ascii=False) if as_json else to_line(str(result))
            )
            file.write(f"{line}\n")
