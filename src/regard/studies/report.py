"""The report of a study: table, strip chart and all numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil, floor, log10
from statistics import fmean, stdev

import torch

from regard import svg
from regard.explain.pictures.figure import text_width
from regard.studies.measures.measure import (
    Column,
    MeasureContext,
    MeasureResult,
    StatusCallback,
    TrainedRun,
    format_difference,
    mean_and_deviation,
)
from regard.studies.planning import StudyPlan

# -- SVG strip charts side by side -----------------------------------------------------------------
# A row for each name, a dot for each value, a bar at the mean.


# in SVG units
_TOP, _STEP, _GAP, _MARGIN = 92, 26, 36, 24
_FEW, _MANY = 460.0, 240.0  # width of a single panel, and of one of several


@dataclass(frozen=True, slots=True)
class Panel:
    """The values of one measure by name; a name without values has an empty row."""

    title: str
    values: Mapping[str, Sequence[float]]


def strip_chart(panels: Sequence[Panel], *, title: str, note: str) -> str:
    """Draw the panels beside each other; all have the same names."""
    names = list(panels[0].values)
    x0 = _MARGIN + max(text_width(name, 12) for name in names) + 18
    width = _FEW if len(panels) == 1 else _MANY
    bottom = _TOP + _STEP * len(names)
    parts = [
        svg.svg_text(title, _MARGIN, 28, size=15, weight="bold"),
        svg.svg_text(note, _MARGIN, 46, size=11, fill=svg.SOFT),
    ]
    for number, name in enumerate(names):
        y = _TOP + _STEP * (number + 0.5)
        parts.append(svg.svg_text(name, x0 - 14, y + 4, size=12, anchor="end"))
    for number, panel in enumerate(panels):
        parts += _draw(panel, x0 + number * (width + _GAP), width, bottom)
    right = x0 + len(panels) * (width + _GAP)
    return svg.svg_document(
        max(right, text_width(title, 16) + 2 * _MARGIN), bottom + 34, parts, title
    )


def _draw(panel: Panel, x0: float, width: float, bottom: int) -> list[str]:
    flat = [value for row in panel.values.values() for value in row]
    low, high, unit = _axis(min(flat), max(flat))

    def position(value: float) -> float:
        return x0 + width * (value - low) / (high - low)

    parts = [svg.svg_text(panel.title, x0, _TOP - 18, size=12, weight="bold")]
    for number in range(round((high - low) / unit) + 1):
        level = low + number * unit
        x = position(level)
        parts.append(f"<path d='M{x:.1f} {_TOP - 8}V{bottom}' stroke='{svg.FAINT}'/>")
        label = f"{level:,.{max(0, -floor(log10(unit)))}f}".replace("-", "−")
        parts.append(svg.svg_text(label, x, bottom + 16, size=11, anchor="middle"))
    for number, row in enumerate(panel.values.values()):
        if not row:
            continue
        y = _TOP + _STEP * (number + 0.5)
        mean = position(fmean(row))
        parts.append(
            f"<path d='M{mean:.1f} {y - 8:.1f}v16' stroke='{svg.INK}' stroke-width='2.5'/>"
        )
        parts += [
            f"<circle cx='{position(value):.1f}' cy='{y:.1f}' r='4' fill='{svg.colour(0)}' "
            "fill-opacity='0.65'/>"
            for value in row
        ]
    return parts


def _axis(smallest: float, largest: float) -> tuple[float, float, float]:
    """Round limits around all values, and the distance of at most six grid lines."""
    spread = largest - smallest or abs(largest) or 1.0
    power = 10.0 ** floor(log10(spread))
    unit = next(f * power for f in (0.1, 0.2, 0.5, 1, 2, 5, 10) if spread / (f * power) <= 4)
    low, high = unit * floor(smallest / unit), unit * ceil(largest / unit)
    return low, max(high, low + unit), unit


# -- report ----------------------------------------------------------------------------------------


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
