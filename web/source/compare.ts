// Compare: the attention of several models to one selected source word.
import { css, html, nothing, type TemplateResult } from "lit";
import { type Chart, textAxis, unitAt } from "./chart";
import { signed, tint, weightScale } from "./colour";
import { attentionName, describeColumn, rounded } from "./describe";
import { commonWords } from "./math";
import { hasBottleneck } from "./moment";
import { cells } from "./pixels";
import { placeholder } from "./placeholder";
import type { Explanation, TokenizedText } from "./record";
import { direction, sentence } from "./sentence";
import {
  defaultChart,
  defaultSelection,
  findAttention,
  selectedCell,
  type ViewState,
} from "./state";
import { vectorStrip } from "./vector";

export function compare(state: ViewState): TemplateResult {
  const { records, selection, change } = state;
  const [first] = records;
  if (first.source?.kind !== "text")
    return placeholder("The comparison needs a source text, which these records do not have.");
  const { source } = first;
  const axis = textAxis("source", source, "words");
  const chart = defaultChart(first);
  const word = chart ? selectedCell(chart, selection).column : unitAt(axis, selection.column);
  return html`${sentence({
    axis,
    side: "columns",
    name: "source",
    pieces: false,
    hover: true,
    current: word,
    selected: true,
    value: () => null,
    style: () => "",
    label: (unit) => axis.units[unit].label,
    select: (unit, focus) =>
      change({ by: "column", column: axis.units[unit].positions[0] ?? 0 }, focus),
  })}
    <div class="models">${records.map((record) => model(record, records, source, word))}</div>
    <p class="note">An underlined word is in no other translation.</p>
    ${difference(records)}`;
}

/** What a model is made of, by name. */
function facts(record: Explanation): [name: string, fact: string][] {
  const cross = record.attentions.filter(({ kind }) => kind === "cross");
  const [attention] = cross;
  const seen = !attention
    ? "one vector (no attention)"
    : hasBottleneck(record)
      ? "one vector (the last state)"
      : "all states (attention)";
  return [
    ["the decoder sees", seen],
    ["score", attention?.score.name ?? "none"],
    ["normalizer", attention?.normalizer.name ?? "none"],
    ["layers", String(cross.length)],
    ["heads", String(attention?.heads ?? 0)],
    ["parameters", record.model.parameters.toLocaleString("en")],
  ];
}

/** The facts in which the models differ. */
function differing(record: Explanation, records: Explanation[]): TemplateResult {
  const every = records.map(facts);
  const shown = facts(record).filter(([, fact], i) => every.some((each) => each[i][1] !== fact));
  return html`<dl class="small facts">${shown.map(
    ([name, fact]) => html`<div><dt>${name}</dt><dd>${fact}</dd></div>`,
  )}</dl>`;
}

/** The words of a target that no other target has at this point of their alignment. */
function only(record: Explanation, records: Explanation[]): Set<number> {
  const words = ({ target }: Explanation) =>
    textAxis("target", target, "words").units.map(({ label }) => label);
  const own = words(record);
  const others = records.filter((each) => each !== record).map(words);
  const shared = new Set(others.flatMap((other) => commonWords(own, other)));
  return new Set(others.length ? own.flatMap((_, i) => (shared.has(i) ? [] : [i])) : []);
}

function model(
  record: Explanation,
  records: Explanation[],
  source: TokenizedText,
  word: number,
): TemplateResult {
  const chart = defaultChart(record);
  const same = record.source?.kind === "text" && record.source.text === source.text;
  return html`<article data-testid="model-card" data-model=${record.model.name}>
    <h3>${record.model.name}</h3>
    ${differing(record, records)}
    ${
      !same
        ? html`<p class="note">This model has another source.</p>`
        : chart
          ? withAttention(record, records, chart, word)
          : withoutAttention(record, records)
    }
  </article>`;
}

