"""`regard settings`: list the settings of run files, studies and the server."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from regard.cli.usage import UsageError, server_not_installed

if TYPE_CHECKING:
    from regard.config.base import Config
    from regard.config.settings_list import Setting

Listed = list[tuple[str, str, list["Setting"]]]
"""The path of a config, its equation or description, and its settings."""


def settings(
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="PATH", help="List only the settings below this one, such as train.optimizer."
        ),
    ] = None,
    of: Annotated[
        Literal["run", "study", "server"],
        typer.Option(help="The file: a run file, a study, or the settings of the server."),
    ] = "run",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object for each setting.")
    ] = False,
) -> None:
    """List all settings with their values, defaults and meaning.

    A setting with several kinds is written with its kind: schedule: {kind: linear, warmup: 0.1}.

    Examples:

    regard settings train

    regard settings --of server
    """
    found = [part for part in _list(_root(of)) if _is_below(part[0], path)]
    if not found and path is not None:
        found = _single(of, path)
    if not found:
        raise UsageError(f"{path}: is no setting. List all with `regard settings --of {of}`.")
    for place, text, listed in found:
        if as_json:
            for each in listed:
                values = asdict(each) | {"in": place}
                print(json.dumps(values, ensure_ascii=False))
            continue
        print("\n".join(filter(None, (place or f"{of} file", text))))
        for each in listed:
            default = "required" if each.default is None else f"default {each.default}"
            print(f"  {each.name}: {each.values}; {default}\n      {each.meaning}")
        print()


def _root(of: str) -> type[Config]:
    if of == "server":
        try:
            from regard.serve.settings import ServerSettings
        except ImportError as error:
            raise server_not_installed(error) from None
        return ServerSettings
    if of == "study":
        from regard.studies.study_file import StudyConfig

        return StudyConfig
    from regard.config.run import RunConfig

    return RunConfig


def _list(root: type[Config]) -> Listed:
    from regard.config.settings_list import (
        config_places,
        kind_of,
        list_settings,
        section_titles,
        summary,
    )

    places = config_places(root)
    titles = section_titles(places) | {root: ""}
    names = {config.__name__: config for config in places}
    schema = root.model_json_schema()
    schemas = schema.get("$defs", {}) | {root.__name__: schema}

    def name_of(name: str) -> str:
        return kind_of(names[name]) or "settings below"

    found = []
    for config in places:
        listed = [
            type(each)(each.name, each.values.replace("`", ""), each.default, each.meaning)
            for each in list_settings(config, schemas[config.__name__], name_of)
        ]
        found.append((titles[config].replace("`", ""), summary(config), listed))
    return found


def _is_below(place: str, path: str | None) -> bool:
    """Whether a part, such as “train.schedule: linear”, is below a path."""
    return path is None or any(
        each == path or each.startswith(f"{path}.") for each in place.split(": ")[0].split(", ")
    )


def _single(of: str, path: str) -> Listed:
    """Return a setting that is a value."""
    parent, _, name = path.rpartition(".")
    return [
        (place, text, [each for each in listed if each.name == name])
        for place, text, listed in _list(_root(of))
        if (place == "" if not parent else _is_below(place, parent))
        and any(each.name == name for each in listed)
    ]
