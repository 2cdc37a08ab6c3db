// The record `regard.explain/1`: its types, and how its packed numbers are read.

export type Span = [start: number, end: number];
export type Link = [source: number, target: number];

export interface TextRead {
  kind: "text";
  text: string;
  pieces: string[];
  spans: Span[]; // of characters (code points) of the text, for each piece
  words: Span[];
  word_pieces: number[][];
}

export interface ImageRead {
  kind: "image";
  rows: number;
  columns: number;
  picture: string; // a data: URL
  width: number;
  height: number;
}

export interface Equation {
  name: string;
  formula: string;
  citation: string;
}

export type Kind = "source" | "past" | "reading";

export interface Look {
  name: string;
  kind: Kind;
  layer: number;
  heads: number;
  score: Equation;
  span: Equation;
  weighing: Equation;
  weights: number; // here and below: an index into `arrays`
  scores?: number;
  norms: number;
  blank: boolean; // of a past: its first column is nothing, before the first word
}

export interface Pointer {
  look: string;
  head: number | null; // null: the mean of all
  shift: 0 | 1;
  null: boolean;
  agreement: number; // 0: not measured
}

export interface Walk {
  look: string;
  head: number;
  scale: number;
  energy: number | null;
  queries: number;
  keys: number;
  values: number;
  scores: number;
  weights: number;
  contexts: number;
}

export type Fate = "kept" | "cut" | "ended";

export interface Beam {
  width: number;
  alpha: number;
  best: number[];
  parents: number[];
  pieces: string[];
  logps: number[];
  totals: number[];
  fates: Fate[];
}

export interface WhatIfs {
  kinds: ("uniform" | "hidden" | "left out")[];
  words: (number | null)[];
  logps: number;
  says: string[][];
  says_logps: number;
}

export interface Step {
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
  model: { name: string; about: string; sha256: string; parameters: number };
  made: Record<string, string>;
  source: TextRead | ImageRead | null;
  target: TextRead;
  steps: Step[];
  looks: Look[];
  pointer: Pointer | null;
  links: Link[];
  gold: Link[] | null;
  walk: Walk | null;
  summary: number | null;
  beam: Beam | null;
  whatifs: WhatIfs | null;
  arrays: Packed[];
  data: string;
}

/** A record whose numbers can be read. */
export type Explanation = Omit<Header, "arrays" | "data"> & {
  /** The numbers of one array, row after row. */
  numbers(index: number): Float32Array;
};

const FORMAT = "regard.explain/1";
const BYTES = { u16: 2, f16: 2, f32: 4 };

export async function decode(json: string): Promise<Explanation> {
  const { arrays, data, ...header } = JSON.parse(json) as Header;
  if (header.format !== FORMAT)
    throw new Error(
      `This viewer reads records of the format ${FORMAT}; this one says “${header.format}”. ` +
        "Make the page anew with the regard that wrote the record.",
    );
  const bytes = await inflate(data);
  const begins: number[] = [];
  let end = 0;
  for (const { type, shape } of arrays) {
    begins.push(end);
    end += BYTES[type] * count(shape);
  }
  if (bytes.length !== end)
    throw new Error(`The record is damaged: ${bytes.length} bytes of numbers, ${end} expected.`);
  const read: (Float32Array | undefined)[] = []; // an array is read when it is first asked for
  const numbers = (index: number) => {
    read[index] ??= unpack(bytes, begins[index], arrays[index]);
    return read[index];
  };
  return { ...header, numbers };
}

async function inflate(data: string): Promise<Uint8Array> {
  const letters = atob(data);
  const packed = new Uint8Array(letters.length); // filled by hand: `from` takes ten times as long
  for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function unpack(bytes: Uint8Array, begin: number, { type, shape }: Packed): Float32Array {
  const length = count(shape);
  const copy = bytes.slice(begin, begin + length * BYTES[type]).buffer; // typed arrays want alignment
  if (type === "f32") return new Float32Array(copy);
  const halves = new Uint16Array(copy);
  const numbers = new Float32Array(length);
  for (let i = 0; i < length; i++)
    numbers[i] = type === "u16" ? halves[i] / 65535 : fromHalf(halves[i]);
  return numbers;
}

/** A number of IEEE 754 binary16 from its bits. */
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
