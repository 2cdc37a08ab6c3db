// The text, its sentences and their translations. Every sentence is translated by itself, so that
// typing sends only what is new.
import { toUtf16 } from "./alignment";
import {
  key,
  listModels,
  type Model,
  type Options,
  type Ranked,
  RequestFailure,
  type Span,
  type Translation,
  translate,
} from "./api";
import { modelKey, reverseOf } from "./messages";
import { splitSentences } from "./sentences";

const TYPING = 250; // milliseconds without a key before a request
const CHECKING = 600; // milliseconds without a change before the quality is checked
const TOGETHER = 32; // sentences of a request, so that a long text appears step by step
const ALTERNATIVES = 5;
const KEPT = 5000; // sentences

export interface Limits {
  characters: number;
  texts: number;
  beam: number;
}

export interface Translated {
  best: Translation;
  shown: Ranked; // the best, or the alternative that was selected
  checked: boolean;
  warnings: string[];
  unaligned: Span[];
  hypotheses: Ranked[]; // empty until they are requested
}

export interface Row {
  span: Span;
  source: string;
  translated: Translated | undefined;
  before: string; // what was shown at this place before the text changed
}

export type State =
  | { kind: "ready" | "translating" | "too-long" }
  | { kind: "no-key"; refused: boolean }
  | { kind: "waiting"; message: string; seconds: number }
  | { kind: "failed"; message: string };

export class Session {
  models: Model[] = [];
  model: Model | null = null;
  text = "";
  rows: Row[] = [];
  state: State = { kind: "ready" };

  #known = new Map<string, Translated>();
  #version = "";
  #requests = new AbortController();
  #timer = 0;

  constructor(
    readonly limits: Limits,
    readonly changed: () => void,
  ) {}

  get characters(): number {
    return Array.from(this.text.normalize("NFKC")).length;
  }

  get reverse(): Model | undefined {
    return this.model ? reverseOf(this.model, this.models) : undefined;
  }

  /** The translation, with the white space of the text. */
  get translation(): string {
    return this.rows
      .map((row, i) => this.gap(i) + (row.translated?.shown.text ?? row.before))
      .join("");
  }

  /** The white space before a row. */
  gap(row: number): string {
    const end = row ? this.rows[row - 1].span[1] : 0;
    const space = this.text.slice(end, this.rows[row].span[0]);
    return space || !row ? space : " "; // 。needs no space, but its translation may
  }

  async open(): Promise<void> {
    try {
      const before = this.model && modelKey(this.model, this.models);
      this.models = await listModels();
      this.model = this.#find(before) ?? this.models[0];
      this.#state({ kind: "ready" });
      if (this.text) this.setText(this.text);
    } catch (error) {
      this.#failed(error, () => this.open());
    }
  }

  useKey(value: string): void {
    key.set(value.trim());
    this.open();
  }

