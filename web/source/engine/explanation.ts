// The record of a translation that the engine in this page has made: the same as that of
// regard/explain/record.py, so every view shows it.
import type { Beam, Explanation, Link, TokenizedText, TokenStep } from "../record";
import { alignWords, wordWeights } from "./alignment";
import type { Changes } from "./changes";
import type { LiveModel } from "./model";
import { beam, greedy } from "./search";
import { EOS, type Pieces, Tokenizer } from "./tokenizer";
import { type Trace, trace } from "./trace";
import { piecesByWord, splitWords } from "./words";

export const END = "</s>";
const TOP = 10; // alternatives of a step

/** How a sentence is translated. */
export interface Search {
  beamSize: number; // 1: greedy
  lengthPenalty: number;
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
    this.#source = new Tokenizer(model.tokenizers.source);
    this.#target = new Tokenizer(model.tokenizers.target);
  }

  /** The pieces and words of a text, without a model. */
  tokenize(text: string): TokenizedText {
    return tokenizedText(text, this.#source.encode(text));
  }

  /** The translation of a text, and the tree of its beam search. */
  #search(source: number[], search: Search, changes?: Changes): { ids: number[]; tree: Beam | null } {
    const options = changes ? { changes } : {};
    if (search.beamSize === 1) {
      return { ids: greedy(this.model, this.model.encode(source), options).ids, tree: null };
    }
    const { ids, tree } = beam(this.model, this.model.encode(source), {
      size: search.beamSize,
      lengthPenalty: search.lengthPenalty,
      piece: (id) => this.#target.piece(id),
      ...options,
    });
    return { ids, tree };
  }

  /** Translates a text, or forces its translation, and records every number of it. */
  explain(text: string, search: Search, changes?: Changes, target?: string): PlainRecord {
    const source = this.#source.encode(text);
    if (!source.ids.length) throw new Error("The sentence is empty.");
    const sourceIds = [...source.ids, EOS];
    const { ids, tree } =
      target === undefined
        ? this.#search(sourceIds, search, changes)
        : { ids: this.#target.encode(target).ids, tree: null };
    const { text: written, pieces } = this.#target.decode(ids);
    return this.#record(
      tokenizedText(text, source),
      tokenizedText(target ?? written, target === undefined ? pieces : this.#target.encode(target)),
      trace(this.model, sourceIds, ids, changes),
      tree,
      target === undefined ? summary(search) : "given",
      [...ids, EOS],
    );
  }

  #record(
    source: TokenizedText,
    target: TokenizedText,
    traced: Trace,
    tree: Beam | null,
    search: string,
    labels: number[],
  ): PlainRecord {
    const arrays: Float32Array[] = [];
    const add = (numbers: Float32Array) => arrays.push(numbers) - 1;
    const optional = (numbers: Float32Array | null) => (numbers === null ? null : add(numbers));
    const { head, states } = traced;
    const header: PlainRecord["header"] = {
      format: "regard.explain/2",
      model: this.model.identity,
      created: { engine: "in this page", precision: this.model.precision, search },
      source,
      target,
      steps: traced.logps.map((logps, step) => this.#step(logps, labels[step])),
      attentions: traced.attentions.map(
        ({ name, kind, layer, heads, score, span, normalizer, prior, blankMemory, ...numbers }) => ({
          ...{ name, kind, layer, heads, score, span, normalizer, prior },
          weights: add(numbers.weights),
          norms: add(numbers.norms),
          blank_memory: blankMemory,
          ...(kind === "cross" ? { scores: add(numbers.scores) } : {}),
        }),
      ),
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
      summary: optional(traced.summary),
      states: states && { encoder: add(states.encoder), decoder: add(states.decoder) },
      beam: tree,
      interventions: null,
    };
    return { header, arrays };
  }

  #step(logps: Float32Array, label: number): TokenStep {
    let entropy = 0;
    for (const logp of logps) if (logp > Number.NEGATIVE_INFINITY) entropy -= Math.exp(logp) * logp;
    const top = largest(logps, TOP).map((id): [string, number] => [this.#target.piece(id), logps[id]]);
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

/** The indices of the largest numbers, in descending order. */
function largest(numbers: Float32Array, count: number): number[] {
  const best: number[] = [];
  for (let i = 0; i < numbers.length; i++) {
    if (best.length === count && numbers[i] <= numbers[best[count - 1]]) continue;
    let at = best.length;
    while (at > 0 && numbers[i] > numbers[best[at - 1]]) at--;
    best.splice(at, 0, i);
    if (best.length > count) best.pop();
  }
  return best;
}

function summary({ beamSize, lengthPenalty }: Search): string {
  return beamSize === 1
    ? "greedy search"
    : `beam search, beam size ${beamSize}, length penalty ${lengthPenalty}`;
}
