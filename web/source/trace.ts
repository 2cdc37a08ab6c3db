// Step by step: how one head and the output of one step are computed, with all numbers.
import { css, html, nothing, type TemplateResult } from "lit";
import { outputBars, positionBars } from "./bars";
import { textAxis } from "./chart";
import { attentionName, number } from "./describe";
import { normalizerFormula, scoreFormula, scoreTable } from "./formula";
import { highest, NORMALIZERS } from "./math";
import { contextShares, narrate, stagesOf } from "./narration";
import type { Explanation } from "./record";
import { sentence } from "./sentence";
import { defaultSelection, type Selection, type ViewState } from "./state";
import { stateSteps } from "./states";
import { type HeadStep, headStep, isTraced } from "./step";
import { vectorStrip } from "./vector";

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

export function trace(state: ViewState): TemplateResult {
  if (!state.record.attentions.length)
    return html`<div class="trace" @keydown=${(event: KeyboardEvent) => onKey(event, state)}>
      ${steps(state, state.selection.row)} ${transport(state)} ${stateSteps(state)}</div>`;
  const current = headStep(state);
  if (!current)
    return html`<div class="placeholder" data-testid="placeholder"><p>Encoder self-attention has no
      decoding steps. ${tracedHeadButton(state)}</p></div>`;
  const { column, stage } = state.selection;
  const { detail, attention, weights, units } = current;
  const position = column < 0 ? highest(weights) : Math.min(column, units.length - 1);
  const classes = (index: number) => `stage ${index === stage ? "now" : ""}`;
  return html`<div class="trace" @keydown=${(event: KeyboardEvent) => onKey(event, state)}>
    ${steps(state, current.step)} ${transport(state)}
    <p class="summary" role="status" aria-live="polite" data-testid="summary"
      >${narrate(state.record, current, stage)}</p>
    ${headCaption(state, current)}
    <section class=${classes(0)} data-testid="stage-0"><h3>1. Query</h3>
      ${
        detail?.terms
          ? vectorStrip(detail.terms.query, "query q, from the decoder state")
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
      ${detail ? vectorStrip(detail.context, "context, Σ weight · value") : notRecorded(state, "the context")}
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

function steps({ record, change }: ViewState, step: number): TemplateResult {
  const axis = textAxis("target", record.target, "pieces");
  return sentence({
    axis,
    side: "rows",
    name: "target pieces",
    pieces: true,
    hover: false,
    current: step,
    selected: true,
    value: () => null,
    style: () => "",
    label: (t) => `step ${t + 1}, ${axis.units[t].label}`,
    select: (t, focus) => change({ row: t, column: -1, playing: false }, focus),
  });
}

function transport({ record, selection, change }: ViewState): TemplateResult {
  const go = (by: number) => change({ ...advanced(selection, record, by), playing: false });
  return html`<div class="controls">
    <span class="pair">
      <button data-testid="back" @click=${() => go(-1)}>← Back</button>
      <button data-testid="play" aria-pressed=${selection.playing} ?disabled=${reducedMotion.matches}
        @click=${() => change({ playing: !selection.playing })}>${selection.playing ? "Pause" : "Play"}</button>
      <button data-testid="forward" @click=${() => go(1)}>Forward →</button>
    </span>
    <label>speed <select data-testid="speed"
      @change=${(event: Event) => change({ pace: Number((event.target as HTMLSelectElement).value) })}>
      ${[
        [4, "slow"],
        [2, "normal"],
        [1, "fast"],
      ].map(
        ([pace, name]) =>
          html`<option value=${pace} ?selected=${pace === selection.pace}>${name}</option>`,
      )}
    </select></label>
    <span class="soft small" data-testid="stage">stage ${selection.stage + 1} of ${stagesOf(record)}${
      reducedMotion.matches ? "; playback is off because your system prefers reduced motion" : ""
    }</span>
  </div>`;
}

/** One stage forward or back, across steps; it stops at both ends. */
export function advanced(
  selection: Selection,
  record: Explanation,
  by: number,
): Partial<Selection> {
  const stages = stagesOf(record);
  const stage = selection.stage + by;
  if (stage >= 0 && stage < stages) return { stage };
  const row = selection.row + by;
  if (row < 0 || row >= record.steps.length) return { playing: false };
  return { row, column: -1, stage: by > 0 ? 0 : stages - 1 };
}

function onKey(event: KeyboardEvent, { record, selection, change }: ViewState): void {
  const control = (event.target as HTMLElement).closest("button, select, input, [role=button]");
  // Controls keep the keys that they use themselves; words use only the arrows.
  const ownKeys = event.key === " " ? "button, select, input" : "select, input, [role=button]";
  if (control?.matches(ownKeys)) return;
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (event.key === " " && !reducedMotion.matches) change({ playing: !selection.playing });
  else if (by) change({ ...advanced(selection, record, by), playing: false });
  else return;
  event.preventDefault();
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
  const head = typeof selection.head === "number" ? selection.head : 0; // the command counts from 0
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