  #find(key: string | null): Model | undefined {
    return this.models.find((each) => modelKey(each, this.models) === key);
  }

  /** Use the model with this `modelKey`. */
  setModel(key: string): void {
    this.model = this.#find(key) ?? this.model;
    this.#known.clear();
    this.setText(this.text, 0);
  }

  swap(): void {
    const { reverse, translation } = this;
    if (!reverse) return;
    this.text = translation;
    this.setModel(modelKey(reverse, this.models));
  }

  setText(text: string, pause = TYPING): void {
    this.text = text;
    this.#stop();
    const spans = splitSentences(text);
    const sources = spans.map((span) => text.slice(...span));
    const before = this.rows.map((row) =>
      sources.includes(row.source) ? "" : (row.translated?.shown.text ?? row.before),
    );
    this.rows = sources.map((source, i) => ({
      span: spans[i],
      source,
      translated: this.#known.get(source),
      before: before[i] ?? "",
    }));
    if (this.#known.size > KEPT) this.#forget();
    const fits = this.characters <= this.limits.characters;
    this.#state({ kind: fits ? "ready" : "too-long" });
    if (this.model && fits) this.#timer = window.setTimeout(() => this.#translate(), pause);
  }

  retry(): void {
    if (this.model) this.setText(this.text, 0);
    else this.open();
  }

  /** Requests the other hypotheses of a sentence. */
  async alternatives(row: Row): Promise<void> {
    const { translated } = row;
    if (!translated || translated.hypotheses.length) return;
    const answer = await this.#request([row.source], {
      n_best: Math.min(ALTERNATIVES, this.limits.beam),
    });
    const texts = new Map<string, Ranked>([[translated.best.text, translated.best]]);
    const [found] = answer;
    for (const each of found.n_best.length ? found.n_best : [found])
      if (each.text.trim() && !texts.has(each.text)) texts.set(each.text, each);
    translated.hypotheses = [...texts.values()];
    this.changed();
  }

  select(row: Row, hypothesis: Ranked): void {
    if (row.translated) row.translated.shown = hypothesis;
    this.changed();
  }

  async #translate(): Promise<void> {
    try {
      await this.#inParts(
        (row) => !row.translated,
        {},
        (source, best) => {
          const fresh = { best, shown: best, checked: false, warnings: [], unaligned: [] };
          this.#known.set(source, { ...fresh, hypotheses: [] });
        },
      );
      this.#state({ kind: "ready" });
      if (this.model?.quality && this.rows.some((row) => !row.translated?.checked))
        this.#timer = window.setTimeout(() => this.#check(), CHECKING);
    } catch (error) {
      this.#failed(error, () => this.#translate());
    }
  }

  /** Adds the warnings. The first of them may take the server some seconds. */
  async #check(): Promise<void> {
    try {
      await this.#inParts(
        (row) => !row.translated?.checked,
        { quality: true },
        (source, found) => {
          const known = this.#known.get(source);
          if (!known) return;
          known.checked = true;
          if (known.best.text !== found.text) return;
          known.warnings = found.warnings;
          known.unaligned = toUtf16(source, found.unaligned);
        },
      );
    } catch (error) {
      if (error instanceof RequestFailure && error.status === 401) this.#failed(error);
    }
  }

  async #inParts(
    wanted: (row: Row) => boolean,
    options: Options,
    store: (source: string, found: Translation) => void,
  ): Promise<void> {
    const sources = [...new Set(this.rows.filter(wanted).map((row) => row.source))];
    const together = Math.min(TOGETHER, this.limits.texts);
    for (let start = 0; start < sources.length; start += together) {
      if (!options.quality) this.#state({ kind: "translating" });
      const part = sources.slice(start, start + together);
      const found = await this.#request(part, options);
      part.forEach((source, i) => {
        store(source, found[i]);
      });
      for (const row of this.rows) row.translated ??= this.#known.get(row.source);
      this.changed();
    }
  }

  async #request(texts: string[], options: Options): Promise<Translation[]> {
    const model = this.model as Model;
    const { alignments } = model;
    const { signal } = this.#requests;
    const answer = await translate(model, texts, { alignments, ...options }, signal);
    signal.throwIfAborted();
    const version = `${modelKey(model, this.models)} ${answer.version}`;
    if (this.#version !== version) this.#known.clear();
    this.#version = version;
    return answer.translations;
  }

  #failed(error: unknown, again?: () => void): void {
    if (!(error instanceof RequestFailure)) return; // stopped by a change of the text
    const { message, status, retryAfter } = error;
    if (status === 401) {
      this.#state({ kind: "no-key", refused: key.get() !== "" });
    } else if (retryAfter && again) {
      this.#state({ kind: "waiting", message, seconds: retryAfter });
      this.#timer = window.setTimeout(again, retryAfter * 1000);
    } else this.#state({ kind: "failed", message });
  }

  #stop(): void {
    this.#requests.abort();
    this.#requests = new AbortController();
    clearTimeout(this.#timer);
  }

  #forget(): void {
    const used = new Set(this.rows.map((row) => row.source));
    for (const source of this.#known.keys()) if (!used.has(source)) this.#known.delete(source);
  }

  #state(state: State): void {
    this.state = state;
    this.changed();
  }
}
