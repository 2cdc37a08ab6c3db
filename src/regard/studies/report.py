"""The results of a study: one table, one figure, and all numbers as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, stdev

import torch

from regard.studies.measures.measure import (
    Column,
    MeasureContext,
    MeasureResult,
    StatusCallback,
    format_difference,
    mean_and_deviation,
)
from regard.studies.planning import StudyPlan
from regard.studies.runs import TrainedRun
from regard.studies.strip_chart import Panel, strip_chart

TABLE, FIGURE, RESULTS = "table.md", "figure.svg", "results.json"


@dataclass(frozen=True, slots=True)
class StudyReport:
    table: str  # Markdown
    files: dict[str, str]  # by name, the table included


def report_study(
    plan: StudyPlan, trained: Sequence[TrainedRun], on_status: StatusCallback
) -> StudyReport:
    """Apply the measures of a study to its completed runs.

    It computes with one thread, as training does, so that results can be repeated exactly.
    """
    torch.set_num_threads(1)
    runs = {
        entry.name: tuple(run for run in trained if run.run.entry.name == entry.name)
        for entry in plan.study.entries
    }
    context = MeasureContext(runs, plan.find_file, plan.quick, on_status)
    measures = plan.study.config.measures
    results = [measure.measure(context) for measure in measures]
    columns = [column for result in results for column in result.columns]
    table = _table(columns, results, context)
    files = {TABLE: table}
    if panels := [_panel(column, context) for column in columns if column.drawn and column.values]:
        seeds = len(plan.seeds)
        note = "dots: seeds; bar: their mean" if seeds > 1 else "one seed: no deviation is known"
        files[FIGURE] = strip_chart(panels, title=plan.study.config.title, note=note)
    for result in results:
        files |= result.files
    files[RESULTS] = json.dumps(_facts(plan, columns, results), indent=1, ensure_ascii=False)
    return StudyReport(table, files)


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with the first column left-aligned and the others right-aligned."""
    rule = ["---", *("--:" for _ in heads[1:])]
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in (heads, rule, *rows)]
    return "".join(f"| {' | '.join(row)} |\n" for row in escaped)


def _table(
    columns: Sequence[Column], results: Sequence[MeasureResult], context: MeasureContext
) -> str:
    """The main table, with a row for each entry, and the further tables of the measures."""
    heads, rows = [""], [[name] for name in context.runs]
    for column in columns:
        heads.append(column.name)
        if column.differences:
            heads += [f"− {context.baseline}", "p"]
        for row in rows:
            values = column.values.get(row[0])
            row.append("–" if values is None else mean_and_deviation(values, column.format))
            if column.differences:
                base = column.values[context.baseline]
                difference = column.differences.get(row[0])
                row += format_difference(difference, values or (), base, column.format)
    parts = [markdown_table(heads, rows)] if columns else []
    for result in results:
        for result_table in result.tables:
            parts.append(
                f"{result_table.title}:\n\n{markdown_table(result_table.heads, result_table.rows)}"
            )
    return "\n".join(parts)


def _panel(column: Column, context: MeasureContext) -> Panel:
    return Panel(column.name, {name: column.values.get(name, ()) for name in context.runs})


def _facts(
    plan: StudyPlan, columns: Sequence[Column], results: Sequence[MeasureResult]
) -> dict[str, object]:
    config = plan.study.config
    return {
        "study": plan.study.name,
        "title": config.title,
        "quick": plan.quick,
        "seeds": list(plan.seeds),
        "settings": list(config.settings),
        "entries": {
            entry.name: {"preset": entry.preset, "settings": list(entry.settings)}
            for entry in plan.study.entries
        },
        "columns": {
            column.name: {name: _cell(column, name) for name in column.values} for column in columns
        },
        "measures": [
            {
                "measure": measure.model_dump(mode="json"),
                "facts": result.facts,
                "tables": [asdict(table) for table in result.tables],
            }
            for measure, result in zip(config.measures, results, strict=True)
        ],
    }


def _cell(column: Column, name: str) -> dict[str, object]:
    values = list(column.values[name])
    difference = column.differences.get(name)
    return {
        "values": values,
        "mean": fmean(values),
        "deviation": stdev(values) if len(values) > 1 else None,
        "difference": None if difference is None else asdict(difference),
    }
