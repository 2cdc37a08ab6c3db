// Recurrent cells: s_t = cell(x_t, s_{t−1}), in layers (regard/nn/rnn.py, regard/nn/transformer.py).

import type { CellKind } from "./format";
import { type Linear, linear, sigmoid, type Vector } from "./linear";
import type { Weights } from "./weights";

/** The state of one layer: its hidden state, and an LSTM's cell. */
export type Parts = Vector[];
/** All that passes from step to step. */
export type Layers = Parts[];

/** h = n + z (h − n),  n = tanh(x_n + r h_n), with torch's order r, z, n */
function gru(gates: Vector, hidden: Vector, [h]: Parts): Parts {
  const dim = h.length;
  const next = new Float32Array(dim);
  for (let i = 0; i < dim; i++) {
    const r = sigmoid(gates[i] + hidden[i]);
    const z = sigmoid(gates[dim + i] + hidden[dim + i]);
    const n = Math.tanh(gates[2 * dim + i] + r * hidden[2 * dim + i]);
    next[i] = n + z * (h[i] - n);
  }
  return [next];
}

/** c = f c + i g,  h = o tanh(c), with torch's order i, f, g, o */
function lstm(gates: Vector, hidden: Vector, [h, c]: Parts): Parts {
  const dim = h.length;
  const [nextHidden, nextCell] = [new Float32Array(dim), new Float32Array(dim)];
  for (let k = 0; k < dim; k++) {
    const i = sigmoid(gates[k] + hidden[k]);
    const f = sigmoid(gates[dim + k] + hidden[dim + k]);
    const g = Math.tanh(gates[2 * dim + k] + hidden[2 * dim + k]);
    const o = sigmoid(gates[3 * dim + k] + hidden[3 * dim + k]);
    nextCell[k] = f * c[k] + i * g;
    nextHidden[k] = o * Math.tanh(nextCell[k]);
  }
  return [nextHidden, nextCell];
}

const ADVANCE = { gru, lstm };
const PARTS = { gru: 1, lstm: 2 };

/** One layer in one direction. */
export class Cell {
  readonly dim: number;
  private readonly input: Linear;
  private readonly hidden: Linear;

  /** `suffix`: of the names of its weights in `torch.nn.GRU` or `LSTM`. */
  constructor(
    private readonly kind: CellKind,
    weights: Weights,
    suffix: string,
  ) {
    this.input = weights.linear(`weight_ih_${suffix}`, `bias_ih_${suffix}`);
    this.hidden = weights.linear(`weight_hh_${suffix}`, `bias_hh_${suffix}`);
    this.dim = this.hidden.weight.columns;
  }

  zero(): Parts {
    return Array.from({ length: PARTS[this.kind] }, () => new Float32Array(this.dim));
  }

  step(x: Vector, state: Parts): Parts {
    return ADVANCE[this.kind](linear(this.input, x), linear(this.hidden, state[0]), state);
  }
}

/** The layers of a decoder. */
export class RecurrentCells {
  readonly parts: number;
  readonly dim: number;
  private readonly cells: Cell[];

  constructor(kind: CellKind, layers: number, weights: Weights) {
    this.cells = Array.from(
      { length: layers },
      (_, layer) => new Cell(kind, weights.at("rnn"), `l${layer}`),
    );
    this.parts = PARTS[kind];
    this.dim = this.cells[0].dim;
  }

  get layers(): number {
    return this.cells.length;
  }

  step(x: Vector, state: Layers): Layers {
    const next: Layers = [];
    for (const [layer, cell] of this.cells.entries())
      next.push(cell.step(layer ? top(next) : x, state[layer]));
    return next;
  }
}

/** The hidden state of the last layer. */
export function top(state: Layers): Vector {
  return state[state.length - 1][0];
}

/** f_t = σ(W_f x_t + b),  c_t = f_t ⊙ c_{t−1} + (1 − f_t) ⊙ W x_t,  y_t = relu(c_t) */
export class SSRU {
  private readonly forget: Linear;
  private readonly input: Linear;

  constructor(weights: Weights) {
    this.forget = weights.at("forget").linear();
    this.input = weights.at("input").linear();
  }

  /** The output and the cell after x. */
  step(x: Vector, cell: Vector | null): [output: Vector, cell: Vector] {
    const forget = linear(this.forget, x).map(sigmoid);
    const input = linear(this.input, x);
    const next = input.map((value, i) => (1 - forget[i]) * value + forget[i] * (cell?.[i] ?? 0));
    return [next.map((value) => Math.max(0, value)), next];
  }
}
