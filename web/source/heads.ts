// Layers × heads: a small picture of every look, to sort and to choose from.
import { css, html, nothing, type TemplateResult } from "lit";
import { type Head, ofHead } from "./chart";
import { cividis } from "./colour";
import { caption, headsOf } from "./controls";
import { noAttention } from "./empty";
import { columnsOf, type Measure, measures } from "./measures";
import { drawing, pixels } from "./pixels";
import type { Explanation, Kind, Look } from "./record";
import type { Scene } from "./scene";
import { number } from "./words";

const KINDS: [Kind, string][] = [
  ["source", "Looking at the source"],
  ["past", "Looking at what it has said"],
  ["reading", "The encoder looking at its own words"],
];

export function heads(scene: Scene): TemplateResult {
  const { record, choice, change } = scene;
  if (!record.looks.length) return noAttention(record);
  const sorts = measures(record);
  const measure = sorts.find(({ id }) => id === choice.sort);
  return html`<div class="controls">
      <label>sort by <select data-testid="sort"
        @change=${(event: Event) => change({ sort: (event.target as HTMLSelectElement).value })}>
        <option value="layer" ?selected=${!measure}>layer and head</option>
        ${sorts.map((each) => html`<option value=${each.id} ?selected=${each === measure}>${each.title}</option>`)}
      </select></label>
      ${measure ? html`<p class="note">${measure.title}, ${measure.explain}</p>` : nothing}
    </div>
    ${KINDS.map(([kind, title]) => group(scene, kind, title, measure))}
    <div class="controls">
      ${[
        record.source?.kind === "image"
          ? ["image", "See it on the picture"]
          : ["reading", "Read it"],
        ["matrix", "See its matrix"],
        ["walk", "Walk through it"],
      ].map(
        ([view, words]) =>
          html`<button @click=${() => change({ view }, `#tab-${view}`)}>${words}</button>`,
      )}
    </div>
    ${caption(scene)}`;
}

interface Tile {
  look: Look;
  head: Head;
  value: number | undefined;
}

function group(scene: Scene, kind: Kind, title: string, measure: Measure | undefined) {
  const { record, choice } = scene;
  const looks = record.looks.filter((look) => look.kind === kind);
  if (!looks.length) return nothing;
  const tiles = (look: Look): Tile[] =>
    headsOf(look).map((head) => ({
      look,
      head,
      value: measure?.of(record, look, head, choice.shift),
    }));
  const row = (row: Tile[], name: unknown) =>
    html`<div class="tiles">${name}${row.map((tile) => thumbnail(scene, tile, measure))}</div>`;
  const byValue = (a: Tile, b: Tile) =>
    ((a.value ?? Number.POSITIVE_INFINITY) - (b.value ?? Number.POSITIVE_INFINITY)) *
    (measure?.rising ? 1 : -1);
  return html`<section class="kind" aria-label=${title}><h3>${title}</h3>
    ${
      measure
        ? row(looks.flatMap(tiles).sort(byValue), nothing)
        : looks.map((look) =>
            row(tiles(look), html`<span class="layer small soft">layer ${look.layer + 1}</span>`),
          )
    }
  </section>`;
}

function thumbnail(scene: Scene, { look, head, value }: Tile, measure: Measure | undefined) {
  const { record, choice, change } = scene;
  const name = typeof head === "number" ? `${head + 1}` : head;
  const where = measure
    ? html`<span class="hidden">layer and head </span>${look.layer + 1} · ${name}`
    : html`<span class="hidden">layer ${look.layer + 1}, </span>${typeof head === "number" ? "head " : ""}${name}`;
  return html`<button class="tile" data-testid="tile" data-look=${look.name} data-head=${head}
    aria-pressed=${choice.look === look.name && choice.head === head}
    @click=${() => change({ look: look.name, head, chosen: true })}>
    <canvas ${drawing((canvas) => draw(canvas, record, look, head))}></canvas>
    <span class="small">${where}</span>
    ${value === undefined ? nothing : html`<span class="small">${number(value)}</span>`}
  </button>`;
}

const drawn = new WeakMap<Element, string>(); // what a canvas shows: most changes leave it as it is

function draw(canvas: HTMLCanvasElement, record: Explanation, look: Look, head: Head): void {
  const key = `${record.model.sha256} ${record.target.text} ${look.name} ${head}`;
  if (drawn.get(canvas) === key) return;
  drawn.set(canvas, key);
  const weights = ofHead(record.numbers(look.weights), look.heads, head);
  pixels(canvas, columnsOf(record, look), weights, cividis, 1);
}

export const style = css`
  .kind { display: grid; gap: 0.75rem; }
  .tiles { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; }
  .layer { width: 4.5rem; }
  .tile {
    display: grid; gap: 0.15rem; padding: 0.4rem; justify-items: center; border-color: transparent;
  }
  .tile canvas { width: 5rem; height: 5rem; border-radius: 3px; }
  .tile[aria-pressed="true"] { font-weight: 650; }
  @media (max-width: 36rem) { .layer { width: 100%; } .tile canvas { width: 4rem; height: 4rem; } }
`;