function withAttention(
  record: Explanation,
  records: Explanation[],
  chart: Chart,
  word: number,
): TemplateResult {
  const selection = defaultSelection(record);
  const attention = findAttention(record, selection.attention);
  const columns = chart.columns.units.length;
  const column = Math.min(word, columns - 1);
  const different = only(record, records);
  return html`<p class="target" dir=${direction(chart.rows)}>${chart.rows.units.map((unit, r) => {
    const weight = chart.row(r)[column];
    return html`<span class="word ${different.has(r) ? "different" : ""}" data-testid="compared" data-value=${weight} ?data-special=${unit.special}
      title=${rounded(weight)} .style=${tint(weight)}>${unit.label}</span> `;
  })}</p>
  <p data-testid="summary">${describeColumn(chart, column)}.</p>
  <div class="mini" aria-hidden="true">
    <canvas ${cells(columns, chart.weights, weightScale())}></canvas>
    <i .style=${`left:${(100 * column) / columns}%;width:${100 / columns}%`}></i>
  </div>
  <p class="note">Rows are target words, columns source words.
    ${attention ? attentionName(record, attention, selection) : nothing}.</p>`;
}

function withoutAttention(record: Explanation, records: Explanation[]): TemplateResult {
  const numbers = record.summary === null ? null : record.numbers(record.summary);
  return html`<p class="target" dir="auto">${textAxis("target", record.target, "words").units.map(
    ({ label, special }, r) =>
      html`<span class="word ${only(record, records).has(r) ? "different" : ""}" ?data-special=${special}>${label}</span> `,
  )}</p>
    ${numbers ? vectorStrip(numbers, "fixed vector", "context") : nothing}
    <p data-testid="summary">This model has no attention: its decoder gets the source as
      ${numbers ? html`one vector of ${numbers.length} numbers` : "its initial state"}.</p>`;
}

/** The difference of the weights of the first two models with the same target. */
function difference(records: Explanation[]) {
  const pairs = records.flatMap((one, i) => records.slice(i + 1).map((other) => [one, other]));
  for (const [one, other] of pairs) {
    const [a, b] = [defaultChart(one), defaultChart(other)];
    if (!a || !b || one.target.text !== other.target.text) continue;
    if (a.weights.length !== b.weights.length) continue;
    const values = a.weights.map((weight, i) => weight - b.weights[i]);
    const rows = a.rows.units.length;
    const columns = a.columns.units.length;
    return html`<section class="difference" data-testid="difference"><h3>Difference of weights</h3>
      <p class="note">Both have the same target. Blue: ${one.model.name} has more weight; grey:
        ${other.model.name}.</p>
      <canvas role="img" aria-label=${`difference of weights, ${rows} rows, ${columns} columns`}
        .style=${`width:${Math.min(560, columns * 24)}px;height:auto`}
        ${cells(columns, values, signed(1, "weight"))}></canvas>
    </section>`;
  }
  return html`<p class="note">No two models have the same target, so there is no difference of weights.</p>`;
}

export const style = css`
  .models {
    display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
    gap: 1rem;
  }
  article {
    border: 1px solid var(--line); border-radius: 8px; padding: 1rem; display: grid; gap: 0.75rem;
    align-content: start; min-width: 0;
  }
  .different { text-decoration: underline wavy var(--mark) 2px; text-underline-offset: 0.25em; }
  .facts { margin: 0; display: grid; gap: 0.1rem; }
  .facts div { display: flex; gap: 0.6rem; }
  .facts dt { color: var(--soft); min-width: 8rem; }
  .facts dd { margin: 0; }
  article h3 { overflow-wrap: anywhere; }
  .target { font-size: 1.2rem; line-height: 1.65; overflow-wrap: anywhere; }
  .mini { position: relative; max-width: 16rem; overflow: clip; overflow-clip-margin: 2px; }
  .mini canvas { width: 100%; height: auto; border-radius: 3px; border: 1px solid var(--line); }
  .mini i { position: absolute; top: 0; bottom: 0; box-shadow: 0 0 0 1px #fff, 0 0 0 2px #000; }
  .difference { display: grid; gap: 0.5rem; justify-items: start; }
`;
