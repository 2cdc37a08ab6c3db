// The mechanism's own formulas, and one score taken apart into its real numbers.
import { css, html, mathml, type TemplateResult } from "lit";
import { falling, summands } from "./math";
import type { Moment } from "./moment";
import { number, token } from "./words";

const SHOWN = 6; // of the summands; the rest are added up

const sum = mathml`<munder><mo>∑</mo><mi>d</mi></munder>`;
const query = mathml`<msub><mi>q</mi><mi>d</mi></msub>`;
const key = mathml`<msub><mi>k</mi><mrow><mi>s</mi><mi>d</mi></mrow></msub>`;
const score = mathml`<msub><mi>e</mi><mi>s</mi></msub>`;
const other = mathml`<msub><mi>e</mi><mi>j</mi></msub>`;
const weight = mathml`<msub><mi>α</mi><mi>s</mi></msub>`;

const apart = mathml`<mrow><mo>(</mo><mi>s</mi><mo>−</mo><mi>p</mi><mo>)</mo></mrow>`;
const reach = mathml`<mi>D</mi>`;
const squared = (what: unknown) => mathml`<msup>${what}<mn>2</mn></msup>`;

export function scoreFormula(additive: boolean): TemplateResult {
  const body = additive
    ? mathml`${sum}<msub><mi>v</mi><mi>d</mi></msub><mi>tanh</mi><mo>(</mo>${query}<mo>+</mo>${key}<mo>)</mo>`
    : mathml`<mi>c</mi>${sum}${query}<mo>⁢</mo>${key}`;
  return html`<math display="block"><mrow>${score}<mo>=</mo>${body}</mrow></math>`;
}

export function weighingFormula(name: string, gaussian: boolean): TemplateResult {
  const exp = (which: unknown) =>
    mathml`<mrow><mi>exp</mi><mo>(</mo>${which}<mo>/</mo><mi>τ</mi><mo>)</mo></mrow>`;
  const bodies: Record<string, unknown> = {
    hard: mathml`<mn>1</mn><mtext> at the highest score, </mtext><mn>0</mn><mtext> elsewhere</mtext>`,
    sparsemax: mathml`<mi>max</mi><mo>(</mo><mn>0</mn><mo>,</mo>${score}<mo>/</mo><mi>τ</mi><mo>−</mo><mi>θ</mi><mo>)</mo>`,
    softmax: mathml`<mfrac>${exp(score)}<mrow><munder><mo>∑</mo><mi>j</mi></munder>${exp(other)}</mrow></mfrac>`,
  };
  const prior = gaussian
    ? mathml`<mo>·</mo><mi>exp</mi><mo>(</mo><mo>−</mo><mn>2</mn>${squared(apart)}<mo>/</mo>${squared(reach)}<mo>)</mo>`
    : "";
  return html`<math display="block"><mrow>${weight}<mo>=</mo>${bodies[name]}${prior}</mrow></math>`;
}

/** One score, unit by unit: the largest summands, the rest, and their sum. */
export function takenApart(moment: Moment, column: number): TemplateResult {
  const { inside, units, scores } = moment;
  if (!inside || !scores) return html``;
  const { query, keys, scale, energy } = inside;
  const width = query.length;
  const key = keys.subarray(column * width, (column + 1) * width);
  const parts = summands(query, key, scale, energy);
  const order = falling(parts.map(Math.abs));
  const rest = order.slice(SHOWN).reduce((total, d) => total + parts[d], 0);
  const total = parts.reduce((a, b) => a + b, 0);
  const made = energy
    ? html`v<sub>d</sub> · tanh(q<sub>d</sub> + k<sub>d</sub>)`
    : html`c · q<sub>d</sub> · k<sub>d</sub>`;
  return html`<table class="apart" data-testid="summands" data-source=${column}>
    <caption>Why ${token(units[column].label)} scores ${number(scores[column])}${
      energy ? "" : html`, with c = ${number(scale)}`
    }</caption>
    <thead><tr><th scope="col">unit d</th><th scope="col">q<sub>d</sub></th><th scope="col">k<sub>d</sub></th>
      ${energy ? html`<th scope="col">v<sub>d</sub></th>` : ""}<th scope="col">${made}</th></tr></thead>
    <tbody>
      ${order.slice(0, SHOWN).map(
        (
          d,
        ) => html`<tr><th scope="row">${d + 1}</th><td>${number(query[d])}</td><td>${number(key[d])}</td>
          ${energy ? html`<td>${number(energy[d])}</td>` : ""}<td>${number(parts[d])}</td></tr>`,
      )}
      ${
        width > SHOWN
          ? html`<tr><th scope="row" colspan=${energy ? 4 : 3}>the other ${width - SHOWN} units</th>
              <td data-testid="rest">${number(rest)}</td></tr>`
          : ""
      }
      <tr class="total"><th scope="row" colspan=${energy ? 4 : 3}>sum</th>
        <td data-testid="score-sum">${number(total)}</td></tr>
    </tbody>
  </table>
  ${
    scores[column] === Number.NEGATIVE_INFINITY
      ? html`<p class="note">The span hides this position: the sum above is not used.</p>`
      : Math.abs(total - scores[column]) > 5e-3
        ? html`<p class="note">The model’s own score is ${number(scores[column])}.</p>`
        : ""
  }`;
}

export const style = css`
  math {
    font-size: 1.15rem; text-align: start; margin: 0.25rem 0; overflow-x: auto; overflow-y: hidden;
  }
  .apart { border-collapse: collapse; font-size: 0.875rem; max-width: 100%; }
  .apart caption { text-align: start; padding-bottom: 0.3rem; color: var(--ink); }
  .apart th, .apart td {
    text-align: end; padding: 0.12rem 0.5rem; border-top: 1px solid var(--line); font-weight: 400;
  }
  .apart th { color: var(--soft); }
  .apart thead th { border: 0; }
  .apart .total > * { color: var(--ink); font-weight: 650; border-top: 2px solid var(--line); }
`;
