// The layout of the matrix: its rows and columns, and the size of its cells.
import type { Chart, Unit } from "./chart";
import { selectedCell, type ViewState } from "./state";

export const LABEL = 128; // pixels for row labels
export const SUM = 56; // pixels for row sums
const SMALLEST = 19; // labels of 14 pixels fit
const LARGEST = 44;

/** A chart with or without its special tokens. */
export interface Grid {
  chart: Chart;
  rows: number[]; // units
  columns: number[];
  cell: number;
  at(row: number, column: number): number;
}

export function layout(state: ViewState, chart: Chart): Grid {
  const shown = (units: Unit[]) =>
    units.flatMap((unit, i) => (unit.special && !state.selection.specialTokens ? [] : [i]));
  const rows = shown(chart.rows.units);
  const columns = shown(chart.columns.units);
  const space = Math.floor((state.width - LABEL - SUM) / Math.max(1, columns.length));
  const cell = Math.max(SMALLEST, Math.min(LARGEST, space));
  return { chart, rows, columns, cell, at: (r, c) => chart.row(rows[r])[columns[c]] };
}

export function focusedCell(
  state: ViewState,
  { chart, rows, columns }: Grid,
): [row: number, column: number] {
  const { row, column } = selectedCell(chart, state.selection);
  return [Math.max(0, rows.indexOf(row)), Math.max(0, columns.indexOf(column))];
}
