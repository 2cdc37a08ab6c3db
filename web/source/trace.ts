// Step by step: how one head and the output of one step are computed, with all numbers.
import { css, html, nothing, type TemplateResult } from "lit";
import { outputBars, positionBars } from "./bars";
import { textAxis, unitAt } from "./chart";
import { tint } from "./colour";
import { playButtons, unitsPair } from "./controls";
import { attentionName, number, rounded } from "./describe";
import { normalizerFormula, scoreFormula, scoreTable } from "./formula";
import { highest, NORMALIZERS } from "./math";
import { contextShares, narrate, stagesOf } from "./narration";
import { sentence } from "./sentence";
import { defaultSelection, type ViewState } from "./state";
import { stateSteps } from "./states";
import { type HeadStep, headStep, isTraced } from "./step";
import { vectorStrip } from "./vector";

export function trace(state: ViewState): TemplateResult {
  if (!state.record.attentions.length)
    return html`<div class="trace">
      ${steps(state, state.selection.row)} ${transport(state)} ${stateSteps(state)}</div>`;
  const current = headStep(state);
  if (!current)
    return html`<div class="placeholder" data-testid="placeholder"><p>Encoder self-attention has no
      decoding steps. ${tracedHeadButton(state)}</p></div>`;
  const { column, stage } = state.selection;
  const { detail, attention, weights, units } = current;
  const position = column < 0 ? highest(weights) : Math.min(column, units.length - 1);
  const classes = (index: number) => `stage ${index === stage ? "now" : ""}`;
  return html`<div class="trace">
    ${sourceWords(state, current, position)} ${steps(state, current.step)} ${transport(state)}
    <p class="summary" role="status" aria-live="polite" data-testid="summary"
      >${narrate(state.record, current, stage)}</p>
    ${headCaption(state, current)}
    <section class=${classes(0)} data-testid="stage-0"><h3>1. Query</h3>
      ${
        detail?.terms
          ? vectorStrip(detail.terms.query, "query q, from the decoder state", "query")
          : detail
            ? html`<p class="note" data-testid="no-terms">The score of this attention is not shown as
                a sum of terms. The record has its values.</p>`
            : notRecorded(state, "the query")
      }
    </section>
    <div class="middle">
      <section class="positions ${stage > 0 && stage < 4 ? "now" : ""}">
        ${positionBars(state, current, position)}
        ${detail ? scoreTable(current, position) : notRecorded(state, "the terms of the scores")}</section>
      <div class="sides">
        <section class=${classes(1)} data-testid="stage-1"><h3>2. Scores</h3>
          ${detail?.terms ? scoreFormula(detail.terms.energy !== null) : nothing}
          <p class="note">${attention.score.formula} <br><cite>${attention.score.reference}</cite></p>
        </section>
        <section class=${classes(2)} data-testid="stage-2"><h3>3. Weights</h3>
          ${normalizerFormula(attention.normalizer, attention.prior === "gaussian")}
          ${temperature(state, current)}
        </section>
        <section class=${classes(3)} data-testid="stage-3"><h3>4. Weight × value</h3>
          <p class="note">A position with a short value contributes little, whatever its weight. The
            last bars show weight × ‖value‖; the largest share is
            ${number(Math.max(...contextShares(current)))}.</p>
        </section>
      </div>
    </div>
    <section class=${classes(4)} data-testid="stage-4"><h3>5. Context</h3>
      ${detail ? vectorStrip(detail.context, "context, Σ weight · value", "context") : notRecorded(state, "the context")}
    </section>
    <section class=${classes(5)} data-testid="stage-5"><h3>6. Output</h3>
      ${outputBars(state.record, current.step)}
      ${
        state.selection.temperature === 1
          ? nothing
          : html`<p class="note">The output at τ = 1. Another temperature needs a new forward pass of
              the model.</p>`
      }
    </section>
  </div>`;
}

/** The source, tinted by the weights of the step. */
function sourceWords(state: ViewState, { weights }: HeadStep, position: number) {
  const { record, selection, change } = state;
  if (record.source?.kind !== "text") return nothing;
  const axis = textAxis("source", record.source, selection.units);
  const attended = axis.units.reduce((count, { positions }) => count + positions.length, 0);
  if (attended !== weights.length) return nothing; // self-attention
  const weight = (unit: number) =>
    axis.units[unit].positions.reduce((sum, s) => sum + weights[s], 0);
  return sentence({
    axis,
    side: "columns",
    name: "source",
    pieces: selection.units === "pieces",
    hover: false,
    current: unitAt(axis, position),
    selected: true,
    value: weight,
    style: (unit) => (selection.stage < 2 ? "" : tint(weight(unit))),
    label: (unit) => `${axis.units[unit].label}, ${rounded(weight(unit))}`,
    select: (unit, focus) => change({ column: axis.units[unit].positions[0] }, focus),
  });
}

