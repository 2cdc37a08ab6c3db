"""`regard compare A B …`: is the new model better, where, and may it be released?"""

from __future__ import annotations

import json as json_
import sys
from collections.abc import Sequence
from dataclasses import asdict
from os.path import commonpath
from pathlib import Path
from typing import Annotated

import typer

from regard.cli.evaluate import Beam, read_text_lines, translate_lines


def compare(
    systems: Annotated[
        list[str],
        typer.Argument(help="Sealed models or files of outputs; the first is the baseline."),
    ],
    source: Annotated[str, typer.Option(help="Sentences, one a line.")],
    reference: Annotated[str, typer.Option(help="Their translations by people.")],
    gate: Annotated[
        list[str] | None,
        typer.Option(help="bleu=-0.3: may lose 0.3 at most. May be given again."),
    ] = None,
    beam: Beam = None,
    html: Annotated[Path | None, typer.Option(help="Write a report there, one page.")] = None,
    json: Annotated[bool, typer.Option("--json", help="The same as one JSON object.")] = False,
) -> None:
    """Compare translations of the same sentences. Ends with 1 where one fails a gate.

    Example: regard compare old/ new/ --source test.en --reference test.de --gate bleu=-0.3
    """
    from rich.console import Console

    from regard.evaluate.compare import apply_gates, parse_gate
    from regard.evaluate.compare import compare_systems as compare_
    from regard.evaluate.comparison_page import comparison_page
    from regard.evaluate.report import draw_comparison, verdict_line

    gates = [parse_gate(written) for written in gate or []]
    names = names_of(systems)
    from regard.data.formats.corpus import read_parallel

    sources, references = read_parallel(source, reference)
    outputs = {}
    for name, system in zip(names, systems, strict=True):
        is_model = Path(system).is_dir()
        outputs[name] = (
            translate_lines(system, sources, beam) if is_model else read_text_lines(system)
        )
    with Console(stderr=True).status("scoring"):
        comparison = compare_(sources, references, outputs)
    verdicts = apply_gates(comparison, gates)
    if html is not None:
        html.write_text(comparison_page(comparison, verdicts), encoding="utf-8")
    if json:
        facts = asdict(comparison) | {"verdicts": [asdict(verdict) for verdict in verdicts]}
        print(json_.dumps(facts, ensure_ascii=False))
    else:
        draw_comparison(comparison, Console())
    for verdict in verdicts:
        print(f"regard: {verdict_line(verdict)}", file=sys.stderr)
    raise typer.Exit(0 if all(verdict.passed for verdict in verdicts) else 1)


def names_of(paths: Sequence[str]) -> list[str]:
    """What tells paths apart: without the folder that all of them are in."""
    whole = [Path(path).absolute() for path in paths]
    if len(set(whole)) < max(2, len(whole)):
        raise typer.BadParameter("give at least two systems, each once")
    shared = commonpath([path.parent for path in whole])
    return [str(path.relative_to(shared)) for path in whole]
