// The record of a translation that the engine in this page has made: the same as that of
// regard/explain/record.py, so every view shows it.
import type { Beam, Explanation, Link, TokenizedText, TokenStep } from "../record";
import { alignWords, wordWeights } from "./alignment";
import type { Changes } from "./changes";
import { interventions } from "./interventions";
import { concatenate, largest } from "./linear";
import type { LiveModel } from "./model";
import { beam, EOS, greedy } from "./search";
import { type Pieces, Tokenizer } from "./tokenizer";
import { type Trace, trace } from "./trace";
import { piecesByWord, splitWords } from "./words";

const END = "</s>";
const TOP = 10; // alternatives of a step

/** How a sentence is explained. */
export interface Options {
  changes?: Changes;
  target?: string; // is forced, in place of the model's translation
  interventions?: boolean; // whether their effects are recorded
}

/** A record as a Worker sends it: `numbers(i)` is `arrays[i]`. */
export interface PlainRecord {
  header: Omit<Explanation, "numbers">;
  arrays: Float32Array[];
}

export function fromPlain({ header, arrays }: PlainRecord): Explanation {
  return { ...header, numbers: (index) => arrays[index] };
}

/** Translates texts with one model, and records how. */
export class Translator {
  readonly #source: Tokenizer;
  readonly #target: Tokenizer;

  constructor(readonly model: LiveModel) {
    const { source, target, source_tags: tags } = model.tokenizers;
    this.#source = new Tokenizer(source, tags);
    this.#target = new Tokenizer(target ?? source);
  }

  /** Translates a text, or forces a target, and records every number of it. */
  explain(text: string, options: Options): PlainRecord {
    const source = this.#source.encode(text);
    if (!source.ids.length) throw new Error("The sentence is empty.");
    const sourceIds = [...source.ids, EOS];
    const { written, pieces, tree } =
      options.target === undefined
        ? this.#translate(sourceIds, options)
        : { written: options.target, pieces: this.#target.encode(options.target), tree: null };
    const traced = trace(this.model, sourceIds, pieces.ids, options.changes);
    const [from, to] = [tokenizedText(text, source), tokenizedText(written, pieces)];
    const record = this.#record(
      from,
      to,
      [...pieces.ids, EOS],
      traced,
      tree,
      this.#describe(options),
    );
    if (options.interventions) this.#intervene(record, source.ids, pieces.ids);
    return record;
  }

  #intervene({ header, arrays }: PlainRecord, source: number[], target: number[]): void {
    const words = (header.source as TokenizedText).word_pieces;
    const { logps, tokenLogps, tokens, ...rows } = interventions(this.model, source, words, target);
    header.interventions = {
      ...rows,
      tokens: tokens.map((row) => row.map((id) => this.#target.piece(id))),
      logps: arrays.push(logps) - 1,
      token_logps: arrays.push(tokenLogps) - 1,
    };
  }

  #describe({ target }: Options): string {
    const { beam_size: size, length_penalty: lengthPenalty } = this.model.search;
    if (target !== undefined) return "given";
    if (size === 1) return "greedy search";
    return `beam search, beam size ${size}, length penalty ${lengthPenalty}`;
  }

  #translate(
    source: number[],
    { changes = {} }: Options,
  ): { written: string; pieces: Pieces; tree: Beam | null } {
    const encoded = this.model.encode(source);
    const { ids, tree } =
      this.model.search.beam_size === 1
        ? { ...greedy(this.model, encoded, { changes }), tree: null }
        : beam(this.model, encoded, { changes });
    const { text, pieces } = this.#target.decode(ids);
    return { written: text, pieces, tree };
  }

  #record(
    source: TokenizedText,
    target: TokenizedText,
    labels: number[], // the target's ids and its end
    traced: Trace,
    tree: Beam | null,
    search: string,
  ): PlainRecord {
    const arrays: Float32Array[] = [];
    const add = (numbers: Float32Array) => arrays.push(numbers) - 1;
    const optional = (numbers: Float32Array | null) => (numbers === null ? null : add(numbers));
    const { head } = traced;
    const withoutAttention = !this.model.attentions.length;
    const header: PlainRecord["header"] = {
      format: "regard.explain/2",
      model: this.model.identity,
      created: { engine: "of this page", search },
      source,
      target,
      steps: traced.logps.map((logps, step) => this.#step(logps, labels[step])),
      attentions: this.model.attentions.map(({ blankMemory, ...attention }, i) => {
        const { weights, norms, scores } = traced.attentions[i];
        const numbers = { weights: add(weights), norms: add(norms), blank_memory: blankMemory };
        const shown = { ...attention, ...numbers };
        return attention.kind === "cross" ? { ...shown, scores: add(scores) } : shown;
      }),
      alignment_head: this.model.alignmentHead,
      links: this.#links(source, target, traced),
      gold: null,
      head_trace: head && {
        ...{ attention: head.attention, head: head.head, scale: head.scale },
        energy: optional(head.energy),
        queries: optional(head.queries),
        keys: optional(head.keys),
        values: add(head.values),
        scores: add(head.scores),
        weights: add(head.weights),
        contexts: add(head.contexts),
      },
      summary: add(traced.summary),
      states: withoutAttention
        ? {
            encoder: add(concatenate(...traced.encoderStates)),
            decoder: add(concatenate(...traced.decoderStates)),
          }
        : null,
      beam: tree,
      interventions: null,
    };
    return { header, arrays };
  }

  #step(logps: Float32Array, label: number): TokenStep {
    let entropy = 0;
    for (const logp of logps) if (logp > Number.NEGATIVE_INFINITY) entropy -= Math.exp(logp) * logp;
    const top = largest(logps, TOP).map((id): [string, number] => [
      this.#target.piece(id),
      logps[id],
    ]);
    return { logp: logps[label], entropy, top };
  }

  #links(source: TokenizedText, target: TokenizedText, traced: Trace): Link[] {
    const head = this.model.alignmentHead;
    const attention = traced.attentions.find(({ name }) => name === head?.attention);
    if (!head || !attention) return [];
    return alignWords(wordWeights(attention, source, target, head), head);
  }
}

/** A text as a record has it; its last piece is the end. */
function tokenizedText(text: string, { names, spans, tags }: Pieces): TokenizedText {
  const end = Array.from(text).length;
  const words = splitWords(text);
  const ofWords = piecesByWord(spans, words);
  return {
    kind: "text",
    text,
    pieces: [...names, END],
    spans: [...spans, [end, end]],
    words,
    word_pieces: ofWords.map((pieces) => pieces.filter((piece) => !tags.includes(piece))),
  };
}
