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
    parts = [part for part in _list(_root(of)) if _is_below(part[0], path)]
    if not parts and path is not None:
        parts = _single(of, path)
    if not parts:
        raise UsageError(f"{path}: is no setting. List all with `regard settings --of {of}`.")
    for section, text, listed in parts:
        if as_json:
            for setting in listed:
                values = asdict(setting) | {"in": section}
                print(json.dumps(values, ensure_ascii=False))
            continue
        print("\n".join(filter(None, (section or f"{of} file", text))))
        for setting in listed:
            default = "required" if setting.default is None else f"default {setting.default}"
            print(f"  {setting.name}: {setting.values}; {default}\n      {setting.meaning}")
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
    from regard.config.registry import kind_of
    from regard.config.settings_list import (
        config_places,
        list_settings,
        section_titles,
        summary,
    )

    section_places = config_places(root)
    titles = section_titles(section_places) | {root: ""}
    names = {config.__name__: config for config in section_places}
    schema = root.model_json_schema()
    schemas = schema.get("$defs", {}) | {root.__name__: schema}

    def name_of(name: str) -> str:
        return kind_of(names[name]) or "settings below"

    parts = []
    for config in section_places:
        listed = [
            type(setting)(
                setting.name, setting.values.replace("`", ""), setting.default, setting.meaning
            )
            for setting in list_settings(config, schemas[config.__name__], name_of)
        ]
        parts.append((titles[config].replace("`", ""), summary(config), listed))
    return parts


def _is_below(section: str, path: str | None) -> bool:
    """Whether a part, such as “train.schedule: linear”, is below a path."""
    return path is None or any(
        parent == path or parent.startswith(f"{path}.")
        for parent in section.split(": ")[0].split(", ")
    )


def _single(of: str, path: str) -> Listed:
    """Return a setting that is a value."""
    parent, _, name = path.rpartition(".")
    return [
        (section, text, [setting for setting in listed if setting.name == name])
        for section, text, listed in _list(_root(of))
        if (section == "" if not parent else _is_below(section, parent))
        and any(setting.name == name for setting in listed)
    ]
