// The picture that was read, lit where each word looked.
import { css, html, nothing, type TemplateResult } from "lit";
import type { Chart } from "./chart";
import { caption, controls } from "./controls";
import { empty, noAttention } from "./empty";
import { sentence } from "./flow";
import { entropy, highest, variation } from "./math";
import { drawing } from "./pixels";
import type { ImageRead } from "./record";
import { lookNamed, place, type Scene, shown } from "./scene";
import { number, rounded, token } from "./words";

const STILL = 0.05; // successive maps that share more than 95 % of their weight do not move
const SHADE = 0.78; // how dark the picture is where nothing was looked at

export function overlay(scene: Scene): TemplateResult {
  const { record, choice, change } = scene;
  const image = record.source as ImageRead;
  const chart = shown(scene);
  if (!chart) return noAttention(record);
  if (lookNamed(record, choice.look)?.kind !== "source")
    return html`${controls(scene)} ${empty("This look is not at the picture: choose one at the source.")}`;
  const { row } = place(chart, choice);
  const choose = (unit: number, focus?: string) =>
    change({ by: "row", row: chart.rows.units[unit].positions[0] ?? 0, column: -1 }, focus);
  const grid = html`<label class="inline"><input type="checkbox" data-testid="grid" .checked=${choice.grid}
    @change=${() => change({ grid: !choice.grid })}> grid and numbers</label>`;
  return html`${controls(scene, grid)}
    <div class="captioned">
      ${lit(image, chart.row(row), choice.grid)}
      <div class="beside">
        ${sentence({
          axis: chart.rows,
          side: "rows",
          name: "target, what it said",
          pieces: choice.units === "pieces",
          hover: true,
          current: row,
          asked: true,
          value: () => null,
          style: () => "",
          label: (r) => chart.rows.units[r].label,
          choose,
        })}
        ${spoken(chart, row)} ${moves(chart)} ${caption(scene)}
      </div>
    </div>
    <div class="film" role="group" aria-label="every word with where it looked">
      ${chart.rows.units.map(
        (
          unit,
          r,
        ) => html`<button class="shot" data-testid="shot" aria-pressed=${r === row} @click=${() => choose(r)}>
          ${lit(image, chart.row(r), false)}<span><bdi dir="auto">${unit.label}</bdi></span>
          <span class="small soft">${number(entropy(chart.row(r)))} bits</span></button>`,
      )}
    </div>`;
}

/** The brightest place of a word is fully lit: the mask compares places, not words. */
function lit(image: ImageRead, weights: Float32Array, grid: boolean): TemplateResult {
  const most = weights[highest(weights)];
  const { rows, columns } = image;
  const shape = `aspect-ratio:${image.width}/${image.height}`;
  const source = image.picture.startsWith("data:image/") ? image.picture : "";
  return html`<figure class="lit" .style=${shape}><img src=${source} alt="the picture that was read">
    <canvas aria-hidden="true" ${drawing((canvas) => shade(canvas, columns, weights, most))}></canvas>
    ${
      grid
        ? html`<div class="places" .style=${`grid-template:repeat(${rows},1fr)/repeat(${columns},1fr)`}>
            ${Array.from(
              weights,
              (weight) =>
                html`<span data-testid="place" data-value=${weight}>${rounded(weight)}</span>`,
            )}</div>`
        : nothing
    }</figure>`;
}

function shade(
  canvas: HTMLCanvasElement,
  columns: number,
  weights: Float32Array,
  most: number,
): void {
  canvas.width = columns;
  canvas.height = weights.length / columns;
  const context = canvas.getContext("2d");
  if (!context) return;
  const image = context.createImageData(canvas.width, canvas.height);
  weights.forEach((weight, s) => {
    image.data[4 * s + 3] = 255 * SHADE * (1 - weight / (most || 1));
  });
  context.putImageData(image, 0, 0);
}

function spoken(chart: Chart, row: number): TemplateResult {
  const weights = chart.row(row);
  const best = highest(weights);
  return html`<p class="said" data-testid="said">${token(chart.rows.units[row].label)} looked most at
    ${chart.columns.units[best].label}, ${number(weights[best])} of ${weights.length} places; entropy
    ${number(entropy(weights))} of ${number(Math.log2(weights.length))} bits.</p>`;
}

/** Whether the look moves from word to word, or is the same for all. */
function moves(chart: Chart): TemplateResult {
  const pairs = chart.rows.units.slice(1).map((_, r) => variation(chart.row(r), chart.row(r + 1)));
  const known = pairs.filter((each) => !Number.isNaN(each));
  if (!known.length) return html`<p class="note">There is one word: nothing to compare.</p>`;
  const mean = known.reduce((a, b) => a + b, 0) / known.length;
  return html`<p class="note" data-testid="moves">From word to word ${number(mean)} of the look moves
    elsewhere.${
      mean < STILL
        ? html` <strong>It hardly moves at all: the words do not look at different places. Attention that
            never varies tells nothing of the picture, and often means that training went wrong.</strong>`
        : nothing
    }</p>`;
}

export const style = css`
  .captioned {
    display: grid; grid-template-columns: minmax(0, 24rem) minmax(0, 1fr); gap: 1.5rem;
    align-items: start;
  }
  .beside { display: grid; gap: 1rem; }
  .lit { position: relative; overflow: hidden; border-radius: 4px; width: 100%; }
  .lit img, .lit canvas, .places { position: absolute; inset: 0; width: 100%; height: 100%; }
  .lit canvas { image-rendering: auto; }
  .places { display: grid; }
  .places span {
    display: grid; place-items: center; font-size: 0.625rem; color: #fff;
    text-shadow: 0 0 2px #000, 0 0 2px #000; outline: 1px solid #ffffff55;
  }
  .film { display: flex; flex-wrap: wrap; gap: 0.75rem; }
  .shot {
    display: grid; gap: 0.15rem; width: 7rem; padding: 0.35rem; text-align: start;
    align-content: start;
  }
  .shot bdi { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  @media (max-width: 48rem) { .captioned { grid-template-columns: minmax(0, 1fr); } }
`;
