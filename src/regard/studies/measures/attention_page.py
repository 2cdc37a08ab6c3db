"""The attention of each model of a study on one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from regard.errors import ConfigError
from regard.explain.record import side_by_side
from regard.studies.measures.measure import MeasureConfig, MeasureContext, MeasureResult
from regard.studies.runs import Entry


class AttentionPageMeasure(MeasureConfig):
    """A heatmap of each model with attention, and an interactive page of some of them."""

    kind: Literal["attention-page"] = "attention-page"
    text: Annotated[str, Field(min_length=1)]  # the source sentence; each model translates it
    name: Annotated[str, Field(pattern=r"^[\w-]+$")] = "attention"  # of the files
    entries: Annotated[tuple[str, ...], Field(max_length=4)] = ()  # by default the first four

    def check(self, entries: Sequence[Entry], origin: str) -> None:
        names = [entry.name for entry in entries]
        for name in self.entries:
            if name not in names:
                raise ConfigError(
                    f'{origin}: attention-page: "{name}" is not an entry. '
                    f"Entries: {', '.join(names)}."
                )

    def measure(self, context: MeasureContext) -> MeasureResult:
        explanations, files = {}, {}
        for name, seeds in context.forward().items():
            translator = seeds[0].translator()
            if translator.alignment_head is None:
                continue
            context.on_status(f"{name}: attention on: {self.text}")
            explanation = translator.explain(self.text)
            explanations[name] = replace(
                explanation, identity=replace(explanation.identity, name=name)
            )
            stem = seeds[0].run.entry.stem
            files[f"{stem}-{self.name}.svg"] = explanations[name].figure().svg
        compared = [name for name in self.entries or explanations if name in explanations][:4]
        if compared:
            files[f"{self.name}.html"] = side_by_side([explanations[name] for name in compared])
        return MeasureResult(files=files)
