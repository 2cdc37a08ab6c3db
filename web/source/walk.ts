// The step walk: how one piece came to be said, from the question to the answer, in real numbers.
import { css, html, nothing, type TemplateResult } from "lit";
import { textAxis } from "./chart";
import { noAttention } from "./empty";
import { sentence } from "./flow";
import { scoreFormula, takenApart, weighingFormula } from "./formula";
import { highest } from "./math";
import { isWhole, type Moment, moment } from "./moment";
import { answers, output } from "./output";
import { best, type Choice, type Scene } from "./scene";
import { STAGES, shares, story } from "./story";
import { strip } from "./strip";
import { lookName, number } from "./words";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

export function walk(scene: Scene): TemplateResult {
  if (!scene.record.looks.length) return noAttention(scene.record);
  const now = moment(scene);
  if (!now)
    return html`<div class="empty" data-testid="empty"><p>The encoder reads all words at once: there
      are no steps to walk through. ${wholeButton(scene)}</p></div>`;
  const { column } = scene.choice;
  const position = column < 0 ? highest(now.weights) : Math.min(column, now.units.length - 1);
  const { stage } = scene.choice;
  const here = (index: number) => `stage ${index === stage ? "now" : ""}`;
  const { inside } = now;
  return html`<div class="walk" @keydown=${(event: KeyboardEvent) => typed(event, scene)}>
    ${steps(scene, now)} ${transport(scene)}
    <p class="said" role="status" aria-live="polite" data-testid="said">${story(scene.record, now, stage)}</p>
    ${whichHead(scene, now)}
    <section class=${here(0)} data-testid="stage-0"><h3>1. The state asks</h3>
      ${
        inside
          ? strip(inside.query, "the query q, the decoder’s state as it asks")
          : missing(scene, "the query")
      }
    </section>
    <div class="middle">
      <section class="answers ${stage > 0 && stage < 4 ? "now" : ""}">${answers(scene, now, position)}
        ${inside ? takenApart(now, position) : missing(scene, "what each score sums")}</section>
      <div class="sides">
        <section class=${here(1)} data-testid="stage-1"><h3>2. Each word’s key answers</h3>
          ${inside ? scoreFormula(inside.energy !== null) : nothing}
          <p class="note">${now.look.score.formula} <br><cite>${now.look.score.citation}</cite></p>
        </section>
        <section class=${here(2)} data-testid="stage-2"><h3>3. Scores become shares</h3>
          ${weighingFormula(now.look.weighing.name, now.look.span.name === "local-predictive")}
          ${temperature(scene, now)}
        </section>
        <section class=${here(3)} data-testid="stage-3"><h3>4. Each share takes its value</h3>
          <p class="note">Weight alone misleads: a word with a short value brings little, whatever its
            weight. The last bars are weight × ‖value‖; the largest share of what is taken is
            ${number(Math.max(...shares(now)))}.</p>
        </section>
      </div>
    </div>
    <section class=${here(4)} data-testid="stage-4"><h3>5. The sum is the context</h3>
      ${inside ? strip(inside.context, "the context, Σ weight · value") : missing(scene, "the context")}
    </section>
    <section class=${here(5)} data-testid="stage-5"><h3>6. The model speaks</h3>
      ${output(scene.record, now.step)}
      ${
        scene.choice.temperature === 1
          ? nothing
          : html`<p class="note">The model’s own, at τ = 1: only the model itself can say what it would
              have said at another temperature.</p>`
      }
    </section>
  </div>`;
}

function steps({ record, change }: Scene, { step }: Moment): TemplateResult {
  const axis = textAxis("target", record.target, "pieces");
  return sentence({
    axis,
    side: "rows",
    name: "target, piece by piece",
    pieces: true,
    hover: false,
    current: step,
    asked: true,
    value: () => null,
    style: () => "",
    label: (t) => `step ${t + 1}, ${axis.units[t].label}`,
    choose: (t, focus) => change({ row: t, column: -1, playing: false }, focus),
  });
}

function transport({ record, choice, change }: Scene): TemplateResult {
  const go = (by: number) =>
    change({ ...advanced(choice, record.steps.length, by), playing: false });
  return html`<div class="controls">
    <span class="pair">
      <button data-testid="back" @click=${() => go(-1)}>← Back</button>
      <button data-testid="play" aria-pressed=${choice.playing} ?disabled=${calm.matches}
        @click=${() => change({ playing: !choice.playing })}>${choice.playing ? "Pause" : "Play"}</button>
      <button data-testid="forward" @click=${() => go(1)}>Forward →</button>
    </span>
    <label>speed <select data-testid="pace"
      @change=${(event: Event) => change({ pace: Number((event.target as HTMLSelectElement).value) })}>
      ${[
        [4, "slow"],
        [2, "steady"],
        [1, "quick"],
      ].map(
        ([pace, name]) =>
          html`<option value=${pace} ?selected=${pace === choice.pace}>${name}</option>`,
      )}
    </select></label>
    <span class="soft small" data-testid="stage">stage ${choice.stage + 1} of ${STAGES}${
      calm.matches ? "; your system asks for less motion, so step by hand" : ""
    }</span>
  </div>`;
}

