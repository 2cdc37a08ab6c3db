// Embeddings of tokens and positions, and the deep outputs of decoders (regard/nn/embedding.py).

import type { TransformerConfig } from "./format";
import { add, concatenate, linear, type Matrix, type Vector } from "./linear";
import type { Weights } from "./weights";

/** y = c E_w, c = std √dim */
export class Embedding {
  private readonly factor: number;

  constructor(
    private readonly table: Matrix,
    std: number,
  ) {
    this.factor = std * Math.sqrt(table.columns);
  }

  of(id: number): Vector {
    const { rows, columns, numbers } = this.table;
    if (!(id >= 0 && id < rows)) throw new Error(`There is no token ${id} among ${rows}.`);
    const factor = Math.fround(this.factor);
    return numbers.slice(id * columns, (id + 1) * columns).map((value) => factor * value);
  }
}

// -- positions --------------------------------------------------------------------------------------

/** x_t = y_t + p_t */
export class TransformerInput {
  readonly maxPositions: number | null;
  private readonly learned: Matrix | null;

  constructor(
    private readonly config: TransformerConfig,
    weights: Weights,
  ) {
    this.learned = config.positions === "learned" ? weights.matrix("positions.table.weight") : null;
    this.maxPositions = this.learned ? this.learned.rows : null;
  }

  at(t: number, y: Vector): Vector {
    if (!this.learned)
      return add(y, sinusoids(t, y.length, this.config.positions === "sinusoidal-inclusive"));
    const { rows, columns, numbers } = this.learned;
    if (t >= rows)
      throw new Error(
        `A text of ${t + 1} tokens is too long for the ${rows} learned positions of the model. ` +
          "Shorten or split it.",
      );
    return add(y, numbers.subarray(t * columns, (t + 1) * columns));
  }
}

/** p_t = [sin(t ω); cos(t ω)], ω_i = 10000^(−2i/dim); `inclusive`: the last rate is 1/10000 */
function sinusoids(t: number, dim: number, inclusive: boolean): Vector {
  const divisor = inclusive ? Math.max(1, dim - 2) : dim;
  const p = new Float32Array(dim);
  for (let i = 0; i < dim / 2; i++) {
    const angle = t * 10_000 ** ((-2 * i) / divisor);
    p[i] = Math.sin(angle);
    p[dim / 2 + i] = Math.cos(angle);
  }
  return p;
}

// -- deep outputs -----------------------------------------------------------------------------------

/** The output of a decoder from its state s, the previous word y and the context c. */
export type DeepOutput = (s: Vector, y: Vector, c: Vector) => Vector;

/** maxout: o_j = max(õ_{2j−1}, õ_{2j}), õ = W [s; y; c]; tanh: o = tanh(W [s; y; c]);
 *  sum: o = y + W [s; c] */
export function deepOutput(kind: "maxout" | "sum" | "tanh", weights: Weights): DeepOutput {
  const mix = weights.linear("mix.weight", "mix.bias");
  switch (kind) {
    case "maxout":
      return (s, y, c) => {
        const mixed = linear(mix, concatenate(s, y, c));
        const o = new Float32Array(mixed.length / 2);
        for (let j = 0; j < o.length; j++) o[j] = Math.max(mixed[2 * j], mixed[2 * j + 1]);
        return o;
      };
    case "tanh":
      return (s, y, c) => linear(mix, concatenate(s, y, c)).map(Math.tanh);
    case "sum":
      return (s, y, c) => add(y, linear(mix, concatenate(s, c)));
  }
}
