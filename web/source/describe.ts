// Numbers and attention weights as text.
import { html, type TemplateResult } from "lit";
import type { Chart, Head } from "./chart";
import { descending } from "./math";
import type { Attention, Explanation, Kind } from "./record";
import { defaultSelection, type Selection } from "./state";

export const CAUTION = "Attention weights do not explain why the model chose a word.";

export const KINDS: Record<Kind, string> = {
  cross: "Cross-attention",
  self: "Decoder self-attention",
  encoder: "Encoder self-attention",
};

/** The alignment steps, by shift. */
export const STEPS = ["at output", "at next input"];

/** A number to three decimals, with its full value in `data-value`. */
export function number(value: number): TemplateResult {
  return html`<data class="number" data-value=${value} value=${value}>${rounded(value)}</data>`;
}

export function rounded(value: number): string {
  if (Number.isNaN(value)) return "–";
  if (value === Number.NEGATIVE_INFINITY) return "−∞";
  const text = value.toFixed(3).replace("-", "−");
  return text === "−0.000" ? text.slice(1) : text;
}

export function token(label: string): TemplateResult {
  return html`<bdi class="token" dir="auto">${label}</bdi>`;
}

/** A head as readers count it: from 1. */
export function headName(head: Head): string {
  return typeof head === "number" ? String(head + 1) : head;
}

/** «Cross-attention: layer 2 of 4, head 3 of 4, at output». */
export function attentionName(
  record: Explanation,
  { kind, layer, heads }: Attention,
  { head, shift }: Pick<Selection, "head" | "shift">,
): string {
  const layers = new Set(record.attentions.filter((a) => a.kind === kind).map((a) => a.layer)).size;
  const parts = [`layer ${layer + 1} of ${layers}`];
  if (heads === 1) parts.push("one head");
  else if (typeof head === "number") parts.push(`head ${head + 1} of ${heads}`);
  else parts.push(`${head === "mean" ? "mean" : "maximum"} of ${heads} heads`);
  if (kind === "cross") parts.push(STEPS[shift]);
  return `${KINDS[kind]}: ${parts.join(", ")}`;
}

/** Why this attention is shown. */
export function reason(record: Explanation, selection: Selection): TemplateResult | string {
  const agreement = record.alignment_head?.agreement;
  const { attention, head, shift } = defaultSelection(record);
  const isDefault =
    attention === selection.attention && head === selection.head && shift === selection.shift;
  if (agreement === undefined || !isDefault) return selection.userSelected ? "selected by you" : "";
  if (!agreement) return "the alignment head of the model bundle";
  return html`the alignment head: its links agree best with the word aligner (F1 ${number(agreement)})`;
}

/** «rennt attends most to runs 0.710, then to dog 0.120». */
export function describeRow(chart: Chart, row: number): TemplateResult {
  const weights = chart.row(row);
  const name = token(chart.rows.units[row].label);
  if (Number.isNaN(weights[0]))
    return html`${name} has no weights at this step: no input follows it.`;
  const label = (column: number) => token(chart.columns.units[column].label);
  const [first, second] = descending(weights);
  return html`${name} attends most to ${label(first)} ${number(weights[first])}${
    second === undefined || weights[second] < 0.005
      ? ""
      : html`, then to ${label(second)} ${number(weights[second])}`
  }`;
}

/** «runs gets the highest weight from rennt 0.710, then from läuft 0.120». */
export function describeColumn(chart: Chart, column: number): TemplateResult {
  const name = token(chart.columns.units[column].label);
  const weights = chart.rows.units.map((_, r) => chart.row(r)[column] || 0);
  const label = (row: number) => token(chart.rows.units[row].label);
  const [first, second] = descending(weights);
  if (!(weights[first] >= 0.005))
    return html`No word attends to ${name}: all its weights are below ${number(0.005)}`;
  return html`${name} gets the highest weight from ${label(first)}
  ${number(weights[first])}${
    second === undefined || weights[second] < 0.005
      ? ""
      : html`, then from ${label(second)} ${number(weights[second])}`
  }`;
}
