// The image view: the image, lit by the attention weights of each word.
import { css, html, nothing, type TemplateResult } from "lit";
import type { Chart } from "./chart";
import { parse, weightScale } from "./colour";
import { caption, controls, options } from "./controls";
import { number, rounded, token } from "./describe";
import { entropy, highest, variation } from "./math";
import { drawing } from "./pixels";
import { noAttention, placeholder } from "./placeholder";
import type { ImageSource } from "./record";
import { sentence } from "./sentence";
import { findAttention, selectedCell, selectedChart, type ViewState } from "./state";

const WEIGHT_HUE = 0.7; // the weight whose colour the tint has
const STILL = 0.05; // less mean movement between words counts as static attention
const TINT = 0.75; // opacity of the tint at the highest weight

export function imageView(state: ViewState): TemplateResult {
  const { record, selection, change } = state;
  const image = record.source as ImageSource;
  const chart = selectedChart(state);
  if (!chart) return noAttention(record);
  if (findAttention(record, selection.attention)?.kind !== "cross")
    return html`${controls(state)} ${placeholder("Select a cross-attention layer to see weights on the image.")}`;
  const { row } = selectedCell(chart, selection);
  const select = (unit: number, focus?: string) =>
    change({ by: "row", row: chart.rows.units[unit].positions[0] ?? 0, column: -1 }, focus);
  const grid = html`<label class="inline"><input type="checkbox" data-testid="grid" .checked=${selection.grid}
    @change=${() => change({ grid: !selection.grid })}> grid of weights</label>`;
  return html`<div class="captioned">
      ${attendedImage(image, chart.row(row), selection.grid)}
      <div class="beside">
        ${sentence({
          axis: chart.rows,
          side: "rows",
          name: "target",
          pieces: selection.units === "pieces",
          hover: true,
          current: row,
          selected: true,
          value: () => null,
          style: () => "",
          label: (r) => chart.rows.units[r].label,
          select,
        })}
        ${summary(chart, row)} ${movement(chart)} ${caption(state)}
      </div>
    </div>
    <div class="film" role="group" aria-label="all words">
      ${chart.rows.units.map(
        (
          unit,
          r,
        ) => html`<button class="frame" data-testid="frame" aria-pressed=${r === row} @click=${() => select(r)}>
          ${attendedImage(image, chart.row(r), false)}<span><bdi dir="auto">${unit.label}</bdi></span>
          <span class="small soft">${number(entropy(chart.row(r)))} bits</span></button>`,
      )}
    </div>
    ${options(state, controls(state, grid))}`;
}

/** The image in grey, under a tint that is scaled by the highest weight of the word. */
function attendedImage(image: ImageSource, weights: Float32Array, grid: boolean): TemplateResult {
  const largest = weights[highest(weights)];
  const { rows, columns } = image;
  const shape = `aspect-ratio:${image.width}/${image.height}`;
  const source = image.image.startsWith("data:image/") ? image.image : "";
  return html`<figure class="attended" .style=${shape}><img src=${source} alt="source image">
    <canvas aria-hidden="true" ${drawing((canvas) => tinted(canvas, columns, weights, largest))}></canvas>
    ${
      grid
        ? html`<div class="regions" .style=${`grid-template:repeat(${rows},1fr)/repeat(${columns},1fr)`}>
            ${Array.from(
              weights,
              (weight) =>
                html`<span data-testid="region" data-value=${weight}>${rounded(weight)}</span>`,
            )}</div>`
        : nothing
    }</figure>`;
}

function tinted(
  canvas: HTMLCanvasElement,
  columns: number,
  weights: Float32Array,
  largest: number,
): void {
  canvas.width = columns;
  canvas.height = weights.length / columns;
  const context = canvas.getContext("2d");
  if (!context) return;
  const image = context.createImageData(canvas.width, canvas.height);
  const colour = parse(weightScale()(WEIGHT_HUE));
  weights.forEach((weight, s) => {
    image.data.set([...colour, 255 * TINT * (weight / (largest || 1))], 4 * s);
  });
  context.putImageData(image, 0, 0);
}

function summary(chart: Chart, row: number): TemplateResult {
  const weights = chart.row(row);
  const best = highest(weights);
  return html`<p class="summary" data-testid="summary">${token(chart.rows.units[row].label)} attends most to
    ${chart.columns.units[best].label}, ${number(weights[best])} in ${weights.length} regions; entropy
    ${number(entropy(weights))} of ${number(Math.log2(weights.length))} bits.</p>`;
}

/** How much the weights change from word to word. */
function movement(chart: Chart): TemplateResult {
  const pairs = chart.rows.units.slice(1).map((_, r) => variation(chart.row(r), chart.row(r + 1)));
  const defined = pairs.filter((each) => !Number.isNaN(each));
  if (!defined.length) return html`<p class="note">There is only one word, so no movement.</p>`;
  const mean = defined.reduce((a, b) => a + b, 0) / defined.length;
  return html`<p class="note" data-testid="movement">From word to word ${number(mean)} of the attention
    moves.${
      mean < STILL
        ? html` <strong>Attention is nearly the same for all words. It does not localize them, which
            often means that training failed.</strong>`
        : nothing
    }</p>`;
}

export const style = css`
  .captioned {
    display: grid; grid-template-columns: minmax(0, 24rem) minmax(0, 1fr); gap: 1.5rem;
    align-items: start;
  }
  .beside { display: grid; gap: 1rem; }
  .attended { position: relative; overflow: hidden; border-radius: 4px; width: 100%; }
  .attended img, .attended canvas, .regions { position: absolute; inset: 0; width: 100%; height: 100%; }
  .attended img { filter: grayscale(1) contrast(0.85); }
  .attended canvas { image-rendering: auto; }
  .regions { display: grid; }
  .regions span {
    display: grid; place-items: center; font-size: var(--tiny); color: #fff;
    text-shadow: 0 0 2px #000, 0 0 2px #000; outline: 1px solid #ffffff55;
  }
  .film { display: flex; flex-wrap: wrap; gap: 0.75rem; }
  .frame {
    display: grid; gap: 0.15rem; width: 7rem; padding: 0.35rem; text-align: start;
    align-content: start;
  }
  .frame bdi { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  @media (max-width: 48rem) { .captioned { grid-template-columns: minmax(0, 1fr); } }
`;
