"""`regard describe PRESET`: a mechanism's axes, equations, shapes and parameters."""

from __future__ import annotations

import json as json_
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from regard.spec.describe import Description


def describe(
    preset: Annotated[
        str | None, typer.Argument(help="A preset or a run file; without one, all presets.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Change a setting: model.decoder.dim=256.")
    ] = None,
    vocabulary: Annotated[
        int, typer.Option(min=1, help="Tokens on each side, or classes; data says it otherwise.")
    ] = 8000,
    json: Annotated[bool, typer.Option("--json", help="The same as one JSON object.")] = False,
) -> None:
    """Show what a preset or a run file would build.

    Example: regard describe bahdanau --set model.decoder.attention.span.kind=last
    """
    from regard.spec.describe import describe as describe_
    from regard.spec.model import Sizes
    from regard.spec.read import presets, read_run

    if preset is None:
        abouts = {name: read_run(name).about for name in presets()}
        print(json_.dumps(abouts, indent=2, ensure_ascii=False)) if json else _list(abouts)
        return
    run = read_run(preset, set_ or [])
    found = describe_(run, Sizes(vocabulary, vocabulary))
    if json:
        print(json_.dumps(_plain(found), indent=2, ensure_ascii=False))
    else:
        _draw(preset, found)


def _plain(found: Description) -> dict[str, Any]:
    from regard.spec.describe import equation

    return {
        "about": found.about,
        "wiring": {
            label: asdict(equation(spec)) | spec.model_dump(mode="json", exclude={"attention"})
            for label, spec in found.wiring.items()
        },
        "looks": [
            {
                "query": look.query,
                "memory": look.memory,
                "asked": look.asked,
                **look.attention.model_dump(mode="json"),
            }
            for look in found.looks
        ],
        "shapes": [asdict(shapes) for shapes in found.shapes],
        "parameters": found.parameters,
        "export": {"ctranslate2": not found.obstacles, "obstacles": found.obstacles},
    }


def _list(abouts: dict[str, str]) -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False, soft_wrap=True)
    for name, about in abouts.items():
        console.print(f"{name:<24}{about}")


def _draw(name: str, found: Description) -> None:
    from rich.console import Console
    from rich.text import Text

    from regard.spec.describe import equation

    console = Console(highlight=False, markup=False, soft_wrap=True)

    def head(text: str) -> None:
        console.print(Text(f"\n{text}", style="bold"))

    def line(label: str, spec: Any) -> None:
        part = equation(spec)
        console.print(
            Text.assemble(
                f"  {label:<10}",
                (f"{part.name:<22} ", "cyan"),
                part.formula,
                (f"  {part.citation}", "dim"),
            )
        )

    console.print(Text.assemble((name, "bold"), f"  {found.about}"))
    head("wiring")
    for label, spec in found.wiring.items():
        line(label, spec)
    for look in found.looks:
        head(f"attention: {look.query} asks {look.memory}, {look.asked}")
        line("score", look.attention.score)
        line("span", look.attention.span)
        line("weighing", look.attention.weighing)
        console.print(f"  {'heads':<10}{look.attention.score.heads}")
    if found.shapes:
        head("shapes")
        for shapes in found.shapes:
            console.print(f"  {shapes.where:<28} {shapes}")
    head("parameters")
    for part, count in found.parameters.items():
        console.print(f"  {part:<10}{count:>14,}")
    head("export to CTranslate2")
    for obstacle in found.obstacles or ["yes"]:
        console.print(f"  {obstacle}")
