// What one changes in a translation: words, weights of one step, heads, temperature.
import { css, html, nothing, type TemplateResult } from "lit";
import { wordWeights } from "../engine/alignment";
import type { Attention, Explanation } from "../record";
import { type Edits, isUnchanged, type LiveSession, sourceOf, UNCHANGED, wordsOf } from "./session";

/** The controls of the first model with attention; none before its first translation. */
export function controls(session: LiveSession, redraw: () => void): TemplateResult {
  const original = session.originals.find((record) => record?.attentions.some(isCross));
  const source = session.originals.find((record) => record !== null);
  if (!source) return html``;
  const change = (part: Partial<Edits>) => {
    session.edit(part);
    redraw();
  };
  return html`<div class="changes">
    ${struckWords(session.edits, source, original !== undefined, change)}
    ${original ? attentionControls(session, original, change) : nothing}
    ${
      isUnchanged(session.edits)
        ? nothing
        : html`<button data-testid="undo" @click=${() => change(UNCHANGED)}>Undo all changes</button>`
    }
  </div>`;
}

type Change = (part: Partial<Edits>) => void;

/** Two kinds of strikes: the attention does not see the word, or the encoder does not read it. */
function struckWords(
  edits: Edits,
  record: Explanation,
  attends: boolean,
  change: Change,
): TemplateResult {
  const words = wordsOf(sourceOf(record));
  const kind = edits.removed.length || !attends ? "removed" : "hidden";
  const struck = edits[kind];
  const toggle = (word: number) =>
    change({
      [kind]: struck.includes(word) ? struck.filter((other) => other !== word) : [...struck, word],
      fixed: null,
    });
  const use = (to: "hidden" | "removed") =>
    change({ hidden: [], removed: [], [to]: struck, fixed: null });
  const limit = struck.length >= words.length - 1; // one word stays
  return html`<fieldset data-testid="strike">
    <legend>Strike a word</legend>
    <span class="words">${words.map(
      (word, i) => html`<button class="strike" data-testid="struck" data-word=${i} lang=""
        aria-pressed=${struck.includes(i)} ?disabled=${limit && !struck.includes(i)}
        @click=${() => toggle(i)}>${word}</button>`,
    )}</span>
    ${
      attends
        ? html`<label><input type="radio" name="strike" ?checked=${kind === "hidden"}
            @change=${() => use("hidden")}>attention does not see it</label>
          <label><input type="radio" name="strike" ?checked=${kind === "removed"}
            data-testid="remove" @change=${() => use("removed")}>it is not in the sentence</label>`
        : nothing
    }
  </fieldset>`;
}

function attentionControls(
  session: LiveSession,
  original: Explanation,
  change: Change,
): TemplateResult {
  const { edits } = session;
  const heads = original.attentions
    .filter(isCross)
    .flatMap((attention) =>
      Array.from({ length: attention.heads }, (_, head) => ({ attention, head })),
    );
  return html`<details>
    <summary>Change the attention</summary>
    <div class="controls">
      <label class="inline"><input type="checkbox" data-testid="uniform" ?checked=${edits.uniform}
        @change=${() => change({ uniform: !edits.uniform })}>equal weights</label>
      <label>temperature ${edits.temperature.toFixed(2)}
        <input type="range" min="-3" max="3" step="0.25" data-testid="live-temperature"
          .value=${String(Math.log2(edits.temperature))} ?disabled=${edits.uniform}
          @input=${(event: Event) => change({ temperature: 2 ** Number((event.target as HTMLInputElement).value) })}>
      </label>
      ${heads.length > 1 ? headSwitches(edits, heads, change) : nothing}
    </div>
    ${edits.removed.length ? nothing : weightSliders(edits, original, change)}
  </details>`;
}

