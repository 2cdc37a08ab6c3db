"""Options that mean the same in several commands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from regard.bounds import BEAM_SIZE

BeamSize = Annotated[
    int | None,
    typer.Option(
        min=BEAM_SIZE.low,
        max=BEAM_SIZE.high,
        help="Beam size; 1 is greedy. Default: the bundle's setting.",
        rich_help_panel="Search",
    ),
]
To = Annotated[
    str | None,
    typer.Option(metavar="CODE", help="Target language, such as fr, of a model with several."),
]
NBest = Annotated[
    int,
    typer.Option(min=1, max=100, help="Number of outputs per input.", rich_help_panel="Search"),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help="Output file. Default: standard output."),
]
AlignWith = Annotated[
    Literal["aligner", "attention"] | None,
    typer.Option(
        help="Find word links with the bundle's word aligner or with its attention. "
        "Default: the aligner, if the bundle has one."
    ),
]
Html = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also write the report as an HTML page.")
]
JsonReport = Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")]
JsonLines = Annotated[
    bool, typer.Option("--json", help="Print one JSON object per line, with all details.")
]


@dataclass(frozen=True)
class LinkArguments:
    """Word alignments that `regard evaluate` scores."""

    alignments: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Score word alignments against these gold links."),
    ] = None
    target: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="With --alignments: the translations to align."),
    ] = None
    links: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="With --alignments: score this Pharaoh file instead of a model."
        ),
    ] = None
    align_with: AlignWith = None
    one_based: Annotated[
        bool, typer.Option("--one-based", help="With --alignments: gold links count from 1.")
    ] = False
