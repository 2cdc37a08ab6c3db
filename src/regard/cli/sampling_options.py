"""Options of the commands that can sample their output instead of searching for it."""

from __future__ import annotations

from typing import Annotated

import typer

Sample = Annotated[
    bool,
    typer.Option(
        "--sample",
        help="Draw tokens at random instead of the most likely ones.",
        rich_help_panel="Sampling",
    ),
]
Temperature = Annotated[
    float,
    typer.Option(
        min=0.01,
        help="With --sample: divide the logits by this before the softmax.",
        rich_help_panel="Sampling",
    ),
]
TopK = Annotated[
    int | None,
    typer.Option(
        min=1, help="With --sample: draw from the k most likely tokens.", rich_help_panel="Sampling"
    ),
]
TopP = Annotated[
    float,
    typer.Option(
        min=0.0,
        max=1.0,
        help="With --sample: draw from the most likely tokens whose probabilities sum to p.",
        rich_help_panel="Sampling",
    ),
]
Seed = Annotated[
    int, typer.Option(help="With --sample: seed of the random numbers.", rich_help_panel="Sampling")
]
