// The numbers behind the stage, in a dialog: query, one weight, context, output.
import { css, html, nothing, type TemplateResult } from "lit";
import { outputBars, positionBars } from "./bars";
import { pieceInWord } from "./chart";
import { number, token } from "./describe";
import { normalizerFormula, scoreFormula, scoreTable } from "./formula";
import { descending, highest } from "./math";
import type { Moment } from "./moment";
import type { Detail, ViewState } from "./state";
import { type HeadStep, headStep } from "./step";
import { vectorStrip } from "./vector";

const SHOWN = 8; // products of one number of the context

const TITLES: Record<Detail, string> = {
  query: "The query",
  weight: "One weight",
  context: "The context",
  output: "The next word",
};

export function stageDetail(state: ViewState, now: Moment): TemplateResult {
  const { selection, change } = state;
  const detail = selection.detail as Detail;
  const { attention, head, units, step } = now;
  const exact = { ...selection, attention: attention?.name ?? "", head, userSelected: true };
  const current = attention ? headStep({ ...state, selection: exact }) : null;
  const word = units[Math.min(step, units.length - 1)];
  const several = word.positions.length > 1;
  const close = (event: Event) => (event.currentTarget as HTMLElement).closest("dialog")?.close();
  return html`<dialog class="numbers" data-testid="numbers" aria-labelledby="numbers-title"
      @close=${() => change({ detail: null })}>
    <div class="numbers-head"><h3 id="numbers-title">${TITLES[detail]}
      <span class="soft">for ${token(word.label)}</span></h3>
      <button data-testid="close" @click=${close}>Close</button></div>
    ${
      several
        ? html`<p class="note">${token(word.label)} has ${word.positions.length} pieces. These are the
          numbers of the first, ${token(pieceInWord(now.record.target.pieces[word.positions[0]]))}.</p>`
        : nothing
    }
    ${current && detail !== "output" ? parts[detail](state, now, current) : withoutHead(now, detail)}
  </dialog>`;
}

const parts = { query, weight, context };

function query(_: ViewState, __: Moment, { detail }: HeadStep): TemplateResult {
  return detail?.terms
    ? html`<p>The decoder computes the query from its state. Its product with the key of a source
        word is the score of the word.</p>
      ${vectorStrip(detail.terms.query, "query q", "query")}`
    : notRecorded();
}

function weight(state: ViewState, _: Moment, current: HeadStep): TemplateResult {
  const { column } = state.selection;
  const { weights, units, scores, attention, detail } = current;
  const position = column < 0 ? highest(weights) : Math.min(column, units.length - 1);
  return html`<p class="summary">${token(units[position].label)} has the weight
      ${number(weights[position])}${scores ? html`, from the score ${number(scores[position])}` : nothing}.</p>
    ${positionBars(state, current, position)}
    <div class="formulas">
      <div><h4>Score</h4>${detail?.terms ? scoreFormula(detail.terms.energy !== null) : nothing}
        ${detail?.terms ? scoreTable(current, position) : notRecorded()}</div>
      <div><h4>Weight</h4>${normalizerFormula(attention.normalizer, attention.prior === "gaussian")}
        <p class="note">${attention.score.formula} <br><cite>${attention.score.reference}</cite></p></div>
    </div>`;
}

/** The context, and the products that one of its numbers is the sum of. */
function context(state: ViewState, _: Moment, current: HeadStep): TemplateResult {
  const { detail, weights, units } = current;
  const position = highest(weights);
  if (!detail) return html`${positionBars(state, current, position)} ${notRecorded()}`;
  const { values } = detail;
  const width = detail.context.length;
  const d = highest(detail.context.map(Math.abs));
  const product = (s: number) => weights[s] * values[s * width + d];
  const order = descending(units.map((_, s) => Math.abs(product(s))));
  const rest = order.slice(SHOWN).reduce((sum, s) => sum + product(s), 0);
  return html`${vectorStrip(detail.context, "context, Σ weight · value", "context")}
    <table class="terms" data-testid="products"><caption>Number ${d + 1} of the context, the largest:
      the sum of weight × value over the source pieces</caption>
      <thead><tr><th scope="col">piece</th><th scope="col">weight</th><th scope="col">value</th>
        <th scope="col">product</th></tr></thead>
      <tbody>${order.slice(0, SHOWN).map(
        (s) => html`<tr><th scope="row">${token(units[s].label)}</th><td>${number(weights[s])}</td>
          <td>${number(values[s * width + d])}</td><td>${number(product(s))}</td></tr>`,
      )}
      ${
        order.length > SHOWN
          ? html`<tr><th scope="row" colspan="3">the other ${order.length - SHOWN} pieces</th>
              <td>${number(rest)}</td></tr>`
          : nothing
      }
      <tr class="total"><th scope="row" colspan="3">sum</th><td data-testid="context-sum"
        >${number(detail.context[d])}</td></tr></tbody></table>`;
}

function withoutHead({ record, vector, units, step }: Moment, detail: Detail) {
  const position = units[Math.min(step, units.length - 1)].positions[0];
  if (detail === "output") return outputBars(record, position);
  return html`<p>The decoder has the source only as this vector, the same at every step, however long
      the sentence is.</p>
    ${vector ? vectorStrip(vector, "fixed vector", "context") : nothing}`;
}

function notRecorded(): TemplateResult {
  return html`<p class="note">The record has the vectors of another head.</p>`;
}

export const style = css`
  .numbers {
    border: 1px solid var(--line); border-radius: 12px; background: var(--paper); color: var(--ink);
    width: min(64rem, 100vw - 2rem); max-height: calc(100dvh - 2rem); padding: 1.25rem 1.5rem;
    overflow: auto;
  }
  .numbers[open] { display: grid; gap: 1rem; }
  .numbers > * { min-width: 0; }
  .numbers::backdrop { background: rgb(0 0 0 / 35%); }
  .numbers-head { display: flex; justify-content: space-between; align-items: center; gap: 1rem; }
  .numbers h4 { margin: 0; font-size: 1rem; }
  .numbers .tall { max-height: 16rem; }
  .formulas { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.5rem; }
  .formulas > * { min-width: 0; overflow: auto; }
  @media (max-width: 46rem) { .formulas { grid-template-columns: minmax(0, 1fr); } }
`;
