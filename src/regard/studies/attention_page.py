"""One sentence, as each model of a study translates it, and where it looked for each word."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from regard.explain.record import side_by_side
from regard.studies.study import Entry
from regard.tasks.translation.translator import Translator


def attention_page(
    text: str, name: str, models: Mapping[Entry, Translator], walked: Collection[str]
) -> dict[str, str]:
    """Pages by their file names: a still of each model, and `name`.html to walk through up to four
    of them, the entries that `walked` names."""
    seen = {}
    for entry, model in models.items():
        one = model.explain(text)
        seen[entry] = replace(one, identity=replace(one.identity, name=entry.name))
    together = side_by_side([one for entry, one in seen.items() if entry.name in walked])
    stills = {f"{entry.stem}-{name}.svg": one.figure().svg for entry, one in seen.items()}
    return {f"{name}.html": together, **stills}
