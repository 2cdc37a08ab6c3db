// A sentence that is translated by the models of the page, with the changes that the user made.

import type { Changes, FixedWeights } from "../engine/changes";
import type { Engine } from "../engine/client";
import type { Attention, Explanation, TokenizedText } from "../record";

/** What the user has changed. Words count from 0. */
export interface Edits {
  hidden: number[]; // source words that no attention to the source sees
  removed: number[]; // source words that are left out of the source
  off: string[]; // heads without effect, as `name/head`
  fixed: { word: number; weights: number[] } | null; // of a target word, for each source word and the end
  uniform: boolean; // equal weights in all attention to the source
  temperature: number;
}

export const UNCHANGED: Edits = {
  hidden: [],
  removed: [],
  off: [],
  fixed: null,
  uniform: false,
  temperature: 1,
};

export function isUnchanged(edits: Edits): boolean {
  return JSON.stringify(edits) === JSON.stringify(UNCHANGED);
}

const IDLE = 500; // milliseconds without a change after which interventions are computed

/** How a session shows what it has computed. */
export interface Display {
  replace(record: Explanation, model: number): void;
  extend(record: Explanation, model: number): void; // the same record with more in it
  fail(): void; // the session has an error
}

/** The sentence of a page and its translation by each model. */
export class LiveSession {
  edits = UNCHANGED;
  explanations: (Explanation | null)[] = [];
  originals: (Explanation | null)[] = []; // without changes
  error = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly engine: Engine,
    readonly models: number,
    public text: string,
    readonly display: Display,
  ) {
    this.explanations = this.originals = Array(models).fill(null);
  }

  /** Takes the records of the page as the translations of its sentence. */
  begin(records: readonly Explanation[]): void {
    this.originals = [...records];
    this.explanations = [...records];
  }

  setText(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.edits = { ...this.edits, hidden: [], removed: [], fixed: null };
    this.translate();
  }

  edit(part: Partial<Edits>): void {
    this.edits = { ...this.edits, ...part };
    this.translate();
  }

  /** Translates the sentence with all models. */
  async translate(): Promise<void> {
    const text = this.text.trim();
    this.error = "";
    clearTimeout(this.#timer);
    if (!text) return;
    this.#timer = setTimeout(() => this.#intervene(), IDLE);
    const models = Array.from({ length: this.models }, (_, model) => model);
    await Promise.all(models.map((model) => this.#translate(text, model)));
  }

  async #translate(text: string, model: number): Promise<void> {
    try {
      const known = this.originals[model];
      const original =
        known && sourceOf(known).text === text
          ? known
          : await this.engine.explain({ model, text, purpose: "original", options: {} });
      if (!original) return; // the sentence has changed again
      this.originals = replaced(this.originals, model, original);
      const changed = isUnchanged(this.edits)
        ? original
        : await this.engine.explain({
            ...{ model, purpose: "changed" },
            text: withoutWords(sourceOf(original), this.edits.removed),
            options: { changes: changesOf(this.edits, original) },
          });
      if (!changed) return;
      this.explanations = replaced(this.explanations, model, changed);
      this.display.replace(changed, model);
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
      this.display.fail();
    }
  }

  /** Adds interventions to the translations without changes. */
  async #intervene(): Promise<void> {
    if (!isUnchanged(this.edits)) return;
    const text = this.text.trim();
    const models = Array.from({ length: this.models }, (_, model) => model);
    await Promise.all(
      models.map(async (model) => {
        if (this.originals[model]?.interventions) return;
        const options = { interventions: true };
        const request = { model, text, purpose: "interventions", options };
        const record = await this.engine.explain(request).catch(() => null);
        const shown = this.explanations[model];
        if (!record || shown !== this.originals[model] || this.text.trim() !== text) return;
        this.explanations = replaced(this.explanations, model, record);
        this.originals = replaced(this.originals, model, record);
        this.display.extend(record, model);
      }),
    );
  }
}

function replaced<T>(list: T[], index: number, value: T): T[] {
  return list.map((old, i) => (i === index ? value : old));
}

export function sourceOf(explanation: Explanation): TokenizedText {
  if (explanation.source?.kind !== "text") throw new Error("The source is not a text.");
  return explanation.source;
}

export function wordsOf({ text, words }: TokenizedText): string[] {
  const characters = Array.from(text);
  return words.map(([start, end]) => characters.slice(start, end).join(""));
}

/** The text without some of its words and the spaces before them. */
export function withoutWords({ text, words }: TokenizedText, removed: number[]): string {
  const characters = Array.from(text);
  for (const [start, end] of removed.map((word) => words[word]))
    for (let i = start; i < end; i++) characters[i] = "";
  return characters.join("").replace(/\s+/g, " ").trim();
}

/** The changes of the engine: of pieces, steps and heads in place of words. */
export function changesOf(edits: Edits, explanation: Explanation): Changes {
  const source = sourceOf(explanation);
  const kept = source.words.map((_, word) => word).filter((word) => !edits.removed.includes(word));
  const pieces = keptPieces(source, kept);
  const cross = explanation.attentions.filter(({ kind }) => kind === "cross");
  const changes: Changes = {
    hidden: edits.hidden.flatMap((word) => pieces[kept.indexOf(word)] ?? []),
    off: edits.off.map((name) => {
      const [attention, head] = name.split("/");
      return { attention, head: Number(head) };
    }),
    temperature: edits.temperature,
  };
  if (edits.uniform) changes.uniform = cross.map(({ name }) => name);
  if (edits.fixed && !edits.removed.length)
    changes.fixed = fixedWeights(edits.fixed, explanation, cross);
  return changes;
}

/** The pieces of each word that is kept, counted without those of words that are not. */
function keptPieces(source: TokenizedText, kept: number[]): number[][] {
  let next = source.word_pieces[0]?.[0] ?? 0; // a token of the target language comes before
  return kept.map((word) => source.word_pieces[word].map(() => next++));
}

/** The weights of a target word's pieces: a source word's weight is shared by its pieces. */
function fixedWeights(
  { word, weights }: { word: number; weights: number[] },
  { source, target }: Explanation,
  cross: Attention[],
): FixedWeights[] {
  const text = source as TokenizedText;
  const row = new Array<number>(text.pieces.length).fill(0);
  row[row.length - 1] = weights[weights.length - 1];
  for (const [i, pieces] of text.word_pieces.entries())
    for (const piece of pieces) row[piece] += weights[i] / pieces.length;
  const steps = target.word_pieces[word] ?? [];
  return cross.flatMap(({ name }) =>
    steps.map((step) => ({ attention: name, step, head: null, weights: row })),
  );
}
