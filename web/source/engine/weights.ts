// Reads the weights of a model `regard.live/1`.

import { fromHalf } from "../record";
import type { LiveHeader, PackedArray } from "./format";
import type { Linear, Matrix, Vector } from "./linear";

const BYTES = { f32: 4, f16: 2, i8: 1 };

interface Tensor {
  shape: number[];
  numbers: Float32Array;
}

/** The weights of a model or of one part of it, by their names in PyTorch. */
export class Weights {
  constructor(
    private readonly tensors: ReadonlyMap<string, Tensor>,
    private readonly prefix = "",
  ) {}

  /** The weights of a part. */
  at(part: string): Weights {
    return new Weights(this.tensors, `${this.prefix}${part}.`);
  }

  has(name: string): boolean {
    return this.tensors.has(this.prefix + name);
  }

  /** All numbers of a weight in a row. */
  vector(name: string): Vector {
    return this.tensor(name).numbers;
  }

  matrix(name: string): Matrix {
    const { shape, numbers } = this.tensor(name);
    return { rows: shape[0], columns: shape[1], numbers };
  }

  /** W and b of a linear map, by default the part itself. */
  linear(weight = "weight", bias = "bias"): Linear {
    return { weight: this.matrix(weight), bias: this.has(bias) ? this.vector(bias) : null };
  }

  private tensor(name: string): Tensor {
    const tensor = this.tensors.get(this.prefix + name);
    if (!tensor) throw new Error(`The model is damaged: it has no weight ${this.prefix + name}.`);
    return tensor;
  }
}

/** Unpack all weights. Throws an error if they are damaged. */
export async function readWeights(header: LiveHeader): Promise<Weights> {
  const bytes = await inflate(header.data);
  await check(bytes, header.sha256);
  const arrays = unpack(bytes, header.arrays);
  const tensors = new Map<string, Tensor>();
  for (const [name, { values, scales }] of Object.entries(header.tensors)) {
    const tensor = { shape: header.arrays[values].shape, numbers: arrays[values] };
    if (scales !== undefined) multiplyRows(tensor, arrays[scales]);
    tensors.set(name, tensor);
  }
  for (const [name, stored] of Object.entries(header.tied)) {
    const tensor = tensors.get(stored);
    if (tensor) tensors.set(name, tensor);
  }
  return new Weights(tensors);
}

async function inflate(data: string): Promise<Uint8Array<ArrayBuffer>> {
  const letters = atob(data);
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Compare the SHA-256. A page from an insecure address cannot compute it; zlib has checked a sum. */
async function check(bytes: Uint8Array<ArrayBuffer>, expected: string): Promise<void> {
  if (!globalThis.crypto?.subtle) return;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (hex !== expected)
    throw new Error(
      `The model is damaged: the SHA-256 of its weights is ${hex} instead of ${expected}. ` +
        "Write the page again.",
    );
}

function unpack(bytes: Uint8Array<ArrayBuffer>, arrays: PackedArray[]): Float32Array[] {
  let end = 0;
  const numbers = arrays.map(({ type, shape }) => {
    const begin = end;
    end += BYTES[type] * shape.reduce((product, size) => product * size, 1);
    const copy = bytes.slice(begin, end).buffer; // typed arrays need alignment
    if (type === "f32") return new Float32Array(copy);
    if (type === "i8") return Float32Array.from(new Int8Array(copy));
    return fromHalves(new Uint16Array(copy));
  });
  if (end !== bytes.length)
    throw new Error(
      `The model is damaged: its arrays have ${bytes.length} bytes instead of ${end}.`,
    );
  return numbers;
}

let halves: Float32Array | null = null; // the value of every half: a table is ten times as fast

function fromHalves(bits: Uint16Array): Float32Array {
  halves ??= Float32Array.from({ length: 1 << 16 }, (_, half) => fromHalf(half));
  const numbers = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) numbers[i] = halves[bits[i]];
  return numbers;
}

function multiplyRows({ shape, numbers }: Tensor, scales: Float32Array): void {
  const columns = shape[1];
  for (let i = 0; i < numbers.length; i++) numbers[i] *= scales[Math.floor(i / columns)];
}
