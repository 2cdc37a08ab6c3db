// Controls for attention layer, head, alignment step and words or pieces; and the caption.
import { html, nothing, type TemplateResult } from "lit";
import type { Head, Units } from "./chart";
import { attentionName, CAUTION, headName, KINDS, reason, STEPS } from "./describe";
import { advanced, toggled } from "./playback";
import type { Attention } from "./record";
import { defaultSelection, findAttention, type Selection, type ViewState } from "./state";

/** What the weights of a word are, by alignment step. */
const STEP_HELP = [
  "The weights of a word are those of the step that predicts it.",
  "The weights of a word are those of the step that reads it, after the step that predicts it.",
];

export function controls(state: ViewState, more: unknown = nothing): TemplateResult {
  const onStage = state.selection.view === "stage"; // which shows the weights of a step
  const { record, selection, change } = state;
  const attention = findAttention(record, selection.attention);
  const select = (part: Partial<Selection>) => change({ ...part, userSelected: true });
  return html`<div class="controls">
    <label>attention layer
      <select data-testid="attention" @change=${(event: Event) => select(withHead(state, selectedValue(event)))}>
        ${Object.entries(KINDS).map(([kind, title]) => {
          const attentions = record.attentions.filter(
            (each) => each.kind === kind && (kind === "cross" || !onStage),
          );
          return attentions.length
            ? html`<optgroup label=${title}>
                ${attentions.map(
                  (
                    each,
                  ) => html`<option value=${each.name} ?selected=${each.name === selection.attention}>
                    ${title}, layer ${each.layer + 1}</option>`,
                )}</optgroup>`
            : nothing;
        })}
      </select>
    </label>
    <label>head
      <select data-testid="head" @change=${(event: Event) => select({ head: headOf(selectedValue(event)) })}>
        ${headsOf(attention).map(
          (head) => html`<option value=${head} ?selected=${head === selection.head}>
            ${headName(head)}</option>`,
        )}
      </select>
    </label>
    ${
      attention?.kind === "cross" && !onStage
        ? html`<label title=${STEP_HELP.join(" ")}>alignment step
            <select data-testid="shift"
              @change=${(event: Event) => select({ shift: Number(selectedValue(event)) })}>
              ${STEPS.map(
                (name, shift) => html`<option value=${shift} ?selected=${shift === selection.shift}>
                  ${name}</option>`,
              )}
            </select>
          </label>`
        : nothing
    }
    ${unitsPair(state)} ${more}
    ${
      selection.userSelected
        ? html`<button data-testid="reset" @click=${() => change(defaultSelection(record), '[data-testid="attention"]')}>
            Back to the default</button>`
        : nothing
    }
  </div>`;
}

export function unitsPair({ selection, change }: ViewState): TemplateResult {
  const button = (units: Units) => html`<button data-testid=${units}
    aria-pressed=${selection.units === units} @click=${() => change({ units })}>${units}</button>`;
  return html`<div class="field" role="group" aria-label="words or pieces">
    <span aria-hidden="true">units</span>
    <span class="pair">${button("words")}${button("pieces")}</span>
  </div>`;
}

const SPEEDS: [number, string][] = [
  [0.5, "½×"],
  [1, "1×"],
  [2, "2×"],
];

/** Back, play and forward, and the speed. */
export function playButtons({ records, selection, change }: ViewState): TemplateResult {
  const go = (by: number) => change({ playing: false, ...advanced(selection, records, by) });
  const { playing, speed } = selection;
  return html`<span class="pair transport">
      <button data-testid="back" aria-label="back" @click=${() => go(-1)}>←</button>
      <button data-testid="play" class="primary" aria-pressed=${playing}
        @click=${() => change(toggled(selection, records))}>${playing ? "❚❚ Pause" : "▶ Play"}</button>
      <button data-testid="forward" aria-label="forward" @click=${() => go(1)}>→</button>
    </span>
    <span class="pair" role="group" aria-label="speed" data-testid="speed">${SPEEDS.map(
      ([value, name]) => html`<button aria-pressed=${value === speed} data-speed=${value}
        @click=${() => change({ speed: value })}>${name}</button>`,
    )}</span>`;
}

/** A disclosure for what most readers do not need: which attention is shown. */
export function options(state: ViewState, content: unknown): TemplateResult {
  const { record, selection, change } = state;
  const attention = findAttention(record, selection.attention);
  const shift = selection.view === "stage" ? 0 : selection.shift;
  const onToggle = (event: Event) => {
    const { open } = event.target as HTMLDetailsElement;
    if (open !== selection.options) change({ options: open });
  };
  return html`<details class="options" data-testid="options" .open=${selection.options}
    @toggle=${onToggle}><summary>${
      attention
        ? `${attentionName(record, attention, { head: selection.head, shift })}; ${selection.units}`
        : "Details"
    }</summary><div class="options-body">${content}</div></details>`;
}

/** Which attention is shown, why, and how to read it. */
export function caption({ record, selection }: ViewState): TemplateResult {
  const attention = findAttention(record, selection.attention);
  if (!attention) return html``;
  const why = reason(record, selection);
  return html`<p class="note" data-testid="caption">
    <strong>${attentionName(record, attention, selection)}</strong>${why ? html`; ${why}` : nothing}.
    ${attention.kind === "cross" ? STEP_HELP[selection.shift] : nothing} ${CAUTION}
  </p>`;
}

/** Another attention, with the selected head if it has that head. */
function withHead({ record, selection }: ViewState, name: string) {
  const heads = headsOf(findAttention(record, name));
  return { attention: name, head: heads.includes(selection.head) ? selection.head : heads[0] };
}

/** The heads of an attention, and for several heads their mean and maximum. */
export function headsOf(attention: Attention | undefined): Head[] {
  const heads = [...Array(attention?.heads ?? 0).keys()];
  return heads.length > 1 ? [...heads, "mean", "max"] : heads;
}

function headOf(value: string): Head {
  return value === "mean" || value === "max" ? value : Number(value);
}

function selectedValue(event: Event): string {
  return (event.target as HTMLSelectElement).value;
}
