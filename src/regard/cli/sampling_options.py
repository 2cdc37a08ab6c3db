"""The options of verbs that may draw by chance what is said, instead of the likeliest."""

from __future__ import annotations

from typing import Annotated

import typer

Sample = Annotated[bool, typer.Option("--sample", help="Draw by chance instead of the likeliest.")]
Temperature = Annotated[float, typer.Option(min=0.01, help="Of --sample.")]
TopK = Annotated[int | None, typer.Option(min=1, help="Of --sample: from so many.")]
TopP = Annotated[float, typer.Option(min=0.0, max=1.0, help="Of --sample.")]
Seed = Annotated[int, typer.Option(help="Of --sample.")]
