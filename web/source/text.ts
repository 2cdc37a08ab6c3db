// The text view: source and target; selecting a word shows its weights to or from the other text.
import { css, html, nothing, type TemplateResult } from "lit";
import { type Axis, type Chart, textAxis, type Unit } from "./chart";
import { legendRamp, tint } from "./colour";
import { caption, controls, options } from "./controls";
import { describeColumn, describeRow, number, rounded } from "./describe";
import { noAttention } from "./placeholder";
import type { Explanation } from "./record";
import { sentence } from "./sentence";
import { selectedCell, selectedChart, type ViewState } from "./state";
import { vectorStrip } from "./vector";

export function textView(state: ViewState): TemplateResult {
  const chart = selectedChart(state);
  return chart ? withAttention(state, chart) : withoutAttention(state.record);
}

function withAttention(state: ViewState, chart: Chart): TemplateResult {
  const { record, selection, change } = state;
  const { row, column } = selectedCell(chart, selection);
  const byRow = selection.by === "row";
  const [below, above] = [chart.rows, chart.columns];
  const selectRow = (unit: number, focus?: string) =>
    change({ by: "row", row: below.units[unit].positions[0] ?? 0 }, focus);
  const selectColumn = (unit: number, focus?: string) =>
    change({ by: "column", column: above.units[unit].positions[0] ?? 0 }, focus);
  const weight = (r: number, c: number) => chart.row(r)[c];
  return html`<div class="texts">
      ${sentence({
        axis: above,
        side: "columns",
        name: above.name === "prefix" ? "target prefix" : above.name,
        pieces: selection.units === "pieces",
        hover: true,
        current: column,
        selected: !byRow,
        value: (c) => (byRow ? weight(row, c) : null),
        style: (c) => (byRow ? tint(weight(row, c)) : ""),
        label: (c) => `${above.units[c].label}, ${byRow ? rounded(weight(row, c)) : "source word"}`,
        select: selectColumn,
      })}
      ${sentence({
        axis: below,
        side: "rows",
        name: below === above ? "source (queries)" : below.name,
        pieces: selection.units === "pieces",
        hover: true,
        current: row,
        selected: byRow,
        value: (r) => (byRow ? null : weight(r, column)),
        style: (r) => `${byRow ? "" : tint(weight(r, column))};${underline(record, below, r)}`,
        label: (r) => `${below.units[r].label}${byRow ? "" : `, ${rounded(weight(r, column))}`}`,
        select: selectRow,
      })}
    </div>
    <p class="summary" aria-live="polite" data-testid="summary">
      ${byRow ? describeRow(chart, row) : describeColumn(chart, column)}${
        byRow && below.name === "target"
          ? html`; <i>p</i> = ${number(Math.exp(logp(record, below.units[row])))}`
          : nothing
      }
    </p>
    <p class="note" data-testid="help">Point at a word to see which words of the other text it attends
      to, or which attend to it. The more a word is coloured, the higher its attention weight.</p>
    ${legend(below.name === "target")} ${options(state, controls(state))} ${caption(state)}`;
}

/** For a model without attention: the texts, and the source vector. */
function withoutAttention(record: Explanation): TemplateResult {
  const target = textAxis("target", record.target, "words");
  const source = record.source?.kind === "text" ? textAxis("source", record.source, "words") : null;
  const plain = {
    pieces: false,
    hover: false,
    current: -1,
    selected: false,
    value: () => null,
  };
  return html`<div class="texts">
      ${
        source
          ? sentence({
              ...plain,
              axis: source,
              side: "columns",
              name: source.name,
              style: () => "",
              label: (c) => source.units[c].label,
            })
          : nothing
      }
      ${record.summary === null ? nothing : vectorStrip(record.numbers(record.summary), "fixed vector", "context")}
      ${sentence({
        ...plain,
        axis: target,
        side: "rows",
        name: target.name,
        style: (r) => underline(record, target, r),
        label: (r) => target.units[r].label,
      })}
    </div>
    ${noAttention(record)}`;
}

function logp(record: Explanation, unit: Unit): number {
  return unit.positions.reduce((sum, t) => sum + record.steps[t].logp, 0);
}

/** A thicker underline for a lower probability. */
function underline(record: Explanation, axis: Axis, r: number): string {
  if (axis.name !== "target") return "";
  const nats = -logp(record, axis.units[r]);
  return `text-decoration-thickness:${(1 + Math.min(4, nats)).toFixed(2)}px`; // 5 px: p < 0.02
}

function legend(underlined: boolean): TemplateResult {
  return html`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${legendRamp()}></i> 1,
      attention weight</span>
    ${underlined ? html`<span>underline: <u class="sure">likely</u> <u class="unsure">unlikely</u></span>` : nothing}
  </p>`;
}

export const style = css`
  .texts { display: grid; gap: 1.75rem; }
  .texts > * { min-width: 0; }
  .texts [data-side="rows"] .word:not([data-special]) {
    text-decoration: underline var(--output); text-underline-offset: 0.28em;
    text-decoration-skip-ink: none;
  }
  .sure, .unsure { text-decoration-color: var(--output); text-underline-offset: 0.25em; }
  .sure { text-decoration-thickness: 1px; }
  .unsure { text-decoration-thickness: 4px; }
`;
