"""`regard describe`: equations, shapes and parameters of a preset, a run file or a bundle."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, cast

import typer
from rich.console import Console
from rich.text import Text

from regard.bounds import VOCABULARY
from regard.bundle.bundle import find_bundle, open_bundle
from regard.bundle.manifest import MANIFEST
from regard.cli.options import UsageError, check_assignments, refuse_without
from regard.config.describe import config_equation, describe_run
from regard.config.load import load_config, presets
from regard.config.model import VocabularySizes
from regard.interop.ctranslate2_export import export_obstacles
from regard.tasks.base import task_for
from regard.tasks.bundles import bundle_config
from regard.tasks.translation.exchange import PARITY

if TYPE_CHECKING:
    from regard.attention import Equation
    from regard.config.describe import Description
    from regard.config.run import RunConfig


def describe(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="A preset, a run file or a model bundle. Default: list presets."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting: model.decoder.dim=256."),
    ] = None,
    vocabulary: Annotated[
        int,
        typer.Option(
            min=VOCABULARY.low,
            max=VOCABULARY.high,
            help="Vocabulary size or number of classes; a bundle has its own.",
        ),
    ] = 8000,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the description as one JSON object.")
    ] = False,
) -> None:
    """Show the model of a preset or run file, or the contents of a model bundle.

    Example: regard describe bahdanau --set model.decoder.attention.span.kind=last
    """
    check_assignments(set_)
    if name is None:
        refuse_without("the name of a preset or of a run file", "set_", "vocabulary")
        descriptions = {preset: load_config(preset).description for preset in presets()}
        if as_json:
            print(json.dumps(descriptions, indent=2, ensure_ascii=False))
        else:
            _print_presets(descriptions)
        return
    contents: dict[str, object] = {}
    path = find_bundle(Path(name))
    if _is_bundle(path):
        if set_:
            raise UsageError("--set cannot change a model bundle.")
        refuse_without("a preset or a run file: a bundle has its own", "vocabulary")
        run, sizes, contents = _read_bundle(path)
    else:
        run, sizes = load_config(name, set_ or []), VocabularySizes(vocabulary, vocabulary)
    description, obstacles = describe_run(run, sizes), export_obstacles(run)
    if as_json:
        values = _to_values(description, obstacles) | contents
        print(json.dumps(values, indent=2, ensure_ascii=False))
    else:
        _print_description(name, description, obstacles)
        _print_contents(contents)


def _is_bundle(path: Path) -> bool:
    try:
        return (path / MANIFEST).exists()
    except OSError:  # not a path, such as a name that is too long
        return False


def _read_bundle(path: Path) -> tuple[RunConfig, VocabularySizes, dict[str, object]]:
    """Return a bundle's config, its vocabulary sizes and the contents of its other files."""
    bundle = open_bundle(path)
    run = bundle_config(bundle)
    files = {
        name.removesuffix(".json"): bundle.json(name)
        for name in bundle.names
        if name.endswith(".json") and "/" not in name
    }
    contents: dict[str, object] = {
        "bundle": {"version": bundle.version},  # that the server names
        **files,
        "search": run.search.model_dump(mode="json"),
        "exports": {
            name.removesuffix(f"/{PARITY}"): bundle.json(name)
            for name in bundle.names
            if name.endswith(f"/{PARITY}")
        },
        "files": {name: identity.size for name, identity in bundle.files.items()},
    }
    return run, task_for(run).sizes(bundle), contents


def _to_values(description: Description, obstacles: list[str]) -> dict[str, object]:
    return {
        "description": description.description,
        "parts": {
            label: asdict(config_equation(config))
            | config.model_dump(mode="json", exclude={"attention"})
            for label, config in description.parts.items()
        },
        "initial_state": (
            None if description.initial_state is None else asdict(description.initial_state)
        ),
        "attentions": [
            {
                "query": use.query,
                "memory": use.memory,
                "when": use.when,
                **use.attention.model_dump(mode="json"),
            }
            for use in description.attentions
        ],
        "shapes": [asdict(shapes) for shapes in description.shapes],
        "parameters": description.parameters,
        "export": {"ctranslate2": not obstacles, "obstacles": obstacles},
    }


def _print_contents(contents: dict[str, object]) -> None:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    if "scores" in contents:
        contents = {**contents, "scores": _with_signatures(cast("_Scores", contents["scores"]))}
    for title, values in contents.items():
        if not values:
            continue
        console.print(Text(f"\n{title}", style="bold"))
        for path, value in _flatten(values):
            console.print(Text.assemble(f"  {_to_text(path):<28} ", (_to_text(value), "cyan")))


class _Scores(TypedDict, total=False):
    """The scores of a bundle."""

    step: int
    values: dict[str, float]
    signatures: dict[str, str]


def _with_signatures(scores: _Scores) -> dict[str, object]:
    """Append to each score its signature."""
    signatures = scores.get("signatures", {})
    return {
        "step": scores.get("step"),
        **{
            name: f"{_to_text(value):<8} {signatures.get(name, '')}"
            for name, value in scores.get("values", {}).items()
        },
    }


def _flatten(values: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the leaves of nested mappings with their dotted paths."""
    if isinstance(values, dict):
        for name, value in values.items():
            yield from _flatten(value, f"{path}.{name}" if path else name)
    else:
        yield path, values


def _to_text(value: Any) -> str:
    """Format numbers for reading and all else as JSON, which escapes terminal control codes."""
    if type(value) is int:
        return f"{value:,}"
    if type(value) is float:
        return f"{value:.4g}"
    return json.dumps(value, ensure_ascii=False).strip('"')


def _print_presets(descriptions: dict[str, str]) -> None:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    for name, description in descriptions.items():
        console.print(f"{name:<24}{description}")


def _print_description(name: str, description: Description, obstacles: list[str]) -> None:
    console = Console(highlight=False, markup=False, soft_wrap=True)

    def heading(text: str) -> None:
        console.print(Text(f"\n{text}", style="bold"))

    def equation(label: str, part: Equation) -> None:
        console.print(
            Text.assemble(
                f"  {label:<11}",
                (f"{part.name:<22} ", "cyan"),
                part.formula,
                (f"  {part.reference}", "dim"),
            )
        )

    console.print(Text.assemble((name, "bold"), f"  {description.description}"))
    heading("parts")
    for label, config in description.parts.items():
        equation(label, config_equation(config))
    if description.initial_state is not None:
        equation("s_0", description.initial_state)
    for use in description.attentions:
        heading(f"attention: query {use.query}, memory {use.memory}, {use.when}")
        for part in ("score", "span", "normalizer"):
            equation(part, config_equation(getattr(use.attention, part)))
        console.print(f"  {'heads':<11}{use.attention.score.heads}")
    if description.shapes:
        heading("shapes")
        for shapes in description.shapes:
            console.print(f"  {shapes.layer:<28} {shapes}")
    heading("parameters")
    for part, count in description.parameters.items():
        console.print(f"  {part:<10}{count:>14,}")
    heading("export to CTranslate2")
    for obstacle in obstacles or ["yes"]:
        console.print(f"  {obstacle}")
