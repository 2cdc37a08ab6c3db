"""The attention of each model of a study on one sentence."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from regard.explain.record import side_by_side
from regard.studies.study import Entry
from regard.tasks.translation.translator import Translator


def attention_page(
    text: str, name: str, models: Mapping[Entry, Translator], compared: Collection[str]
) -> dict[str, str]:
    """Explain `text` with each model; returns pages by file name.

    There is a heatmap for each model. `name`.html is an interactive page of the entries in
    `compared`, at most four.
    """
    explanations = {}
    for entry, model in models.items():
        one = model.explain(text)
        explanations[entry] = replace(one, identity=replace(one.identity, name=entry.name))
    page = side_by_side([one for entry, one in explanations.items() if entry.name in compared])
    figures = {f"{entry.stem}-{name}.svg": one.figure().svg for entry, one in explanations.items()}
    return {f"{name}.html": page, **figures}
