// What encoders return, and the recurrent encoder (regard/nn/interfaces.py, regard/nn/rnn.py).

import type { Attention, Memory, Pass } from "./attention";
import { Cell, type Parts } from "./cells";
import type { Changes } from "./changes";
import type { Embedding } from "./embedding";
import type { RecurrentEncoderConfig } from "./format";
import { concatenate, type Vector } from "./linear";
import type { Weights } from "./weights";

export interface Encoded {
  ids: number[];
  changes: Changes; // that it was encoded with
  states: Vector[]; // one for each token
  summary: Vector; // the whole source in one vector
  carry: Vector[][] | null; // final states by layer and part: [→h_n; ←h_1], and the same of the cells
}

export interface Encoder {
  maxPositions: number | null; // tokens that it can read; null: no bound
  encode(ids: number[], pass: Pass): Encoded;
}

/** The memory of a source; for a span that reads the summary, the last state is the summary. */
export function sourceMemory(attention: Attention, { states, summary }: Encoded): Memory {
  return attention.buildMemory(
    attention.span.readsSummary ? [...states.slice(0, -1), summary] : states,
  );
}

/** h_s = [→h_s; ←h_s], in layers. With `reverse` the cells read the words from the last to the first
 *  and then the end token; state s still belongs to token s. */
export class RecurrentEncoder implements Encoder {
  readonly maxPositions = null;
  private readonly layers: Cell[][]; // of each layer, one cell for each direction

  constructor(
    private readonly config: RecurrentEncoderConfig,
    private readonly embedding: Embedding,
    weights: Weights,
  ) {
    const suffixes = config.bidirectional ? ["", "_reverse"] : [""];
    this.layers = Array.from({ length: config.layers }, (_, layer) =>
      suffixes.map((suffix) => {
        return new Cell(config.cell, weights.at("stack.rnn"), `l${layer}${suffix}`);
      }),
    );
  }

  encode(ids: number[], { changes }: Pass): Encoded {
    const order = this.config.reverse ? reversedWords(ids.length) : ids.map((_, s) => s);
    let states = order.map((s) => this.embedding.of(ids[s]));
    const carry: Vector[][] = [];
    for (const cells of this.layers) {
      const directions = cells.map((cell, direction) => run(cell, states, direction === 1));
      states = states.map((_, s) => concatenate(...directions.map((parts) => parts[s][0])));
      const last = directions.map((parts, direction) => parts[direction ? 0 : parts.length - 1]);
      carry.push(last[0].map((_, part) => concatenate(...last.map((parts) => parts[part]))));
    }
    const summary = carry[carry.length - 1][0];
    return { ids, changes, states: order.map((s) => states[s]), summary, carry };
  }
}

/** The state of one layer at each position, in one direction, from a zero state. */
function run(cell: Cell, inputs: Vector[], backward: boolean): Parts[] {
  const parts = new Array<Parts>(inputs.length);
  let state = cell.zero();
  for (let i = 0; i < inputs.length; i++) {
    const s = backward ? inputs.length - 1 - i : i;
    state = cell.step(inputs[s], state);
    parts[s] = state;
  }
  return parts;
}

/** The positions of a source with its words reversed; the end token stays. */
function reversedWords(length: number): number[] {
  const words = length - 1;
  return Array.from({ length }, (_, s) => (s < words ? words - 1 - s : s));
}
