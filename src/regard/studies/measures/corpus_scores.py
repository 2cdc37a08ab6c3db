"""BLEU, chrF and TER of the test set, with paired tests; and the same by source length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from regard.config.base import Count
from regard.evaluate.by_length import (
    EDGES,
    bucket_statistics,
    evaluate_seeds,
    length_buckets,
)
from regard.evaluate.length_chart import chart_by_length
from regard.evaluate.report import TITLES
from regard.evaluate.scores import MetricStatistics, count_statistics
from regard.studies.measures.measure import (
    MeasureConfig,
    MeasureContext,
    MeasureResult,
    ResultTable,
    compared_column,
    mean_and_deviation,
)
from regard.studies.runs import TrainedRun

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
