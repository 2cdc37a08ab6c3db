// The row of controls that choose a look, a head, a moment and words or pieces; and its caption.
import { html, nothing, type TemplateResult } from "lit";
import type { Head, Units } from "./chart";
import type { Kind, Look } from "./record";
import { best, lookNamed, type Scene } from "./scene";
import { CAUTION, lookName, reason } from "./words";

const KINDS: [Kind, string][] = [
  ["source", "At the source"],
  ["past", "At what was said"],
  ["reading", "The encoder at its own words"],
];

export function controls(scene: Scene, more: unknown = nothing): TemplateResult {
  const { record, choice, change } = scene;
  const look = lookNamed(record, choice.look);
  const pick = (part: Parameters<typeof change>[0]) => change({ ...part, chosen: true });
  return html`<div class="controls">
    <label>look
      <select data-testid="look" @change=${(event: Event) => pick(of(scene, chosenIn(event)))}>
        ${KINDS.map(([kind, title]) => {
          const looks = record.looks.filter((each) => each.kind === kind);
          return looks.length
            ? html`<optgroup label=${title}>
                ${looks.map(
                  (each) => html`<option value=${each.name} ?selected=${each.name === choice.look}>
                    ${title}, layer ${each.layer + 1}</option>`,
                )}</optgroup>`
            : nothing;
        })}
      </select>
    </label>
    <label>head
      <select data-testid="head" @change=${(event: Event) => pick({ head: headOf(chosenIn(event)) })}>
        ${headsOf(look).map(
          (head) => html`<option value=${head} ?selected=${head === choice.head}>
            ${typeof head === "number" ? head + 1 : head}</option>`,
        )}
      </select>
    </label>
    ${
      look?.kind === "source"
        ? html`<label>moment
            <select data-testid="shift"
              @change=${(event: Event) => pick({ shift: Number(chosenIn(event)) })}>
              <option value="0" ?selected=${choice.shift === 0}>as the word was said</option>
              <option value="1" ?selected=${choice.shift === 1}>a step later (shifted)</option>
            </select>
          </label>`
        : nothing
    }
    ${unitsPair(scene)} ${more}
    ${
      choice.chosen
        ? html`<button data-testid="reset" @click=${() => change(best(record), '[data-testid="look"]')}>
            Back to the best look</button>`
        : nothing
    }
  </div>`;
}

function unitsPair({ choice, change }: Scene): TemplateResult {
  const button = (units: Units) => html`<button data-testid=${units}
    aria-pressed=${choice.units === units} @click=${() => change({ units })}>${units}</button>`;
  return html`<div class="field" role="group" aria-label="words or pieces">
    <span aria-hidden="true">between</span>
    <span class="pair">${button("words")}${button("pieces")}</span>
  </div>`;
}

/** What is shown, why, and what it is not. */
export function caption({ record, choice }: Scene): TemplateResult {
  const look = lookNamed(record, choice.look);
  if (!look) return html``;
  const why = reason(record, choice);
  return html`<p class="note" data-testid="caption">
    <strong>${lookName(record, look, choice)}</strong>${why ? html`; ${why}` : nothing}.
    ${CAUTION}
  </p>`;
}

/** Another look, with the same head if it has that. */
function of({ record, choice }: Scene, name: string) {
  const heads = headsOf(lookNamed(record, name));
  return { look: name, head: heads.includes(choice.head) ? choice.head : heads[0] };
}

/** The heads of a look, and what stands for all of them. */
export function headsOf(look: Look | undefined): Head[] {
  const heads = [...Array(look?.heads ?? 0).keys()];
  return heads.length > 1 ? [...heads, "mean", "max"] : heads;
}

function headOf(value: string): Head {
  return value === "mean" || value === "max" ? value : Number(value);
}

function chosenIn(event: Event): string {
  return (event.target as HTMLSelectElement).value;
}
