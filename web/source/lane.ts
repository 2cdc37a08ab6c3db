// One model on the stage: source, arcs, context, candidates and target.
import { html, nothing, type TemplateResult } from "lit";
import { arcs, flow, SHOWN } from "./arcs";
import { signed, tint } from "./colour";
import { number } from "./describe";
import type { Candidate, Moment } from "./moment";
import { cells } from "./pixels";
import { direction, running } from "./sentence";
import type { Detail, ViewState } from "./state";

const WIDE = 896; // pixels: two models are side by side
const LABELLED = 0.12; // smallest part of the context with a label

export function lane(state: ViewState, now: Moment): TemplateResult {
  const { records, selection } = state;
  const { record, step, units } = now;
  const several = records.length > 1;
  const ended = step >= units.length;
  return html`<section class="lane" data-testid="lane" data-model=${record.model.name}
    data-stage=${selection.stage} data-ended=${ended} aria-label=${record.model.name}>
    ${several ? html`<h3>${record.model.name}</h3>` : nothing}
    ${sourceLine(state, now)}
    <div class="between" aria-hidden="true"></div>
    ${now.bottleneck ? chip(state, now) : context(state, now)}
    ${race(state, now, several ? 3 : 5)}
    ${targetLine(state, now)}
    ${flow(now, selection.stage, ended)} ${arcs(now, selection.stage, ended)}
  </section>`;
}

function open(state: ViewState, { record }: Moment, detail: Detail, column = -1): void {
  const at = state.records.indexOf(record);
  const other = at === state.selection.record ? {} : { record: at };
  state.change({ ...other, detail, column, playing: false, stage: state.selection.stage });
}

/** The lines and the size in pixels of the words: the fewest lines on which the texts are legible. */
function layout({ records, width }: ViewState, { source, target, units }: Moment) {
  const across = width >= WIDE && records.length > 1 ? width / 2 - 16 : width;
  const smallest = Math.max(16, across / 72);
  const characters = Math.max(source.text.length, target.text.length) + 0.65 * units.length + 6;
  const size = (lines: number) => (0.94 * lines * across) / (0.62 * characters);
  const lines = [1, 2, 3, 4].find((count) => size(count) >= smallest) ?? 5;
  return { lines, size: size(lines) };
}

function sourceLine(state: ViewState, now: Moment): TemplateResult {
  const { source, weights, bottleneck } = now;
  const { selection } = state;
  const weighed = selection.stage >= 2 && !bottleneck;
  const word = (unit: number) => {
    const { label, special, positions } = source.units[unit];
    const weight = weighed ? weights[unit] : 0;
    const drawn = weight >= SHOWN;
    return html`<button class="word" data-testid="source-word" data-unit=${unit} ?data-special=${special}
      @click=${() => open(state, now, bottleneck ? "context" : "weight", positions[0])}
      ><span class="ink" .style=${tint(weight)}>${label}</span><small
      class=${drawn && weight >= 0.05 ? "" : "faint"}>${
        bottleneck
          ? nothing
          : html`<data data-value=${weights[unit]}>${weights[unit].toFixed(2)}</data>`
      }</small></button>`;
  };
  return line("source", source, word, layout(state, now), selection.units);
}

function targetLine(state: ViewState, now: Moment): TemplateResult {
  const { target, units, step } = now;
  const { selection, change } = state;
  const writes = selection.stage === 5;
  const word = (unit: number) => {
    const it = target.units[unit];
    const at = units.findIndex(({ positions }) => positions[0] === it.positions[0]);
    const when = at < step || (at === step && writes) ? "said" : at === step ? "slot" : "coming";
    const hidden = when === "coming" && selection.started;
    const select = () =>
      change({ row: it.positions[0], column: -1, stage: 5, playing: false, started: true });
    return html`<button class="word ${when} ${at === step ? "now" : ""} ${hidden ? "unseen" : ""}"
      data-testid="target-word" data-unit=${at} data-when=${when} ?data-special=${it.special}
      tabindex=${hidden ? -1 : 0} aria-hidden=${hidden} aria-current=${at === step ? "step" : nothing}
      @click=${select}><span class="ink">${it.label}</span></button>`;
  };
  return line("target", target, word, layout(state, now), selection.units);
}

function line(
  name: "source" | "target",
  axis: Moment["source"],
  word: (unit: number) => TemplateResult,
  { lines, size }: ReturnType<typeof layout>,
  units: string,
): TemplateResult {
  return html`<div class="line-of-words ${name} ${lines > 2 ? "dense" : ""}" .style=${`--words:${size}px`}>
    <span class="name" aria-hidden="true">${name}</span>
    <p class="words" role="group" aria-label=${name} data-side=${name} dir=${direction(axis)}>${
      units === "pieces" ? axis.units.map((_, unit) => html`${word(unit)} `) : running(axis, word)
    }</p></div>`;
}

/** The query, and the context as a bar of the parts that the source words contribute. */
function context(state: ViewState, now: Moment): TemplateResult {
  const { source, shares, units, step } = now;
  const read = units[step - 1]?.label ?? "‹start›";
  return html`<div class="mix">
    <button class="query" data-testid="query" @click=${() => open(state, now, "query")}
      ><small>query after</small> <bdi>${read}</bdi></button>
    <button class="pill" data-testid="context"
      @click=${() => open(state, now, "context")}>
      <small class="pill-name">context</small>
      <span class="parts">${shares.map(
        (share, unit) => html`<span class="part" data-testid="share" data-unit=${unit}
          data-value=${share} .style=${`flex-grow:${share}`} title=${source.units[unit].label}>${
            share >= LABELLED ? html`<bdi>${source.units[unit].label}</bdi>` : nothing
          }</span>`,
      )}</span></button>
  </div>`;
}

/** The one vector through which the whole source passes. */
function chip(state: ViewState, now: Moment): TemplateResult {
  const { vector } = now;
  const largest = Array.from(vector ?? []).reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return html`<div class="mix">
    <button class="pill chip" data-testid="chip" @click=${() => open(state, now, "context")}>
      <small class="pill-name">fixed vector: the whole sentence in ${
        vector ? html`<b>${vector.length}</b> numbers` : "one state"
      }</small>
      ${
        vector
          ? html`<canvas class="strip" aria-hidden="true"
              ${cells(vector.length, vector, signed(largest, "context"), largest)}></canvas>`
          : nothing
      }</button></div>`;
}

/** The most likely next words; the bars grow when the output is computed. */
function race(state: ViewState, now: Moment, count: number): TemplateResult {
  const { candidates, units, step } = now;
  const writes = state.selection.stage === 5 && step < units.length;
  const shown = candidates.slice(0, count);
  const chosen = candidates.find(({ output }) => output) as Candidate;
  if (!shown.includes(chosen)) shown[shown.length - 1] = chosen;
  return html`<button class="race" data-testid="race"
    @click=${() => open(state, now, "output")}><span class="hidden">the most likely next words: </span>${shown.map(
      ({ label, piece, p, output }) => html`<span class="runner ${output ? "winner" : ""}"
        data-testid="candidate" data-piece=${piece} data-output=${output}>
        <bdi>${label}</bdi><span class="runway"><i .style=${`width:${writes ? 100 * p : 0}%`}></i></span>
        <span class="p">${writes ? number(p) : nothing}</span></span>`,
    )}</button>`;
}
