"""Options of the commands that can sample their output instead of searching for it."""

from __future__ import annotations

from typing import Annotated

import typer

from regard.bounds import SEED, TEMPERATURE, TOP_K, TOP_P

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
        min=TEMPERATURE.low,
        max=TEMPERATURE.high,
        help="With --sample: divide the logits by this before the softmax.",
        rich_help_panel="Sampling",
    ),
]
TopK = Annotated[
    int | None,
    typer.Option(
        min=TOP_K.low,
        max=TOP_K.high,
        help="With --sample: draw from the k most likely tokens.",
        rich_help_panel="Sampling",
    ),
]
TopP = Annotated[
    float,
    typer.Option(
        min=TOP_P.low,
        max=TOP_P.high,
        help="With --sample: draw from the most likely tokens whose probabilities sum to p.",
        rich_help_panel="Sampling",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        min=SEED.low,
        max=SEED.high,
        help="With --sample: seed of the random numbers.",
        rich_help_panel="Sampling",
    ),
]
