"""Options of the commands that can sample their output instead of searching for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from regard.bounds import SEED, TEMPERATURE, TOP_K, TOP_P, Bounds
from regard.cli.option_modes import refuse_unused, refuse_without
from regard.inference.engine import SamplingOptions


def _number(bounds: Bounds, text: str) -> Any:
    return typer.Option(
        min=bounds.low,
        max=bounds.high,
        help=f"With --sample: {text}.",
        rich_help_panel="Sampling",
    )


@dataclass(frozen=True)
class SamplingArguments:
    """Whether to sample, and how."""

    sample: Annotated[
        bool,
        typer.Option(
            "--sample",
            help="Draw tokens at random instead of the most likely ones.",
            rich_help_panel="Sampling",
        ),
    ] = False
    temperature: Annotated[
        float, _number(TEMPERATURE, "divide the logits by this before the softmax")
    ] = 1.0
    top_k: Annotated[int | None, _number(TOP_K, "draw from the k most likely tokens")] = None
    top_p: Annotated[
        float, _number(TOP_P, "draw from the most likely tokens whose probabilities sum to p")
    ] = 1.0
    seed: Annotated[int, _number(SEED, "seed of the random numbers")] = 1

    def options(self) -> SamplingOptions | None:
        """Return the options of the engine; None if it searches.

        Raises:
            UsageError: An option of sampling is given without --sample, or one of a search with it.
        """
        if not self.sample:
            refuse_without("--sample", "temperature", "top_k", "top_p", "seed")
            return None
        refuse_unused("with --sample, which does not search", "beam_size")
        return SamplingOptions(self.seed, self.temperature, self.top_k, self.top_p)
