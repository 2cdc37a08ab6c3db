// A race: two models translate the same sentence, which a slider makes longer. The one that has a
// single vector of the sentence fails first.
import { css, html, type TemplateResult } from "lit";
import type { LiveEngine } from "../engine/client";

export interface RaceSettings {
  names: string[];
  race: [source: string, reference: string][];
}

interface Lap {
  text: string;
  right: boolean[]; // for each word of the reference
}

/** The sentence that is shown and how each model translates it; one race for each engine. */
class Race {
  at = 0;
  readonly laps = new Map<string, Lap>(); // by sentence and model
}

const races = new WeakMap<LiveEngine, Race>();

export function race(
  engine: LiveEngine,
  settings: RaceSettings,
  use: (text: string) => void,
  redraw: () => void,
): TemplateResult {
  const state = races.get(engine) ?? new Race();
  races.set(engine, state);
  const sentences = settings.race;
  const [source, reference] = sentences[state.at];
  for (const model of settings.names.keys()) run(engine, state, model, sentences[state.at], redraw);
  const move = (event: Event) => {
    state.at = Number((event.target as HTMLInputElement).value);
    redraw();
  };
  const length = source.split(/\s+/).length;
  return html`<div class="race" data-testid="race">
    <label class="length"><span>Length: <strong>${length} words</strong></span>
      <input type="range" min="0" max=${sentences.length - 1} step="1" .value=${String(state.at)}
        data-testid="race-length" aria-label="length of the sentence" @input=${move}></label>
    <p class="lane sentence-of-race" dir="auto">${source}
      <button class="small" @click=${() => use(source)}>See how</button></p>
    ${settings.names.map((name, model) => lane(name, state.laps.get(key(source, model)), model, reference))}
  </div>`;
}

function lane(
  name: string,
  lap: Lap | undefined,
  model: number,
  reference: string,
): TemplateResult {
  const words = lap?.text.split(/\s+/).filter(Boolean) ?? [];
  const count = lap?.right.filter(Boolean).length ?? 0;
  const total = reference.split(/\s+/).length;
  return html`<div class="lane" data-testid="lane" data-model=${model} data-right=${count} data-of=${total}>
    <span class="name">${name}</span>
    <p dir="auto">${words.map(
      (word, i) => html`<span class=${lap?.right[i] ? "right" : "wrong"}>${word}</span> `,
    )}</p>
    <span class="score">${lap ? html`${count} of ${total} words right` : "…"}</span>
  </div>`;
}

function run(
  engine: LiveEngine,
  state: Race,
  model: number,
  [source, reference]: [string, string],
  redraw: () => void,
): void {
  const name = key(source, model);
  if (state.laps.has(name)) return;
  engine.explain({ model, text: source, purpose: source, options: {} }).then((record) => {
    if (!record) return;
    const { text } = record.target;
    state.laps.set(name, { text, right: rightWords(text, reference) });
    redraw();
  });
}

function key(source: string, model: number): string {
  return `${model} ${source}`;
}

/** Which words of a translation are in a longest common subsequence with the reference. */
export function rightWords(translation: string, reference: string): boolean[] {
  const a = translation.split(/\s+/).filter(Boolean);
  const b = reference.split(/\s+/).filter(Boolean);
  const length = a.map(() => new Array<number>(b.length + 1).fill(0));
  length.push(new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      length[i][j] =
        a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const right = a.map(() => false);
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      right[i] = true;
      i++;
      j++;
    } else if (length[i + 1][j] >= length[i][j + 1]) i++;
    else j++;
  }
  return right;
}

export const style = css`
  .race {
    display: grid; gap: 0.5rem; padding: 1rem 1.25rem; border: 1px solid var(--line);
    border-radius: 10px; background: var(--card);
  }
  .length { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; }
  .length input { flex: 1; min-width: 10rem; }
  .lane { display: grid; grid-template-columns: 9rem 1fr auto; gap: 0.25rem 1rem; align-items: baseline; font-size: 1.2rem; }
  .sentence-of-race { display: block; font-size: 1.2rem; }
  .name, .score { color: var(--soft); font-size: 1rem; }
  .wrong { text-decoration: underline wavy 2px var(--mark); text-underline-offset: 0.25em; }
  @media (max-width: 40rem) { .lane { grid-template-columns: 1fr; } }
`;
