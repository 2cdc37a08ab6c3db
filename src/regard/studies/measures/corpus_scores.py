"""The measures of a corpus: scores by length, cost of the run, and an attention page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from regard.config.base import Count
from regard.errors import ConfigError
from regard.evaluate.comparison_page import chart_by_length
from regard.evaluate.report import TITLES
from regard.evaluate.scores import (
    EDGES,
    MetricStatistics,
    bucket_statistics,
    count_statistics,
    evaluate_seeds,
    length_buckets,
)
from regard.explain.record import side_by_side
from regard.studies.measures.measure import (
    Column,
    Entry,
    MeasureConfig,
    MeasureContext,
    MeasureResult,
    ResultTable,
    TrainedRun,
    compared_column,
    mean_and_deviation,
)

Metric = Literal["bleu", "bleu_lc", "chrf", "ter"]
Metrics = Annotated[tuple[Metric, ...], Field(min_length=1)]


def _check_edges(edges: tuple[int, ...]) -> tuple[int, ...]:
    if any(first >= second for first, second in pairwise(edges)):
        raise PydanticCustomError("edges", "the lengths must increase")
    return edges


Edges = Annotated[tuple[Count, ...], Field(min_length=1), AfterValidator(_check_edges)]


class ScoresMeasure(MeasureConfig):
    """Scores of the translations of the test set."""

    kind: Literal["scores"] = "scores"
    metrics: Metrics = ("bleu",)  # of sacreBLEU

    def measure(self, context: MeasureContext) -> MeasureResult:
        columns, signatures = [], {}
        for metric in self.metrics:
            statistics = {
                name: [_statistics(trained, metric) for trained in seeds]
                for name, seeds in context.runs.items()
            }
            signatures[metric] = statistics[context.baseline][0].signature
            columns.append(compared_column(TITLES[metric], statistics, context))
        return MeasureResult(columns, facts={"signatures": signatures})


class ScoresByLengthMeasure(MeasureConfig):
    """Scores of the test set by the number of source words."""

    kind: Literal["scores-by-length"] = "scores-by-length"
    metrics: Metrics = ("bleu",)  # of sacreBLEU
    edges: Edges = EDGES  # the last length of each bucket

    def measure(self, context: MeasureContext) -> MeasureResult:
        runs = context.forward()
        sources, _ = runs[context.baseline][0].run.test_pairs()
        buckets = length_buckets(sources, sources, self.edges)
        filled = {str(lengths): rows for lengths, rows in buckets.items() if rows}
        tables: list[ResultTable] = []
        facts: dict[str, object] = {}
        files: dict[str, str] = {}
        for metric in self.metrics:
            rows, evaluations = [], {}
            for name, seeds in runs.items():
                context.on_status(f"{name}: {TITLES[metric]} by length")
                statistics = [_statistics(trained, metric) for trained in seeds]
                rows.append([name, *_cells(metric, statistics, filled)])
                evaluations[name] = evaluate_seeds(metric, statistics, buckets)
            tables.append(
                ResultTable(f"{TITLES[metric]} by source length", ["", "all", *filled], rows)
            )
            facts[metric] = {name: asdict(evaluation) for name, evaluation in evaluations.items()}
            files[f"{metric}-by-length.svg"] = chart_by_length(evaluations, metric)
        return MeasureResult(tables=tables, facts=facts, files=files)


def _cells(
    metric: str, statistics: Sequence[MetricStatistics], buckets: Mapping[str, Sequence[int]]
) -> list[str]:
    scores = [[metric_statistics.corpus_score() for metric_statistics in statistics]]
    for rows in buckets.values():
        subsets = [
            bucket_statistics({metric: seed_statistics}, rows)[metric]
            for seed_statistics in statistics
        ]
        scores.append([subset.corpus_score() for subset in subsets])
    return [mean_and_deviation(values, ".1f") for values in scores]


def _statistics(trained: TrainedRun, metric: str) -> MetricStatistics:
    _, references = trained.run.test_pairs()
    return count_statistics(trained.outputs, references, [metric])[metric]


# -- the cost of training: speed, memory and size --------------------------------------------------


class CostMeasure(MeasureConfig):
    """Training speed on one thread, peak memory, and the number of parameters."""

    kind: Literal["cost"] = "cost"

    def measure(self, context: MeasureContext) -> MeasureResult:
        costs = {name: [trained.cost for trained in seeds] for name, seeds in context.runs.items()}
        speed = {name: [cost.speed for cost in seeds] for name, seeds in costs.items()}
        memory = {name: [max(cost.memory for cost in seeds) / 1e9] for name, seeds in costs.items()}
        minutes = {name: [cost.seconds / 60 for cost in seeds] for name, seeds in costs.items()}
        parameters = {name: [seeds[0].parameters / 1e6] for name, seeds in costs.items()}
        return MeasureResult(
            [
                Column("tokens/s", speed, ",.0f"),
                Column("training, minutes", minutes, ".1f", drawn=False),
                Column("memory, GB", memory, ".2f", drawn=False),
                Column("parameters, M", parameters, ".2f", drawn=False),
            ]
        )


# -- the attention of each model of a study on one sentence ----------------------------------------


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
