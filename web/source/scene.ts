// What all views share: the records, what is chosen, and how a choice is changed.
import { type Chart, chart, type Head, type Units, unitAt } from "./chart";
import { highest } from "./math";
import type { Explanation, Look } from "./record";

export interface Choice {
  view: string;
  record: number;
  look: string; // "" where a model has none
  head: Head;
  shift: number;
  chosen: boolean; // whether look and head were chosen by hand, and are not the pointer's
  units: Units;
  ends: boolean; // whether start and end marks are shown
  row: number; // a position of what looks
  column: number; // a position of what is looked at; −1: where the row looks most
  by: "row" | "column"; // which of them is asked about
  stage: number; // of the walk
  temperature: number;
  playing: boolean;
  pace: number; // seconds for each stage of the walk
  sort: string; // of the heads
  node: number | null; // of the beam; null: the end of the best
  cut: boolean; // whether cut candidates are shown
  whatif: number;
  grid: boolean; // over the picture
}

export interface Scene {
  records: Explanation[];
  record: Explanation;
  choice: Choice;
  width: number; // of the element, in CSS pixels
  /** Changes the choice, draws anew, and moves the focus to what `focus` selects. */
  change(part: Partial<Choice>, focus?: string): void;
}

export function firstChoice(records: Explanation[], view: string): Choice {
  const choice: Choice = {
    view,
    record: 0,
    look: "",
    head: "mean",
    shift: 0,
    chosen: false,
    units: "words",
    ends: true,
    row: 0,
    column: -1,
    by: "row",
    stage: 0,
    temperature: 1,
    playing: false,
    pace: 2,
    sort: "layer",
    node: null,
    cut: false,
    whatif: 0,
    grid: false,
  };
  const first = { ...choice, ...best(records[0]) };
  return { ...first, row: furthest(records[0], first) };
}

/** The row that looks furthest from where it stands: what attention is for. */
function furthest(record: Explanation, choice: Choice): number {
  const look = lookNamed(record, choice.look);
  if (look?.kind !== "source" || record.source?.kind !== "text") return 0;
  const { rows, columns, row } = remembered(record, look, choice.head, choice.shift, "words");
  const reach = rows.units.map(({ mark }, r) => {
    const at = highest(row(r));
    const apart = Math.abs(at / columns.units.length - r / rows.units.length);
    return mark || columns.units[at].mark ? 0 : row(r)[at] * apart || 0;
  });
  return rows.units[highest(reach)]?.positions[0] ?? 0;
}

/** The look that a record is first shown by: the pointer's, or the walk's, or the last at the source. */
export function best(record: Explanation): Pick<Choice, "look" | "head" | "shift" | "chosen"> {
  const { pointer, walk, looks } = record;
  const last = looks.filter((look) => look.kind === "source").at(-1) ?? looks.at(-1);
  const name = pointer?.look ?? walk?.look ?? last?.name ?? "";
  const alone = lookNamed(record, name)?.heads === 1;
  const head = alone ? 0 : ((pointer ?? walk)?.head ?? "mean");
  return { look: name, head, shift: pointer?.shift ?? 0, chosen: false };
}

export function lookNamed(record: Explanation, name: string): Look | undefined {
  return record.looks.find((look) => look.name === name);
}

/** The chart of the chosen look; null for a model that has none. */
export function shown({ record, choice }: Scene): Chart | null {
  const look = lookNamed(record, choice.look);
  if (!look) return null;
  const shift = look.kind === "source" ? choice.shift : 0;
  return remembered(record, look, choice.head, shift, choice.units);
}

/** Where the choice stands in a chart, as units. */
export function place(chart: Chart, choice: Choice): { row: number; column: number } {
  const row = unitAt(chart.rows, choice.row);
  const column = choice.column < 0 ? highest(chart.row(row)) : unitAt(chart.columns, choice.column);
  return { row, column };
}

const charts = new WeakMap<Explanation, Map<string, Chart>>();

export function remembered(
  record: Explanation,
  look: Look,
  head: Head,
  shift: number,
  units: Units,
): Chart {
  const known = charts.get(record) ?? new Map<string, Chart>();
  charts.set(record, known);
  const key = `${look.name} ${head} ${shift} ${units}`;
  const found = known.get(key) ?? chart(record, look, head, shift, units);
  known.set(key, found);
  return found;
}
