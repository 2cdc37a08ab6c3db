// Layers × heads: a thumbnail of every head, to sort and to select.
import { css, html, nothing, type TemplateResult } from "lit";
import { type Head, ofHead } from "./chart";
import { weightScale } from "./colour";
import { caption, headsOf } from "./controls";
import { KINDS, number } from "./describe";
import { renderGrid } from "./grid";
import { layout } from "./layout";
import { columnsOf, type Measure, measures } from "./measures";
import { drawing, pixels } from "./pixels";
import { noAttention } from "./placeholder";
import type { Attention, Explanation, Kind } from "./record";
import { selectedChart, type ViewState } from "./state";

export function heads(state: ViewState): TemplateResult {
  const { record, selection, change } = state;
  if (!record.attentions.length) return noAttention(record);
  const sorts = measures(record);
  const measure = sorts.find(({ id }) => id === selection.sort);
  return html`<div class="controls">
      <label>sort by <select data-testid="sort"
        @change=${(event: Event) => change({ sort: (event.target as HTMLSelectElement).value })}>
        <option value="layer" ?selected=${!measure}>layer and head</option>
        ${sorts.map((each) => html`<option value=${each.id} ?selected=${each === measure}>${each.title}</option>`)}
      </select></label>
      ${measure ? html`<p class="note">${measure.title}, ${measure.explain}</p>` : nothing}
    </div>
    ${Object.keys(KINDS).map((kind) => group(state, kind as Kind, measure))}
    ${labelled(state)}
    <div class="controls">
      ${[
        record.source?.kind === "image"
          ? ["image", "Show on the image"]
          : ["text", "Show in the text"],
        ["matrix", "Show as a matrix"],
        ["trace", "Show step by step"],
      ].map(
        ([view, title]) =>
          html`<button @click=${() => change({ view }, `#tab-${view}`)}>${title}</button>`,
      )}
    </div>
    ${caption(state)}`;
}

/** The selected head with its words. */
function labelled(state: ViewState): TemplateResult {
  const chart = selectedChart(state);
  return chart ? renderGrid(state, layout(state, chart)) : html``;
}

interface Tile {
  attention: Attention;
  head: Head;
  value: number | undefined;
}

function group(state: ViewState, kind: Kind, measure: Measure | undefined) {
  const { record, selection } = state;
  const attentions = record.attentions.filter((each) => each.kind === kind);
  const title = KINDS[kind];
  if (!attentions.length) return nothing;
  const tiles = (attention: Attention): Tile[] =>
    headsOf(attention).map((head) => ({
      attention,
      head,
      value: measure?.of(record, attention, head, selection.shift),
    }));
  const row = (row: Tile[], name: unknown) =>
    html`<div class="tiles">${name}${row.map((tile) => thumbnail(state, tile, measure))}</div>`;
  const byValue = (a: Tile, b: Tile) =>
    ((a.value ?? Number.POSITIVE_INFINITY) - (b.value ?? Number.POSITIVE_INFINITY)) *
    (measure?.ascending ? 1 : -1);
  return html`<section class="kind" aria-label=${title}><h3>${title}</h3>
    ${
      measure
        ? row(attentions.flatMap(tiles).sort(byValue), nothing)
        : attentions.map((attention) =>
            row(
              tiles(attention),
              html`<span class="layer small soft">layer ${attention.layer + 1}</span>`,
            ),
          )
    }
  </section>`;
}

function thumbnail(
  state: ViewState,
  { attention, head, value }: Tile,
  measure: Measure | undefined,
) {
  const { record, selection, change } = state;
  const name = typeof head === "number" ? `${head + 1}` : head;
  const where = measure
    ? html`<span class="hidden">layer and head </span>${attention.layer + 1} · ${name}`
    : html`<span class="hidden">layer ${attention.layer + 1}, </span>${typeof head === "number" ? "head " : ""}${name}`;
  return html`<button class="tile" data-testid="tile" data-attention=${attention.name} data-head=${head}
    aria-pressed=${selection.attention === attention.name && selection.head === head}
    @click=${() => change({ attention: attention.name, head, userSelected: true })}>
    <canvas ${drawing((canvas) => draw(canvas, record, attention, head))}></canvas>
    <span class="small">${where}</span>
    ${value === undefined ? nothing : html`<span class="small">${number(value)}</span>`}
  </button>`;
}

const drawn = new WeakMap<Element, string>(); // what a canvas shows: most updates do not change it

function draw(
  canvas: HTMLCanvasElement,
  record: Explanation,
  attention: Attention,
  head: Head,
): void {
  const key = `${weightScale()(0)} ${record.model.sha256} ${record.target.text} ${attention.name} ${head}`;
  if (drawn.get(canvas) === key) return;
  drawn.set(canvas, key);
  const weights = ofHead(record.numbers(attention.weights), attention.heads, head);
  pixels(canvas, columnsOf(record, attention), weights, weightScale(), 1);
}

export const style = css`
  .kind { display: grid; gap: 0.75rem; }
  .tiles { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; }
  .layer { width: 4.5rem; }
  .tile {
    display: grid; gap: 0.15rem; padding: 0.4rem; justify-items: center; border-color: transparent;
  }
  .tile canvas { width: 8rem; height: 8rem; border: 1px solid var(--line); border-radius: 3px; }
  .tile[aria-pressed="true"] { font-weight: 650; }
  @media (max-width: 36rem) { .layer { width: 100%; } .tile canvas { width: 6rem; height: 6rem; } }
`;
