"""`regard compare A B …`: compare systems with a baseline and check release gates."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from os.path import commonpath
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from regard.cli.evaluation import read_translations, translate_lines
from regard.cli.options import BeamSize, Html, JsonReport, To, UsageError, refuse_without
from regard.cli.outputs import check_output, write_output
from regard.data.formats.corpus import read_parallel
from regard.errors import FAILED_CHECK
from regard.evaluate.compare import apply_gates, compare_systems, parse_gate
from regard.evaluate.comparison_page import comparison_page
from regard.evaluate.report import draw_comparison, verdict_line


def compare(
    systems: Annotated[
        list[str],
        typer.Argument(help="Model bundles or files with translations; the first is the baseline."),
    ],
    source: Annotated[str, typer.Option(metavar="FILE", help="Source sentences, one per line.")],
    reference: Annotated[
        str, typer.Option(metavar="FILE", help="Reference translations, one per line.")
    ],
    gate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC=CHANGE",
            help="Fail if a score falls, or TER rises, by more than this: bleu=-0.3. Repeatable.",
        ),
    ] = None,
    to: To = None,
    beam_size: BeamSize = None,
    html: Html = None,
    as_json: JsonReport = False,
) -> None:
    """Compare translations of the same sentences. Exit status 3 if a gate fails.

    Example: regard compare old/ new/ --source test.en --reference test.de --gate bleu=-0.3
    """
    if not any(Path(system).is_dir() for system in systems):
        refuse_without("a model bundle among the systems", "to", "beam_size")
    check_output(html, source, reference, *systems)
    gates = [parse_gate(text) for text in gate or []]
    names = short_names(systems)
    sources, references = read_parallel(source, reference)
    outputs = {
        name: translate_lines(system, sources, beam_size, to)
        if Path(system).is_dir()
        else read_translations(system)
        for name, system in zip(names, systems, strict=True)
    }
    with Console(stderr=True).status("scoring"):
        comparison = compare_systems(sources, references, outputs)
    verdicts = apply_gates(comparison, gates)
    if html is not None:
        write_output(html, comparison_page(comparison, verdicts))
    if as_json:
        values = asdict(comparison) | {"verdicts": [asdict(verdict) for verdict in verdicts]}
        print(json.dumps(values, ensure_ascii=False))
    else:
        draw_comparison(comparison, Console())
    for verdict in verdicts:
        print(f"regard: {verdict_line(verdict)}", file=sys.stderr)
    raise typer.Exit(0 if all(verdict.passed for verdict in verdicts) else FAILED_CHECK)


def short_names(paths: Sequence[str]) -> list[str]:
    """Return the paths relative to their deepest common directory."""
    absolute = [Path(path).absolute() for path in paths]
    if len(set(absolute)) < max(2, len(absolute)):
        raise UsageError("Give at least two different systems.")
    common = commonpath([path.parent for path in absolute])
    return [str(path.relative_to(common)) for path in absolute]
