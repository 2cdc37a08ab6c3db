// The formulas of score and normalizer, and the terms of one score.
import { css, html, mathml, type TemplateResult } from "lit";
import { number, token } from "./describe";
import { descending, summands } from "./math";
import type { Equation } from "./record";
import type { HeadStep } from "./step";

const SHOWN = 6; // terms; the rest is one sum

const sum = mathml`<munder><mo>∑</mo><mi>d</mi></munder>`;
const query = mathml`<msub><mi>q</mi><mi>d</mi></msub>`;
const key = mathml`<msub><mi>k</mi><mrow><mi>s</mi><mi>d</mi></mrow></msub>`;
const score = mathml`<msub><mi>e</mi><mi>s</mi></msub>`;
const other = mathml`<msub><mi>e</mi><mi>j</mi></msub>`;
const weight = mathml`<msub><mi>α</mi><mi>s</mi></msub>`;

const distance = mathml`<mrow><mo>(</mo><mi>s</mi><mo>−</mo><mi>p</mi><mo>)</mo></mrow>`;
const reach = mathml`<mi>D</mi>`;
const squared = (base: unknown) => mathml`<msup>${base}<mn>2</mn></msup>`;

export function scoreFormula(additive: boolean): TemplateResult {
  const body = additive
    ? mathml`${sum}<msub><mi>v</mi><mi>d</mi></msub><mi>tanh</mi><mo>(</mo>${query}<mo>+</mo>${key}<mo>)</mo>`
    : mathml`<mi>c</mi>${sum}${query}<mo>⁢</mo>${key}`;
  return html`<math display="block"><mrow>${score}<mo>=</mo>${body}</mrow></math>`;
}

export function normalizerFormula(normalizer: Equation, gaussian: boolean): TemplateResult {
  const exp = (argument: unknown) =>
    mathml`<mrow><mi>exp</mi><mo>(</mo>${argument}<mo>/</mo><mi>τ</mi><mo>)</mo></mrow>`;
  const bodies: Record<string, unknown> = {
    hard: mathml`<mn>1</mn><mtext> at the highest score, </mtext><mn>0</mn><mtext> elsewhere</mtext>`,
    sparsemax: mathml`<mi>max</mi><mo>(</mo><mn>0</mn><mo>,</mo>${score}<mo>/</mo><mi>τ</mi><mo>−</mo><mi>θ</mi><mo>)</mo>`,
    uniform: mathml`<mfrac><mn>1</mn><mi>n</mi></mfrac>`,
    softmax: mathml`<mfrac>${exp(score)}<mrow><munder><mo>∑</mo><mi>j</mi></munder>${exp(other)}</mrow></mfrac>`,
  };
  const body = bodies[normalizer.name];
  if (!body)
    return html`<p class="note">${normalizer.formula} <br><cite>${normalizer.reference}</cite></p>`;
  const prior = gaussian
    ? mathml`<mo>·</mo><mi>exp</mi><mo>(</mo><mo>−</mo><mn>2</mn>${squared(distance)}<mo>/</mo>${squared(reach)}<mo>)</mo>`
    : "";
  return html`<math display="block"><mrow>${weight}<mo>=</mo>${body}${prior}</mrow></math>`;
}

/** One score as a sum over dimensions: the largest terms, the rest, and the sum. */
export function scoreTable(step: HeadStep, column: number): TemplateResult {
  const { detail, units, scores } = step;
  if (!detail?.terms || !scores) return html``;
  const { query, keys, scale, energy } = detail.terms;
  const width = query.length;
  const key = keys.subarray(column * width, (column + 1) * width);
  const parts = summands(query, key, scale, energy);
  const order = descending(parts.map(Math.abs));
  const rest = order.slice(SHOWN).reduce((total, d) => total + parts[d], 0);
  const total = parts.reduce((a, b) => a + b, 0);
  const term = energy
    ? html`v<sub>d</sub> · tanh(q<sub>d</sub> + k<sub>d</sub>)`
    : html`c · q<sub>d</sub> · k<sub>d</sub>`;
  return html`<table class="terms" data-testid="summands" data-source=${column}>
    <caption>The score of ${token(units[column].label)}: ${number(scores[column])}${
      energy ? "" : html`, with c = ${number(scale)}`
    }</caption>
    <thead><tr><th scope="col">dimension d</th><th scope="col">q<sub>d</sub></th><th scope="col">k<sub>d</sub></th>
      ${energy ? html`<th scope="col">v<sub>d</sub></th>` : ""}<th scope="col">${term}</th></tr></thead>
    <tbody>
      ${order.slice(0, SHOWN).map(
        (
          d,
        ) => html`<tr><th scope="row">${d + 1}</th><td>${number(query[d])}</td><td>${number(key[d])}</td>
          ${energy ? html`<td>${number(energy[d])}</td>` : ""}<td>${number(parts[d])}</td></tr>`,
      )}
      ${
        width > SHOWN
          ? html`<tr><th scope="row" colspan=${energy ? 4 : 3}>the other ${width - SHOWN} dimensions</th>
              <td data-testid="rest">${number(rest)}</td></tr>`
          : ""
      }
      <tr class="total"><th scope="row" colspan=${energy ? 4 : 3}>sum</th>
        <td data-testid="score-sum">${number(total)}</td></tr>
    </tbody>
  </table>
  ${
    scores[column] === Number.NEGATIVE_INFINITY
      ? html`<p class="note">The span masks this position, so this sum is not used.</p>`
      : Math.abs(total - scores[column]) > 5e-3
        ? html`<p class="note">The model’s score is ${number(scores[column])}.</p>`
        : ""
  }`;
}

export const style = css`
  math {
    font-size: 1.3rem; text-align: start; margin: 0.25rem 0; overflow-x: auto; overflow-y: hidden;
  }
  .terms { border-collapse: collapse; font-size: var(--small); max-width: 100%; }
  .terms caption { text-align: start; padding-bottom: 0.3rem; color: var(--ink); }
  .terms th, .terms td {
    text-align: end; padding: 0.12rem 0.5rem; border-top: 1px solid var(--line); font-weight: 400;
  }
  .terms th { color: var(--soft); }
  .terms thead th { border: 0; }
  .terms .total > * { color: var(--ink); font-weight: 650; border-top: 2px solid var(--line); }
`;
