"""`regard describe PRESET`: a mechanism's axes, equations, shapes and parameters; and of a sealed
model besides, its files, scores and data."""

from __future__ import annotations

import json as json_
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from regard.config.describe import Description
    from regard.config.model import VocabularySizes
    from regard.config.run import RunConfig


def describe(
    preset: Annotated[
        str | None,
        typer.Argument(help="A preset, a run file or a sealed model; without one, all presets."),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Change a setting: model.decoder.dim=256.")
    ] = None,
    vocabulary: Annotated[
        int, typer.Option(min=1, help="Tokens on each side, or classes; data says it otherwise.")
    ] = 8000,
    json: Annotated[bool, typer.Option("--json", help="The same as one JSON object.")] = False,
) -> None:
    """Show what a preset or a run file would build, or what a sealed model is.

    Example: regard describe bahdanau --set model.decoder.attention.span.kind=last
    """
    from regard.bundle.manifest import MANIFEST
    from regard.config.describe import describe_run as describe_
    from regard.config.load import load_config, presets
    from regard.config.model import VocabularySizes
    from regard.interop.ctranslate2_limits import export_obstacles

    if preset is None:
        abouts = {name: load_config(name).description for name in presets()}
        print(json_.dumps(abouts, indent=2, ensure_ascii=False)) if json else _list(abouts)
        return
    sealed: dict[str, Any] = {}
    if (Path(preset) / MANIFEST).exists():
        if set_:
            raise typer.BadParameter("--set cannot change a sealed model")
        run, sizes, sealed = _opened(Path(preset))
    else:
        run, sizes = load_config(preset, set_ or []), VocabularySizes(vocabulary, vocabulary)
    found, obstacles = describe_(run, sizes), export_obstacles(run)
    if json:
        print(json_.dumps(_plain(found, obstacles) | sealed, indent=2, ensure_ascii=False))
    else:
        _draw(preset, found, obstacles)
        if sealed:
            _draw_sealed(sealed)


def _opened(path: Path) -> tuple[RunConfig, VocabularySizes, dict[str, Any]]:
    """The run of a sealed model, what its data said, and what else it tells of itself."""
    from regard.bundle.bundle import open_bundle
    from regard.tasks.base import task_for
    from regard.tasks.bundles import bundle_config
    from regard.tasks.translation.exporting import PARITY

    bundle = open_bundle(path)
    run = bundle_config(bundle)
    told = {
        name.removesuffix(".json"): bundle.json(name)
        for name in bundle.names
        if name.endswith(".json") and "/" not in name
    }
    sealed = {
        **told,
        "search": run.search.model_dump(mode="json"),
        "exports": {
            name.removesuffix(f"/{PARITY}"): bundle.json(name)
            for name in bundle.names
            if name.endswith(f"/{PARITY}")
        },
        "files": {name: identity.size for name, identity in bundle.files.items()},
    }
    return run, task_for(run).sizes(bundle), sealed


def _plain(found: Description, obstacles: list[str]) -> dict[str, Any]:
    from regard.config.describe import config_equation

    return {
        "about": found.description,
        "wiring": {
            label: asdict(config_equation(spec))
            | spec.model_dump(mode="json", exclude={"attention"})
            for label, spec in found.parts.items()
        },
        "looks": [
            {
                "query": look.query,
                "memory": look.memory,
                "asked": look.when,
                **look.attention.model_dump(mode="json"),
            }
            for look in found.attentions
        ],
        "shapes": [asdict(shapes) for shapes in found.shapes],
        "parameters": found.parameters,
        "export": {"ctranslate2": not obstacles, "obstacles": obstacles},
    }


def _draw_sealed(sealed: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, soft_wrap=True)
    drawn = {"scores": _scored(sealed.get("scores", {}))} | {
        title: facts for title, facts in sealed.items() if title != "scores"
    }
    for title, facts in drawn.items():
        if not facts:
            continue
        console.print(Text(f"\n{title}", style="bold"))
        for place, fact in _flat(facts):
            console.print(Text.assemble(f"  {_shown(place):<28} ", (_shown(fact), "cyan")))


def _scored(scores: dict[str, Any]) -> dict[str, Any]:
    """Each score with the signature that tells how it was computed."""
    signatures = scores.get("signatures", {})
    return {
        "step": scores.get("step"),
        **{
            name: f"{_shown(value):<8} {signatures.get(name, '')}"
            for name, value in scores.get("values", {}).items()
        },
    }


def _flat(facts: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Nested facts, each with its place."""
    if isinstance(facts, dict):
        for name, fact in facts.items():
            yield from _flat(fact, f"{place}.{name}" if place else name)
    else:
        yield place, facts


def _shown(fact: Any) -> str:
    """As JSON, in which nothing commands a terminal; but numbers as one reads them."""
    if type(fact) is int:
        return f"{fact:,}"
    if type(fact) is float:
        return f"{fact:.4g}"
    return json_.dumps(fact, ensure_ascii=False).strip('"')


def _list(abouts: dict[str, str]) -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False, soft_wrap=True)
    for name, about in abouts.items():
        console.print(f"{name:<24}{about}")


def _draw(name: str, found: Description, obstacles: list[str]) -> None:
    from rich.console import Console
    from rich.text import Text

    from regard.config.describe import config_equation

    console = Console(highlight=False, markup=False, soft_wrap=True)

    def head(text: str) -> None:
        console.print(Text(f"\n{text}", style="bold"))

    def line(label: str, spec: Any) -> None:
        part = config_equation(spec)
        console.print(
            Text.assemble(
                f"  {label:<10}",
                (f"{part.name:<22} ", "cyan"),
                part.formula,
                (f"  {part.reference}", "dim"),
            )
        )

    console.print(Text.assemble((name, "bold"), f"  {found.description}"))
    head("wiring")
    for label, spec in found.parts.items():
        line(label, spec)
    for look in found.attentions:
        head(f"attention: {look.query} asks {look.memory}, {look.when}")
        line("score", look.attention.score)
        line("span", look.attention.span)
        line("weighing", look.attention.normalizer)
        console.print(f"  {'heads':<10}{look.attention.score.heads}")
    if found.shapes:
        head("shapes")
        for shapes in found.shapes:
            console.print(f"  {shapes.where:<28} {shapes}")
    head("parameters")
    for part, count in found.parameters.items():
        console.print(f"  {part:<10}{count:>14,}")
    head("export to CTranslate2")
    for obstacle in obstacles or ["yes"]:
        console.print(f"  {obstacle}")
