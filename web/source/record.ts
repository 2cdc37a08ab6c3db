// The types of a record `regard.explain/2`, and how its packed arrays are read.

export type Span = [start: number, end: number];
export type Link = [source: number, target: number];

export interface TokenizedText {
  kind: "text";
  text: string;
  pieces: string[];
  spans: Span[]; // characters (code points) of each piece
  words: Span[];
  word_pieces: number[][];
}

export interface ImageSource {
  kind: "image";
  rows: number;
  columns: number;
  image: string; // a data: URL
  width: number;
  height: number;
}

export interface Equation {
  name: string;
  formula: string;
  reference: string;
}

/** Decoder over source, decoder over its prefix, encoder over source. */
export type Kind = "cross" | "self" | "encoder";

export interface Attention {
  name: string;
  kind: Kind;
  layer: number;
  heads: number;
  score: Equation;
  span: Equation;
  normalizer: Equation;
  prior: "gaussian" | null; // multiplies the normalized weights
  weights: number; // here and below: an index into `arrays`
  scores?: number;
  norms: number;
  blank_memory: boolean; // the first column is an empty slot, before the first token
}

export interface AlignmentHead {
  attention: string;
  head: number | null; // null: the mean of all heads
  shift: 0 | 1;
  null: boolean; // whether a word that attends most to the end has no link
  threshold: number; // the lowest weight of a link
  agreement: number; // 0: not measured
}

export interface HeadTrace {
  attention: string;
  head: number;
  scale: number | null; // null here, in queries and in keys: the scores are not sums of terms
  energy: number | null;
  queries: number | null;
  keys: number | null;
  values: number;
  scores: number;
  weights: number;
  contexts: number;
}

export type NodeStatus = "kept" | "pruned" | "finished";

export interface Beam {
  beam_size: number;
  length_penalty: number;
  best: number[];
  parents: number[];
  pieces: string[];
  logps: number[];
  totals: number[];
  status: NodeStatus[];
}

export interface Interventions {
  kinds: ("uniform" | "masked" | "removed")[];
  words: (number | null)[];
  logps: number;
  tokens: string[][];
  token_logps: number;
}

export interface TokenStep {
  logp: number;
  entropy: number;
  top: [piece: string, logp: number][];
}

interface Packed {
  type: "u16" | "f16" | "f32";
  shape: number[];
}

export interface Header {
  format: string;
  model: { name: string; description: string; sha256: string; parameters: number };
  created: Record<string, string>;
  source: TokenizedText | ImageSource | null;
  target: TokenizedText;
  steps: TokenStep[];
  attentions: Attention[];
  alignment_head: AlignmentHead | null;
  links: Link[];
  gold: Link[] | null;
  head_trace: HeadTrace | null;
  summary: number | null;
  states: { encoder: number; decoder: number } | null; // of a model without attention
  beam: Beam | null;
  interventions: Interventions | null;
  arrays: Packed[];
  data: string;
}

/** A record with unpacked arrays. */
export type Explanation = Omit<Header, "arrays" | "data"> & {
  /** One array, in row-major order. */
  numbers(index: number): Float32Array;
};

const FORMAT = "regard.explain/2";
const BYTES = { u16: 2, f16: 2, f32: 4 };

export async function decode(json: string): Promise<Explanation> {
  const { arrays, data, ...header } = JSON.parse(json) as Header;
  if (header.format !== FORMAT)
    throw new Error(
      `This viewer reads the format ${FORMAT}, but the record has the format “${header.format}”. ` +
        "Create the page with the version of regard that wrote the record.",
    );
  const bytes = await inflate(data);
  const begins: number[] = [];
  let end = 0;
  for (const { type, shape } of arrays) {
    begins.push(end);
    end += BYTES[type] * count(shape);
  }
  if (bytes.length !== end)
    throw new Error(
      `The record is damaged: its arrays have ${bytes.length} bytes instead of ${end}.`,
    );
  const cache: (Float32Array | undefined)[] = [];
  const numbers = (index: number) => {
    cache[index] ??= unpack(bytes, begins[index], arrays[index]);
    return cache[index];
  };
  return { ...header, numbers };
}

async function inflate(data: string): Promise<Uint8Array> {
  const letters = atob(data);
  const packed = new Uint8Array(letters.length); // a loop: `Uint8Array.from` takes ten times as long
  for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function unpack(bytes: Uint8Array, begin: number, { type, shape }: Packed): Float32Array {
  const length = count(shape);
  const copy = bytes.slice(begin, begin + length * BYTES[type]).buffer; // typed arrays need alignment
  if (type === "f32") return new Float32Array(copy);
  const halves = new Uint16Array(copy);
  const numbers = new Float32Array(length);
  for (let i = 0; i < length; i++)
    numbers[i] = type === "u16" ? halves[i] / 65535 : fromHalf(halves[i]);
  return numbers;
}

/** Converts the bits of an IEEE 754 binary16 number. */
export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function count(shape: number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
