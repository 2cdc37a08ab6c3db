"""One sentence, as each model of a study translates it, and where it looked for each word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from regard.explain.record import side_by_side
from regard.reproduce.study import Entry
from regard.tasks.translation.translator import Translator


def looks(text: str, name: str, models: Mapping[Entry, Translator]) -> dict[str, str]:
    """Pages by their file names: a still of each model, and `name`.html to walk through all."""
    pages, seen = {}, []
    for entry, model in models.items():
        one = model.explain(text)
        seen.append(replace(one, identity=replace(one.identity, name=entry.name)))
        pages[f"{entry.stem}-{name}.svg"] = seen[-1].still().svg
    return {f"{name}.html": side_by_side(seen), **pages}
