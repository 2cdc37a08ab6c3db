// A race: two models translate the same sentence, which a slider makes longer. The one that has a
// single vector of the sentence fails first.
import { css, html, LitElement, type TemplateResult } from "lit";
import { shared } from "../style";
import type { RegardLive } from "./live";

interface Translation {
  text: string;
  right: boolean[]; // for each of its words
}

export class RegardRace extends LitElement {
  static override styles = [shared, style()];

  #names: string[] = [];
  #sentences: [source: string, reference: string][] = [];
  #at = 0;
  readonly #translations = new Map<string, Translation | null>(); // null: under way

  /** The translator of the page. */
  get #live(): RegardLive | null {
    return document.querySelector("regard-live");
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const script = this.querySelector(':scope > script[type="application/json"]');
    const { names, sentences } = JSON.parse(script?.textContent ?? "{}");
    this.#names = names ?? [];
    this.#sentences = sentences ?? [];
  }

  protected override render(): TemplateResult {
    if (!this.#sentences.length) return html``;
    const [source, reference] = this.#sentences[this.#at];
    for (const model of this.#names.keys()) this.#translate(model, source, reference);
    return html`<section aria-labelledby="title" data-testid="length-race">
      <h2 id="title">One vector against attention</h2>
      <label class="length"><span>Length: <strong>${countWords(source)} words</strong></span>
        <input type="range" min="0" max=${this.#sentences.length - 1} step="1"
          .value=${String(this.#at)} data-testid="race-length" aria-label="length of the sentence"
          @input=${this.#onInput}></label>
      <p class="source" dir="auto">${source}</p>
      ${this.#names.map((name, model) => this.#lane(name, model, source, countWords(reference)))}
      <p><button data-testid="see-how" @click=${() => this.#live?.use(source)}>See how, word by word</button></p>
    </section>`;
  }

  #lane(name: string, model: number, source: string, total: number): TemplateResult {
    const translation = this.#translations.get(key(model, source));
    const words = splitWords(translation?.text ?? "");
    const right = translation?.right.filter(Boolean).length ?? 0;
    return html`<div class="lane" data-testid="race-lane" data-model=${model}
        data-right=${translation ? right : ""} data-of=${total}>
      <span class="name">${name}</span>
      <p dir="auto">${words.map(
        (word, i) => html`<span class=${translation?.right[i] ? "right" : "wrong"}>${word}</span> `,
      )}</p>
      <span class="score">${translation ? `${right} of ${total} words right` : "…"}</span>
    </div>`;
  }

  async #translate(model: number, source: string, reference: string): Promise<void> {
    const name = key(model, source);
    if (this.#translations.has(name)) return;
    this.#translations.set(name, null);
    const engine = await this.#live?.engine;
    const record = await engine?.explain({ model, text: source, purpose: source, options: {} });
    if (!record) return;
    const { text } = record.target;
    this.#translations.set(name, { text, right: rightWords(text, reference) });
    this.requestUpdate();
  }

  #onInput(event: Event): void {
    this.#at = Number((event.target as HTMLInputElement).value);
    this.requestUpdate();
  }
}

function key(model: number, source: string): string {
  return `${model} ${source}`;
}

function splitWords(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

function countWords(text: string): number {
  return splitWords(text).length;
}

/** Which words of a translation are in a longest common subsequence with the reference. */
export function rightWords(translation: string, reference: string): boolean[] {
  const [a, b] = [splitWords(translation), splitWords(reference)];
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

function style() {
  return css`
    :host { margin-bottom: 1.5rem; }
    section {
      display: grid; gap: 0.6rem; padding: 1rem 1.25rem; border: 1px solid var(--line);
      border-radius: 10px; background: var(--card);
    }
    .length { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; }
    .length input { flex: 1; min-width: 10rem; }
    .source { font-size: 1.35rem; }
    .lane {
      display: grid; grid-template-columns: 8rem 1fr auto; gap: 0.25rem 1rem;
      align-items: baseline; font-size: 1.35rem;
    }
    .name, .score { color: var(--soft); font-size: 1rem; }
    .wrong { text-decoration: underline wavy 2px var(--mark); text-underline-offset: 0.25em; }
    @media (max-width: 40rem) { .lane { grid-template-columns: 1fr; } }
  `;
}
