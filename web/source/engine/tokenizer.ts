// Texts to ids and back: SentencePiece's segmentation with a unigram model (Kudo 2018) or with
// merges (BPE, Sennrich et al. 2016), as regard/text/tokenizer.py calls it.
import type { PieceType, VocabularyFields } from "./format";
import { normalize, type Span } from "./normalize";

const UNK = 3;

/** A tokenized text; piece i covers the characters spans[i] of the text. */
export interface Pieces {
  ids: number[];
  names: string[];
  spans: Span[];
  tags: number[]; // indices of pieces that are part of no word
}

export class Tokenizer {
  readonly size: number;
  readonly #pieces: VocabularyFields["pieces"];
  readonly #ids = new Map<string, number>(); // of pieces that a text can have
  readonly #bytes: number[] = [];
  readonly #longest: number; // in characters
  readonly #unknown: number; // the score of a character without a piece
  readonly #tags: Set<number>;

  /** `added`: ids that are put before every text. */
  constructor(
    readonly vocabulary: VocabularyFields,
    readonly added: number[] = [],
  ) {
    this.#pieces = vocabulary.pieces;
    this.size = vocabulary.pieces.length;
    this.#tags = new Set(
      vocabulary.pieces.flatMap(([, , type], id) => (type === "control" && id > UNK ? [id] : [])),
    );
    let longest = 1;
    let lowest = Number.POSITIVE_INFINITY;
    for (const [id, [piece, score, type]] of vocabulary.pieces.entries()) {
      if (type === "byte") this.#bytes[Number.parseInt(piece.slice(3, 5), 16)] = id;
      if (type !== "normal") continue;
      this.#ids.set(piece, id);
      longest = Math.max(longest, Array.from(piece).length);
      lowest = Math.min(lowest, score);
    }
    this.#longest = longest;
    this.#unknown = Math.fround(lowest - 10);
  }

  /** The ids of a raw text with their pieces and spans in it, without the end. */
  encode(text: string): Pieces {
    const traced = normalize(text, this.vocabulary.form);
    const { characters, spans } = traced;
    if (!characters.length) return { ids: [], names: [], spans: [], tags: [] };
    const marked = ["▁", ...characters.map((character) => (character === " " ? "▁" : character))];
    const segments =
      this.vocabulary.kind === "unigram" ? this.#unigram(marked) : this.#merge(marked);
    const pieces: Pieces = {
      ids: [...this.added],
      names: this.added.map((id) => this.piece(id)),
      spans: this.added.map(() => [0, 0]),
      tags: this.added.map((_, index) => index),
    };
    let at = -1; // in the normalized text: the first ▁ is before it
    for (const length of segments) {
      const name = marked.slice(at + 1, at + 1 + length).join("");
      const id = this.#ids.get(name);
      const first = at + (name[0] === "▁" && length > 1 ? 1 : 0);
      const last = at + length - 1;
      const span: Span = last < 0 ? [spans[0][0], spans[0][0]] : [spans[first][0], spans[last][1]];
      const ids = id === undefined ? utf8(name).map((byte) => this.#bytes[byte] ?? UNK) : [id];
      for (const part of ids) {
        pieces.ids.push(part);
        pieces.names.push(this.piece(part));
        pieces.spans.push(span);
      }
      at += length;
    }
    return pieces;
  }

  /** The text of the ids and the span of each in it. Special tokens have no text. */
  decode(ids: number[]): { text: string; pieces: Pieces } {
    const joined: string[] = []; // characters
    const spans: Span[] = [];
    let first: boolean = true; // whether a space is that before the first word
    for (let at = 0; at < ids.length; ) {
      let end = at + 1;
      if (this.#type(ids[at]) === "byte") while (this.#type(ids[end]) === "byte") end++;
      const start = joined.length;
      const surface: string[] = this.#surface(ids.slice(at, end));
      const skipped: boolean = first && surface[0] === " " && this.piece(ids[at])[0] === "▁";
      joined.push(...(skipped ? surface.slice(1) : surface));
      first &&= !skipped && joined.length === 0;
      const space =
        this.piece(ids[at])[0] === "▁" && joined[start] === " " && joined.length > start + 1;
      for (; at < end; at++) spans.push([start + (space ? 1 : 0), joined.length]);
    }
    const names = ids.map((id) => this.piece(id));
    const tags = ids.flatMap((id, index) => (this.#tags.has(id) ? [index] : []));
    return { text: joined.join(""), pieces: { ids, names, spans, tags } };
  }

  piece(id: number): string {
    return this.#pieces[id][0];
  }

  #type(id: number | undefined): PieceType | null {
    return id === undefined ? null : this.#pieces[id][2];
  }

  /** The characters of one piece, or of a run of bytes. */
  #surface(ids: number[]): string[] {
    const [id] = ids;
    if (this.#type(id) === "byte")
      return fromUtf8(ids.map((byte) => Number.parseInt(this.piece(byte).slice(3, 5), 16)));
    if (this.#type(id) === "control") return [];
    if (id === UNK) return Array.from(" ⁇ ");
    return Array.from(this.piece(id), (character) => (character === "▁" ? " " : character));
  }

  /**
   * The segmentation of the highest probability, ∏ p(piece) (Kudo 2018, 3.1), by Viterbi's
   * algorithm. Returns the lengths of its parts. Sums have 32 bits, as in SentencePiece.
   */
  #unigram(characters: string[]): number[] {
    const end = characters.length;
    const best = new Float32Array(end + 1);
    const length = new Int32Array(end + 1); // of the last part; 0: not reached
    for (let start = 0; start < end; start++) {
      let name = "";
      let single = false;
      const reach = (stop: number, score: number) => {
        const total = Math.fround(best[start] + Math.fround(score));
        if (length[stop] && total <= best[stop]) return;
        best[stop] = total;
        length[stop] = stop - start;
      };
      for (let stop = start + 1; stop <= Math.min(end, start + this.#longest); stop++) {
        name += characters[stop - 1];
        const id = this.#ids.get(name);
        if (id === undefined) continue;
        single ||= stop === start + 1;
        reach(stop, this.#pieces[id][1]);
      }
      if (!single) reach(start + 1, this.#unknown);
    }
    const lengths: number[] = [];
    for (let stop = end; stop > 0; stop -= length[stop]) lengths.unshift(length[stop]);
    return lengths;
  }

  /** Joins the neighbours whose piece was learned first, the leftmost of equals, until none is left. */
  #merge(characters: string[]): number[] {
    const parts = [...characters];
    for (;;) {
      let [best, at] = [Number.NEGATIVE_INFINITY, -1];
      for (let i = 0; i + 1 < parts.length; i++) {
        const id = this.#ids.get(parts[i] + parts[i + 1]);
        if (id !== undefined && this.#pieces[id][1] > best) [best, at] = [this.#pieces[id][1], i];
      }
      if (at < 0) return parts.map((part) => Array.from(part).length);
      parts.splice(at, 2, parts[at] + parts[at + 1]);
    }
  }
}

function utf8(text: string): number[] {
  return Array.from(new TextEncoder().encode(text));
}

/** Bytes that are not UTF-8 become U+FFFD, one each. */
function fromUtf8(bytes: number[]): string[] {
  const characters: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [character, size] = firstCharacter(bytes.slice(at, at + 4));
    characters.push(character);
    at += size;
  }
  return characters;
}

function firstCharacter(bytes: number[]): [character: string, size: number] {
  const lead = bytes[0];
  const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  try {
    const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const text = strict.decode(Uint8Array.from(bytes.slice(0, size)));
    return Array.from(text).length === 1 ? [text, size] : ["\ufffd", 1];
  } catch {
    return ["\ufffd", 1];
  }
}
