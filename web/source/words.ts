// Numbers and looks said in words.
import { html, type TemplateResult } from "lit";
import type { Chart } from "./chart";
import { falling } from "./math";
import type { Explanation, Kind, Look } from "./record";
import { best, type Choice } from "./scene";

export const CAUTION = "Attention shows where the model looked, not why it said this.";

const KINDS: Record<Kind, string> = {
  source: "Looking at the source",
  past: "Looking at what it has said",
  reading: "The encoder looking at its own words",
};

/** A number as it is shown; the whole of it stands beside it in `data-value`. */
export function number(value: number): TemplateResult {
  return html`<data class="number" data-value=${value} value=${value}>${rounded(value)}</data>`;
}

/** To three digits: half a thousandth from what it is, at most. */
export function rounded(value: number): string {
  if (Number.isNaN(value)) return "–";
  if (value === Number.NEGATIVE_INFINITY) return "−∞";
  const text = value.toFixed(3).replace("-", "−");
  return text === "−0.000" ? text.slice(1) : text;
}

export function token(label: string): TemplateResult {
  return html`<bdi class="token" dir="auto">${label}</bdi>`;
}

/** «layer 2 of 4, head 3 of 4, read a step later (shifted)». */
export function lookName(record: Explanation, look: Look, choice: Pick<Choice, "head" | "shift">) {
  const depth = new Set(record.looks.filter((l) => l.kind === look.kind).map((l) => l.layer)).size;
  const parts = [`layer ${look.layer + 1} of ${depth}`];
  if (look.heads > 1) {
    if (typeof choice.head === "number") parts.push(`head ${choice.head + 1} of ${look.heads}`);
    else parts.push(`${choice.head === "mean" ? "mean" : "highest"} of ${look.heads} heads`);
  } else parts.push("its only head");
  if (look.kind === "source")
    parts.push(
      choice.shift
        ? "read a step later, as the word was read in (shifted)"
        : "read as the word was said (not shifted)",
    );
  return `${KINDS[look.kind]}: ${parts.join(", ")}`;
}

/** Why this look is shown. */
export function reason(record: Explanation, choice: Choice): TemplateResult | string {
  const { pointer } = record;
  const { look, head, shift } = best(record);
  const same = look === choice.look && head === choice.head && shift === choice.shift;
  if (!pointer || !same) return choice.chosen ? "chosen by you" : "";
  if (!pointer.agreement) return "chosen when the model was sealed";
  return html`chosen because it agrees best with a dictionary (F1 ${number(pointer.agreement)})`;
}

/** «rennt looked most at runs 0.71, then dog 0.12». */
export function looked(chart: Chart, row: number): TemplateResult {
  const weights = chart.row(row);
  const name = token(chart.rows.units[row].label);
  if (Number.isNaN(weights[0]))
    return html`${name} has no look of its own here: nothing was read in after it.`;
  const [first, second] = falling(weights);
  return html`${name} looked most at ${token(chart.columns.units[first].label)}
  ${number(weights[first])}${
    second === undefined || weights[second] < 0.005
      ? ""
      : html`, then ${token(chart.columns.units[second].label)} ${number(weights[second])}`
  }`;
}

/** «runs was looked at most by rennt 0.71, then läuft 0.12». */
export function lookedAt(chart: Chart, column: number): TemplateResult {
  const weights = chart.rows.units.map((_, r) => chart.row(r)[column] || 0);
  const [first, second] = falling(weights);
  return html`${token(chart.columns.units[column].label)} was looked at most by
  ${token(chart.rows.units[first].label)} ${number(weights[first])}${
    second === undefined || weights[second] < 0.005
      ? ""
      : html`, then by ${token(chart.rows.units[second].label)} ${number(weights[second])}`
  }`;
}
