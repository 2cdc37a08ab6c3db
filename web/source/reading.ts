// The reading view: two texts; point at a word and see where it looked, or who looked at it.
import { css, html, nothing, type TemplateResult } from "lit";
import { type Axis, type Chart, textAxis, type Unit } from "./chart";
import { ink, tint } from "./colour";
import { caption, controls } from "./controls";
import { noAttention } from "./empty";
import { sentence } from "./flow";
import type { Explanation } from "./record";
import { place, type Scene, shown } from "./scene";
import { strip } from "./strip";
import { looked, lookedAt, number, rounded } from "./words";

const NAMES = {
  source: "source, what it read",
  target: "target, what it said",
  past: "what it had said by then",
  picture: "the picture",
};

export function reading(scene: Scene): TemplateResult {
  const chart = shown(scene);
  return chart ? pointing(scene, chart) : silent(scene.record);
}

function pointing(scene: Scene, chart: Chart): TemplateResult {
  const { record, choice, change } = scene;
  const { row, column } = place(chart, choice);
  const byRow = choice.by === "row";
  const [below, above] = [chart.rows, chart.columns];
  const chooseRow = (unit: number, focus?: string) =>
    change({ by: "row", row: below.units[unit].positions[0] ?? 0 }, focus);
  const chooseColumn = (unit: number, focus?: string) =>
    change({ by: "column", column: above.units[unit].positions[0] ?? 0 }, focus);
  const weight = (r: number, c: number) => chart.row(r)[c];
  return html`${controls(scene)}
    <div class="texts">
      ${sentence({
        axis: above,
        side: "columns",
        name: NAMES[above.name],
        pieces: choice.units === "pieces",
        hover: true,
        current: column,
        asked: !byRow,
        value: (c) => (byRow ? weight(row, c) : null),
        style: (c) => (byRow ? tint(weight(row, c)) : ""),
        label: (c) => `${above.units[c].label}, ${byRow ? rounded(weight(row, c)) : "source word"}`,
        choose: chooseColumn,
      })}
      ${sentence({
        axis: below,
        side: "rows",
        name: below === above ? "the same words, looking" : NAMES[below.name],
        pieces: choice.units === "pieces",
        hover: true,
        current: row,
        asked: byRow,
        value: (r) => (byRow ? null : weight(r, column)),
        style: (r) => `${byRow ? "" : tint(weight(r, column))};${surprise(record, below, r)}`,
        label: (r) => `${below.units[r].label}${byRow ? "" : `, ${rounded(weight(r, column))}`}`,
        choose: chooseRow,
      })}
    </div>
    <p class="said" aria-live="polite" data-testid="said">
      ${byRow ? looked(chart, row) : lookedAt(chart, column)}${
        byRow && below.name === "target"
          ? html`; <i>p</i> = ${number(Math.exp(logp(record, below.units[row])))}`
          : nothing
      }
    </p>
    ${legend(below.name === "target")} ${caption(scene)}`;
}

/** Of a model that does not look: the texts, how sure it was, and its one vector. */
function silent(record: Explanation): TemplateResult {
  const target = textAxis("target", record.target, "words");
  const source = record.source?.kind === "text" ? textAxis("source", record.source, "words") : null;
  const quiet = {
    pieces: false,
    hover: false,
    current: -1,
    asked: false,
    value: () => null,
  };
  return html`<div class="texts">
      ${
        source
          ? sentence({
              ...quiet,
              axis: source,
              side: "columns",
              name: NAMES.source,
              style: () => "",
              label: (c) => source.units[c].label,
            })
          : nothing
      }
      ${record.summary === null ? nothing : strip(record.numbers(record.summary), "the one vector")}
      ${sentence({
        ...quiet,
        axis: target,
        side: "rows",
        name: NAMES.target,
        style: (r) => surprise(record, target, r),
        label: (r) => target.units[r].label,
      })}
    </div>
    ${noAttention(record)}`;
}

function logp(record: Explanation, unit: Unit): number {
  return unit.positions.reduce((sum, t) => sum + record.steps[t].logp, 0);
}

/** A thicker line under what the model was less sure of. */
function surprise(record: Explanation, axis: Axis, r: number): string {
  if (axis.name !== "target") return "";
  const nats = -logp(record, axis.units[r]);
  return `text-decoration-thickness:${(1 + Math.min(4, nats)).toFixed(2)}px`; // 5 px: p < 0.02
}

function legend(underlined: boolean): TemplateResult {
  const steps = Array.from({ length: 9 }, (_, i) => ink(i / 8));
  return html`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${`background:linear-gradient(90deg,${steps.join()})`}></i> 1,
      share of the look</span>
    ${underlined ? html`<span><u class="sure">sure</u> <u class="unsure">unsure</u></span>` : nothing}
  </p>`;
}

export const style = css`
  .texts { display: grid; gap: 1.75rem; }
  .texts > * { min-width: 0; }
  .texts [data-side="rows"] .word:not([data-mark]) {
    text-decoration: underline var(--mark); text-underline-offset: 0.28em;
    text-decoration-skip-ink: none;
  }
  .sure, .unsure { text-decoration-color: var(--mark); text-underline-offset: 0.25em; }
  .sure { text-decoration-thickness: 1px; }
  .unsure { text-decoration-thickness: 4px; }
`;
