// Side by side: what several models made of one source, with one cursor on its words.
import { css, html, nothing, type TemplateResult } from "lit";
import { type Chart, textAxis, unitAt } from "./chart";
import { cividis, signed, tint } from "./colour";
import { empty } from "./empty";
import { direction, sentence } from "./flow";
import { cells } from "./pixels";
import type { Explanation, TextRead } from "./record";
import { best, lookNamed, place, remembered, type Scene } from "./scene";
import { strip } from "./strip";
import { lookedAt, lookName, rounded } from "./words";

export function compare(scene: Scene): TemplateResult {
  const { records, choice, change } = scene;
  const [first] = records;
  if (first.source?.kind !== "text")
    return empty("These models did not read a text: there is no word to compare them by.");
  const read = first.source;
  const axis = textAxis("source", read, "words");
  const chart = bestChart(first);
  const at = chart ? place(chart, choice).column : unitAt(axis, choice.column);
  return html`${sentence({
    axis,
    side: "columns",
    name: "source, what all of them read",
    pieces: false,
    hover: true,
    current: at,
    asked: true,
    value: () => null,
    style: () => "",
    label: (unit) => axis.units[unit].label,
    choose: (unit, focus) =>
      change({ by: "column", column: axis.units[unit].positions[0] ?? 0 }, focus),
  })}
    <div class="models">${records.map((record) => model(record, read, at))}</div>
    ${difference(records)}`;
}

/** The chart of a model's best look between words, if it has one. */
function bestChart(record: Explanation): Chart | null {
  const { look: name, head, shift } = best(record);
  const look = lookNamed(record, name);
  return look?.kind === "source" ? remembered(record, look, head, shift, "words") : null;
}

function model(record: Explanation, read: TextRead, word: number): TemplateResult {
  const chart = bestChart(record);
  const same = record.source?.kind === "text" && record.source.text === read.text;
  return html`<article data-testid="model-card" data-model=${record.model.name}>
    <h3>${record.model.name}</h3>
    <p class="small soft">${record.model.about}</p>
    ${
      !same
        ? html`<p class="note">It did not read this source.</p>`
        : chart
          ? looking(record, chart, word)
          : silent(record)
    }
  </article>`;
}

function looking(record: Explanation, chart: Chart, word: number): TemplateResult {
  const choice = best(record);
  const look = lookNamed(record, choice.look);
  const columns = chart.columns.units.length;
  const column = Math.min(word, columns - 1);
  return html`<p class="made" dir=${direction(chart.rows)}>${chart.rows.units.map((unit, r) => {
    const weight = chart.row(r)[column];
    return html`<span class="word" data-testid="compared" data-value=${weight} ?data-mark=${unit.mark}
      title=${rounded(weight)} .style=${tint(weight)}>${unit.label}</span> `;
  })}</p>
  <p data-testid="said">${lookedAt(chart, column)}.</p>
  <div class="mini" aria-hidden="true">
    <canvas ${cells(columns, chart.weights, cividis)}></canvas>
    <i .style=${`left:${(100 * column) / columns}%;width:${100 / columns}%`}></i>
  </div>
  <p class="note">A row for each word it said, a column for each it read.
    ${look ? lookName(record, look, choice) : nothing}.</p>`;
}

function silent(record: Explanation): TemplateResult {
  const numbers = record.summary === null ? null : record.numbers(record.summary);
  return html`<p class="made" dir="auto">${record.target.text}</p>
    ${numbers ? strip(numbers, "its summary of the whole source") : nothing}
    <p data-testid="said">It does not look back, whatever word is asked about: everything it knows of the
      sentence is in ${numbers ? html`these ${numbers.length} numbers` : "its first state"}.</p>`;
}

/** Where two models that said the same looked differently. */
function difference(records: Explanation[]) {
  const pairs = records.flatMap((one, i) => records.slice(i + 1).map((other) => [one, other]));
  for (const [one, other] of pairs) {
    const [some, others] = [bestChart(one), bestChart(other)];
    if (!some || !others || one.target.text !== other.target.text) continue;
    if (some.weights.length !== others.weights.length) continue;
    const values = some.weights.map((weight, i) => weight - others.weights[i]);
    const rows = some.rows.units.length;
    const columns = some.columns.units.length;
    return html`<section class="difference" data-testid="difference"><h3>Where they differ</h3>
      <p class="note">Both said the same. Purple: ${one.model.name} looked there more; orange:
        ${other.model.name}.</p>
      <canvas role="img" aria-label=${`difference of their weights, ${rows} rows, ${columns} columns`}
        .style=${`width:${Math.min(560, columns * 24)}px;height:auto`}
        ${cells(columns, values, signed(1))}></canvas>
    </section>`;
  }
  return html`<p class="note">No two of them said the same, so their maps cannot be subtracted.</p>`;
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
  article h3 { overflow-wrap: anywhere; }
  .made { font-size: 1.2rem; line-height: 1.65; overflow-wrap: anywhere; }
  .mini { position: relative; max-width: 16rem; overflow: clip; overflow-clip-margin: 2px; }
  .mini canvas { width: 100%; height: auto; border-radius: 3px; }
  .mini i { position: absolute; top: 0; bottom: 0; box-shadow: 0 0 0 1px #fff, 0 0 0 2px #000; }
  .difference { display: grid; gap: 0.5rem; justify-items: start; }
`;