/** One stage on or back, into the next or the previous step; it stops at both ends. */
export function advanced(choice: Choice, steps: number, by: number): Partial<Choice> {
  const stage = choice.stage + by;
  if (stage >= 0 && stage < STAGES) return { stage };
  const row = choice.row + by;
  if (row < 0 || row >= steps) return { playing: false };
  return { row, column: -1, stage: by > 0 ? 0 : STAGES - 1 };
}

function typed(event: KeyboardEvent, { record, choice, change }: Scene): void {
  const control = (event.target as HTMLElement).closest("button, select, input, [role=button]");
  // what has a use for the key keeps it; words have one for the arrows only
  const keeps = event.key === " " ? "button, select, input" : "select, input, [role=button]";
  if (control?.matches(keeps)) return;
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (event.key === " " && !calm.matches) change({ playing: !choice.playing });
  else if (by) change({ ...advanced(choice, record.steps.length, by), playing: false });
  else return;
  event.preventDefault();
}

function whichHead(scene: Scene, now: Moment): TemplateResult {
  const { record, choice } = scene;
  const head = isWhole(scene) && record.walk ? record.walk.head : choice.head;
  const several = record.looks.length > 1 || now.look.heads > 1;
  return html`<p class="note" data-testid="caption">
    <strong>${lookName(record, now.look, { head, shift: 0 })}</strong>.
    ${
      now.inside
        ? "The record has all numbers of this head."
        : html`The record has the inside of another head. ${wholeButton(scene)}`
    }
    ${several ? "The model speaks from all its heads and layers together; this is one of them." : nothing}
    ${
      record.pointer?.shift && now.inside
        ? "The reading view shows this head a step later, when the piece had been read in."
        : nothing
    }</p>`;
}

function wholeButton({ record, change }: Scene) {
  if (!record.walk) return nothing;
  return html`<button data-testid="whole" @click=${() => change(best(record), '[data-testid="forward"]')}>
    Show the head with all numbers</button>`;
}

function missing({ choice }: Scene, what: string): TemplateResult {
  const head = typeof choice.head === "number" ? choice.head : 0; // the command counts from 0
  return html`<p class="note">This record does not have ${what} of this head. To get it:
    <code>regard explain … --attention ${choice.look} --head ${head}</code></p>`;
}

function temperature({ choice, change }: Scene, now: Moment): TemplateResult {
  if (!now.scores)
    return html`<p class="note">A ${choice.head} of heads has no scores of its own.</p>`;
  const apart = Math.max(...now.weights.map((weight, s) => Math.abs(weight - now.recorded[s])));
  const τ = choice.temperature;
  const warmed = (event: Event) =>
    change({ temperature: 2 ** Number((event.target as HTMLInputElement).value) });
  return html`${
    now.look.weighing.name === "hard"
      ? nothing
      : html`<label class="field" for="temperature">
          temperature τ = ${τ === 1 ? "1, the model’s own" : number(τ)}
          <input id="temperature" data-testid="temperature" type="range" min="-3" max="3" step="0.25"
            .value=${String(Math.log2(τ))}
            @input=${warmed}>
        </label>`
  }
  ${
    now.look.span.name === "local-predictive"
      ? html`<p class="note">The softmax is computed again in your browser. The Gaussian is what the
          model’s own weights have more or less than that: the record does not have p and D.</p>`
      : nothing
  }
  ${
    τ === 1 && !now.inside
      ? html`<p class="note">These are the model’s own weights; at another τ they are computed in your
          browser, from scores in half precision.</p>`
      : τ === 1
        ? html`<p class="note">Computed again in your browser; the model’s own weights differ by at most
          <data data-testid="apart" data-value=${apart} value=${apart}
            >${apart.toExponential(0).replace("-", "−")}</data>.</p>`
        : html`<p class="note">Not the model’s own weights any more.
          <button data-testid="own" @click=${() => change({ temperature: 1 }, "#temperature")}>Back to τ = 1</button></p>`
  }`;
}

export const style = css`
  .walk { display: grid; gap: 1.25rem; }
  .walk > * { min-width: 0; }
  .middle {
    display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.25rem;
    align-items: start;
  }
  .sides { display: grid; gap: 1.25rem; }
  .stage, .answers {
    border-inline-start: 3px solid var(--line); padding: 0.1rem 0 0.1rem 1rem; display: grid;
    gap: 0.6rem; min-width: 0;
  }
  .stage > *, .answers > * { min-width: 0; }
  .walk .now { border-color: var(--accent); }
  .walk .now > h3 { color: var(--accent); }
  .walk code { font-size: 0.85em; overflow-wrap: anywhere; }
  @media (max-width: 52rem) { .middle { grid-template-columns: minmax(0, 1fr); } }
`;
