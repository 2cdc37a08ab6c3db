"""The reference of all settings, as Markdown."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel

from docs.extensions.tables import table, table_row
from regard.cli.settings import (
    Place,
    config_places,
    list_settings,
    section_titles,
    summary,
)
from regard.config.registry import kind_of


def settings_reference(root: type[BaseModel], title: str) -> str:
    """Return a section of Markdown for `root`, with this title, and each config in it."""
    places = config_places(root)
    titles = section_titles(places) | {root: title}
    schema = root.model_json_schema()
    schemas = schema.get("$defs", {}) | {root.__name__: schema}
    return "\n\n".join(
        _section(config, titles, places[config], schemas[config.__name__]) for config in places
    )


def _section(
    config: type[BaseModel],
    titles: dict[type[BaseModel], str],
    places: list[Place],
    schema: dict[str, Any],
) -> str:
    text = [f"(setting-{config.__name__})=\n## {titles[config]}"]
    text.append(summary(config).replace("<", r"\<"))
    if kind_of(config) and len(paths := dict.fromkeys(place.path for place in places)) > 1:
        text.append(f"In {', '.join(f'`{path}`' for path in paths)}.")
    names = {each.__name__: each for each in titles}

    def link(name: str) -> str:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.removesuffix("Config")).lower()
        return f"[{kind_of(names[name]) or words}](#setting-{name})"

    rows = [
        table_row(f"`{each.name}`", each.values, _default(each.default), each.meaning)
        for each in list_settings(config, schema, link)
    ]
    if rows:
        text.append(table(("setting", "values", "default", "meaning"), rows))
    return "\n\n".join(filter(None, text))


def _default(default: str | None) -> str:
    if default is None:
        return "required"
    return "its defaults" if default == "{}" else f"`{default}`"
