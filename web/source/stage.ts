// The stage: a sentence is translated word by word, on one screen.
import { html, nothing, type TemplateResult } from "lit";
import { shownPiece } from "./chart";
import { controls, options, playButtons, unitsPair } from "./controls";
import { number, token } from "./describe";
import { lane } from "./lane";
import { highest } from "./math";
import { type Moment, moment } from "./moment";
import { currentStep, pace, playback } from "./playback";
import type { Explanation } from "./record";
import { style as detailStyle, stageDetail } from "./stage_detail";
import { style as stageStyle } from "./stage_style";
import type { ViewState } from "./state";

/** Whether all records have a source text, which their decoder attends to or gets as a vector. */
export function fitsStage(records: Explanation[]): boolean {
  return records.every(
    ({ source, attentions, summary }) =>
      source?.kind === "text" &&
      (attentions.length ? attentions.some(({ kind }) => kind === "cross") : summary !== null),
  );
}

export function stage(state: ViewState): TemplateResult {
  const { records, selection } = state;
  const all = playback(records, selection);
  const { step, stage } = currentStep(all, selection);
  const moments = records.map((record, i) => {
    const selected = i === selection.record && selection.userSelected;
    return moment(record, { ...selection, userSelected: selected }, step);
  });
  const shown = { ...state, selection: { ...selection, stage: all.stages[stage] } };
  const beat = Math.min(0.9, pace(selection, records) || 0.5);
  return html`<div class="stagecraft" .style=${`--beat:${beat}s`} data-testid="stage-view"
      data-phase=${PHASES[shown.selection.stage].id} data-step=${step}>
    <div class="lanes" data-count=${records.length}>
      ${moments.map((each) => lane(shown, each))}
    </div>
    <p class="telling" role="status" aria-live=${selection.playing ? "off" : "polite"}
      data-testid="summary">${tell(moments, step, shown.selection.stage)}</p>
    <div class="bar-of-controls">
      ${playButtons(state)} ${phaseButtons(shown, all.stages)}
      ${options(state, optionsOf(state, moments[selection.record]))}
    </div>
    ${selection.detail ? stageDetail(shown, moments[selection.record]) : nothing}
  </div>`;
}

/** The phases of a step, by stage. */
const PHASES: Record<number, { id: string; title: string }> = {
  0: { id: "query", title: "Query" },
  2: { id: "weights", title: "Weights" },
  4: { id: "context", title: "Context" },
  5: { id: "output", title: "Output" },
};

function phaseButtons({ selection, change, record }: ViewState, stages: number[]): TemplateResult {
  const title = (stage: number) =>
    stage === 0 && !record.attentions.length ? "State" : PHASES[stage].title;
  return html`<span class="phases" role="group" aria-label="phases of a step">${stages.map(
    (stage) => html`<button class=${PHASES[stage].id} data-testid="phase" data-stage=${stage}
      aria-pressed=${stage === selection.stage}
      @click=${() => change({ stage, playing: false, started: true })}>${title(stage)}</button>`,
  )}</span>`;
}

function optionsOf(state: ViewState, { record, bottleneck }: Moment): unknown {
  return html`${record.attentions.length ? controls(state) : unitsPair(state)}
    <p class="note">${
      bottleneck
        ? "This decoder has the source as one vector of fixed size."
        : "The width of an arc is its attention weight. The width of a part of the context is weight × ‖value‖."
    } ${
      state.selection.shift && !bottleneck
        ? "The weights of this head belong to the word that was just read: the other views show them there."
        : nothing
    } ${record.model.description}</p>`;
}

/** One sentence for each phase. */
function tell(moments: Moment[], step: number, stage: number): TemplateResult {
  if (moments.length > 1) return tellTogether(moments);
  const [{ units, weights, shares, source, candidates, bottleneck }] = moments;
  const read = token(units[step - 1]?.label ?? shownPiece("<s>"));
  if (stage === 5) {
    const p = candidates.find(({ output }) => output)?.p ?? 0;
    const word = units[Math.min(step, units.length - 1)];
    return html`The output is ${token(word.label)}, with probability ${number(p)}.`;
  }
  if (bottleneck)
    return stage === 0
      ? html`The decoder has read ${read}. It has the source only as the fixed vector.`
      : html`The context is the fixed vector, the same at every step.`;
  if (stage === 0) return html`The decoder has read ${read} and computes a query.`;
  const best = highest(stage === 2 ? weights : shares);
  const name = token(source.units[best].label);
  return stage === 2
    ? html`The key of ${name} fits the query best: weight ${number(weights[best])}.`
    : html`The values are added up by their weights: ${number(shares[best])} of the context is from ${name}.`;
}

function tellTogether(moments: Moment[]): TemplateResult {
  return html`${moments.map(({ record, bottleneck, units, step }, i) => {
    const word = units[step];
    return html`${i ? "; " : ""}${record.model.name} ${
      word ? html`outputs ${token(word.label)}` : "has ended"
    }${bottleneck ? " from the fixed vector" : ""}`;
  })}.`;
}

export const style = [stageStyle, detailStyle];
