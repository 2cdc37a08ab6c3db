// Where a chart's cells lie: with or without marks, and as large as there is room for.
import type { Chart, Unit } from "./chart";
import { place, type Scene } from "./scene";

export const LABEL = 128; // pixels for the names of rows
export const SUM = 56; // for the sums of rows
const SMALLEST = 15; // a label of 11 pixels fits beside its neighbours
const LARGEST = 44;

/** A chart with or without its start and end marks. */
export interface Grid {
  chart: Chart;
  rows: number[];
  columns: number[];
  cell: number;
  at(row: number, column: number): number;
}

export function laid(scene: Scene, chart: Chart): Grid {
  const kept = (units: Unit[]) =>
    units.flatMap((unit, i) => (unit.mark && !scene.choice.ends ? [] : [i]));
  const rows = kept(chart.rows.units);
  const columns = kept(chart.columns.units);
  const room = Math.floor((scene.width - LABEL - SUM) / Math.max(1, columns.length));
  const cell = Math.max(SMALLEST, Math.min(LARGEST, room));
  return { chart, rows, columns, cell, at: (r, c) => chart.row(rows[r])[columns[c]] };
}

export function focused(
  scene: Scene,
  { chart, rows, columns }: Grid,
): [row: number, column: number] {
  const { row, column } = place(chart, scene.choice);
  return [Math.max(0, rows.indexOf(row)), Math.max(0, columns.indexOf(column))];
}
