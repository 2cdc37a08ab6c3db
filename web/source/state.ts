// State shared by all views: the records, the selection, and how to change it.
import { type Chart, chart, type Head, type Units, unitAt } from "./chart";
import { highest } from "./math";
import type { Attention, Explanation } from "./record";

/** What the dialog of the stage explains. */
export type Detail = "query" | "weight" | "context" | "output";

export interface Selection {
  view: string;
  record: number;
  attention: string; // "" if the model has none
  head: Head;
  shift: number;
  userSelected: boolean; // false: attention and head are the defaults
  units: Units;
  specialTokens: boolean; // whether start and end tokens are shown
  row: number; // a query position
  column: number; // an attended position; −1: the one with the highest weight of the row
  by: "row" | "column"; // which of them the text view describes
  stage: number; // of the step: 0 query, 1 scores, 2 weights, 3 weight × value, 4 context, 5 output
  started: boolean; // false: nothing was played, and the stage shows the whole target
  detail: Detail | null; // the numbers that are open on the stage
  temperature: number;
  playing: boolean;
  speed: number; // 2 is twice as fast
  options: boolean; // whether layer, head and units can be selected
  sort: string; // measure that orders the heads
  node: number | null; // of the beam tree; null: the end of the best path
  pruned: boolean; // whether pruned candidates are shown
  intervention: number;
  grid: boolean; // whether the image shows its grid of weights
}

export interface ViewState {
  records: Explanation[];
  record: Explanation;
  selection: Selection;
  width: number; // of the element, in CSS pixels
  /** Changes the selection, renders, and focuses the element that matches `focus`. */
  change(part: Partial<Selection>, focus?: string): void;
}

export function initialSelection(records: Explanation[], view: string): Selection {
  const selection: Selection = {
    view,
    record: 0,
    attention: "",
    head: "mean",
    shift: 0,
    userSelected: false,
    units: "words",
    specialTokens: true,
    row: 0,
    column: -1,
    by: "row",
    stage: 5,
    started: false,
    detail: null,
    temperature: 1,
    playing: false,
    speed: 1,
    options: false,
    sort: "layer",
    node: null,
    pruned: false,
    intervention: 0,
    grid: false,
  };
  const first = { ...selection, ...defaultSelection(records[0]) };
  const row = farthestRow(records[0], first);
  if (view !== "stage") return { ...first, stage: 0, row };
  return { ...first, row: Math.min(row + first.shift, records[0].steps.length - 1) };
}

/** Of the longer words, the row whose highest weight is farthest from the diagonal. */
function farthestRow(record: Explanation, selection: Selection): number {
  const attention = findAttention(record, selection.attention);
  if (attention?.kind !== "cross" || record.source?.kind !== "text") return 0;
  const { rows, columns, row } = cachedChart(
    record,
    attention,
    selection.head,
    selection.shift,
    "words",
  );
  const letters = rows.units.map(({ label, special }) => (special ? 0 : countLetters(label)));
  const shortest = Math.min(4, Math.max(...letters)); // most shorter words are function words
  const distances = rows.units.map((_, r) => {
    if (!letters[r] || letters[r] < shortest) return -1;
    const column = highest(row(r));
    const distance = Math.abs(column / columns.units.length - r / rows.units.length);
    return columns.units[column].special ? 0 : row(r)[column] * distance || 0;
  });
  return rows.units[highest(distances)]?.positions[0] ?? 0;
}

function countLetters(label: string): number {
  return label.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** The alignment head; without one the traced head, or the last cross-attention. */
export function defaultSelection(
  record: Explanation,
): Pick<Selection, "attention" | "head" | "shift" | "userSelected"> {
  const { alignment_head: alignmentHead, head_trace: trace, attentions } = record;
  const last = attentions.filter(({ kind }) => kind === "cross").at(-1) ?? attentions.at(-1);
  const attention = alignmentHead?.attention ?? trace?.attention ?? last?.name ?? "";
  const single = findAttention(record, attention)?.heads === 1;
  const head = single ? 0 : ((alignmentHead ?? trace)?.head ?? "mean");
  return { attention, head, shift: alignmentHead?.shift ?? 0, userSelected: false };
}

export function findAttention(record: Explanation, name: string): Attention | undefined {
  return record.attentions.find((each) => each.name === name);
}

/** The chart of the selected attention; null for a model without attention. */
export function selectedChart({ record, selection }: ViewState): Chart | null {
  const attention = findAttention(record, selection.attention);
  if (!attention) return null;
  const shift = attention.kind === "cross" ? selection.shift : 0;
  return cachedChart(record, attention, selection.head, shift, selection.units);
}

/** The word chart of a model's default cross-attention; null if it has none. */
export function defaultChart(record: Explanation): Chart | null {
  const { attention: name, head, shift } = defaultSelection(record);
  const attention = findAttention(record, name);
  return attention?.kind === "cross" ? cachedChart(record, attention, head, shift, "words") : null;
}

/** The selected row and column of a chart, as units. */
export function selectedCell(chart: Chart, selection: Selection): { row: number; column: number } {
  const row = unitAt(chart.rows, selection.row);
  const column =
    selection.column < 0 ? highest(chart.row(row)) : unitAt(chart.columns, selection.column);
  return { row, column };
}

const charts = new WeakMap<Explanation, Map<string, Chart>>();

export function cachedChart(
  record: Explanation,
  attention: Attention,
  head: Head,
  shift: number,
  units: Units,
): Chart {
  const cache = charts.get(record) ?? new Map<string, Chart>();
  charts.set(record, cache);
  const key = `${attention.name} ${head} ${shift} ${units}`;
  const found = cache.get(key) ?? chart(record, attention, head, shift, units);
  cache.set(key, found);
  return found;
}