function headSwitches(
  edits: Edits,
  heads: { attention: Attention; head: number }[],
  change: Change,
): TemplateResult {
  const toggle = (name: string) =>
    change({
      off: edits.off.includes(name)
        ? edits.off.filter((other) => other !== name)
        : [...edits.off, name],
    });
  return html`<fieldset data-testid="switches"><legend>Heads</legend>${heads.map(
    ({ attention, head }) => {
      const name = `${attention.name}/${head}`;
      const label = `layer ${attention.layer + 1}, head ${head + 1}`;
      return html`<button class="head" data-testid="switch" data-head=${name} title=${label}
        aria-label=${label} aria-pressed=${!edits.off.includes(name)}
        @click=${() => toggle(name)}>${attention.layer + 1}.${head + 1}</button>`;
    },
  )}</fieldset>`;
}

/** The weights of one target word. A weight that is dragged takes from the others in proportion. */
function weightSliders(edits: Edits, original: Explanation, change: Change): TemplateResult {
  const source = sourceOf(original);
  const labels = [...wordsOf(source), "end"];
  const targets = wordsOf(original.target);
  const word = edits.fixed?.word ?? 0;
  const weights = edits.fixed?.weights ?? recordedWeights(original, word);
  const select = (to: number) =>
    change({ fixed: { word: to, weights: recordedWeights(original, to) } });
  const drag = (at: number, value: number) => {
    const rest = 1 - weights[at];
    const scaled = weights.map((weight, i) =>
      i === at
        ? value
        : rest > 0
          ? (weight * (1 - value)) / rest
          : (1 - value) / (weights.length - 1),
    );
    change({ fixed: { word, weights: scaled } });
  };
  if (!targets.length) return html``;
  return html`<fieldset class="weights" data-testid="weights">
    <legend>Weights for <select aria-label="target word" data-testid="weights-of"
      @change=${(event: Event) => select(Number((event.target as HTMLSelectElement).value))}>
      ${targets.map((label, i) => html`<option value=${i} ?selected=${i === word}>${label}</option>`)}
      </select></legend>
    ${labels.map(
      (label, i) => html`<label><span>${label}</span>
        <input type="range" min="0" max="1" step="0.01" data-testid="weight" data-word=${i}
          aria-label=${`weight of ${label}`} .value=${String(weights[i])}
          @input=${(event: Event) => drag(i, Number((event.target as HTMLInputElement).value))}>
        <span class="number">${weights[i].toFixed(2)}</span></label>`,
    )}
    ${edits.fixed ? html`<button @click=${() => change({ fixed: null })}>Use the model's weights</button>` : nothing}
  </fieldset>`;
}

/** The weights of a target word at its own steps: of the last attention, the mean of its heads. */
function recordedWeights(record: Explanation, word: number): number[] {
  const attention = record.attentions.filter(isCross).at(-1) as Attention;
  const weights = record.numbers(attention.weights);
  const columns = sourceOf(record).pieces.length;
  const shape = {
    heads: attention.heads,
    rows: weights.length / attention.heads / columns,
    columns,
  };
  const head = { head: null, shift: 0 as const };
  return wordWeights({ ...shape, weights }, sourceOf(record), record.target, head)[word];
}

function isCross({ kind }: Attention): boolean {
  return kind === "cross";
}

export const style = css`
  .changes { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: start; }
  fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.35rem; align-items: center; min-width: 0; }
  legend { float: left; padding: 0; margin-inline-end: 0.5rem; color: var(--soft); }
  .words { display: inline-flex; flex-wrap: wrap; gap: 0.25rem; }
  .strike { padding: 0.1rem 0.5rem; }
  .strike[aria-pressed="true"] { text-decoration: line-through 2px; background: var(--card); color: var(--soft); }
  .head { padding: 0.1rem 0.4rem; font-variant-numeric: tabular-nums; }
  .head[aria-pressed="false"] { text-decoration: line-through; color: var(--soft); }
  summary { cursor: pointer; min-height: 2rem; color: var(--accent); }
  .weights { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); margin-top: 0.75rem; }
  .weights legend { float: none; margin-bottom: 0.35rem; }
  .weights label { display: grid; grid-template-columns: 6rem 1fr 2.5rem; gap: 0.5rem; align-items: center; }
  .weights label > span:first-child { overflow: hidden; text-overflow: ellipsis; }
`;