function steps({ record, selection, change }: ViewState, step: number): TemplateResult {
  const axis = textAxis("target", record.target, selection.units);
  return sentence({
    axis,
    side: "rows",
    name: "target",
    pieces: selection.units === "pieces",
    hover: false,
    current: unitAt(axis, step),
    selected: true,
    value: () => null,
    style: () => "",
    label: (t) => `step ${axis.units[t].positions[0] + 1}, ${axis.units[t].label}`,
    select: (t, focus) =>
      change({ row: axis.units[t].positions[0], column: -1, playing: false }, focus),
  });
}

function transport(state: ViewState): TemplateResult {
  const { record, selection } = state;
  return html`<div class="controls">
    ${playButtons(state)} ${unitsPair(state)}
    <span class="soft small" data-testid="stage">stage ${selection.stage + 1} of ${stagesOf(record)}</span>
  </div>`;
}

function headCaption(state: ViewState, current: HeadStep): TemplateResult {
  const { record, selection } = state;
  const head = isTraced(state) && record.head_trace ? record.head_trace.head : selection.head;
  const several = record.attentions.length > 1 || current.attention.heads > 1;
  return html`<p class="note" data-testid="caption">
    <strong>${attentionName(record, current.attention, { head, shift: 0 })}</strong>.
    ${
      current.detail
        ? current.detail.terms
          ? "The record has all vectors of this head."
          : "The record has the scores, weights and values of this head."
        : html`The record has the vectors of another head. ${tracedHeadButton(state)}`
    }
    ${several ? "The output depends on all heads and layers; this is one of them." : nothing}
    ${
      record.alignment_head?.shift && current.detail
        ? "The text view shows this head at next input, one step later."
        : nothing
    }</p>`;
}

function tracedHeadButton({ record, change }: ViewState) {
  if (!record.head_trace) return nothing;
  return html`<button data-testid="traced-head"
    @click=${() => change(defaultSelection(record), '[data-testid="forward"]')}>
    Show the head with all vectors</button>`;
}

function notRecorded({ selection }: ViewState, what: string): TemplateResult {
  const head = typeof selection.head === "number" ? selection.head + 1 : 1;
  return html`<p class="note">The record does not have ${what} of this head. To record it:
    <code>regard explain … --attention ${selection.attention} --head ${head}</code></p>`;
}

function temperature({ selection, change }: ViewState, current: HeadStep): TemplateResult {
  const { attention, scores, weights, recorded, detail } = current;
  if (!scores)
    return html`<p class="note">The ${selection.head === "mean" ? "mean" : "maximum"} of several heads
      has no scores.</p>`;
  const difference = Math.max(...weights.map((weight, s) => Math.abs(weight - recorded[s])));
  const τ = selection.temperature;
  const setTemperature = (event: Event) =>
    change({ temperature: 2 ** Number((event.target as HTMLInputElement).value) });
  const name = attention.normalizer.name;
  if (!NORMALIZERS.has(name))
    return html`<p class="note" data-testid="recorded-weights">The weights of the model. The viewer
      does not recompute this normalizer.</p>`;
  return html`${
    name === "hard" || name === "uniform"
      ? nothing
      : html`<label class="field" for="temperature">
          temperature τ = ${τ === 1 ? "1, as in the model" : number(τ)}
          <input id="temperature" data-testid="temperature" type="range" min="-3" max="3" step="0.25"
            .value=${String(Math.log2(τ))}
            @input=${setTemperature}>
        </label>`
  }
  ${
    attention.prior === "gaussian"
      ? html`<p class="note">Your browser recomputes the softmax. The Gaussian is the ratio of the
          recorded weights to this softmax, because the record does not have p and D.</p>`
      : nothing
  }
  ${
    τ === 1 && !detail
      ? html`<p class="note">The weights of the model. At another τ your browser computes them from
          scores in half precision.</p>`
      : τ === 1
        ? html`<p class="note">Computed by your browser; the recorded weights differ by at most
          <data data-testid="recompute-error" data-value=${difference} value=${difference}
            >${difference.toExponential(0).replace("-", "−")}</data>.</p>`
        : html`<p class="note">These are not the weights of the model.
          <button data-testid="reset-temperature"
            @click=${() => change({ temperature: 1 }, "#temperature")}>Back to τ = 1</button></p>`
  }`;
}

export const style = css`
  .trace { display: grid; gap: 1.25rem; }
  .trace > * { min-width: 0; }
  .middle {
    display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.25rem;
    align-items: start;
  }
  .sides { display: grid; gap: 1.25rem; }
  .stage, .positions {
    border-inline-start: 3px solid var(--line); padding: 0.1rem 0 0.1rem 1rem; display: grid;
    gap: 0.6rem; min-width: 0;
  }
  .stage > *, .positions > * { min-width: 0; }
  .trace .now { border-color: var(--accent); }
  .trace .now > h3 { color: var(--accent); }
  .trace code { font-size: 0.85em; overflow-wrap: anywhere; }
  @media (max-width: 52rem) { .middle { grid-template-columns: minmax(0, 1fr); } }
`;
