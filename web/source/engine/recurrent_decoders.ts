// Recurrent decoders, and the bridges that initialize their states (regard/nn/rnn_decoders.py).
//
// They differ in where attention is used: nowhere, before each step, after it, or in the middle.

import { Attention, type Memory, type Pass } from "./attention";
import { type Layers, RecurrentCells, top } from "./cells";
import { type DeepOutput, deepOutput } from "./embedding";
import { type Encoded, sourceMemory } from "./encoders";
import type {
  BahdanauConfig,
  ConditionalConfig,
  EncoderConfig,
  LuongConfig,
  PlainConfig,
} from "./format";
import {
  concatenate,
  type Linear,
  linear,
  mean,
  scale,
  sigmoid,
  tanh,
  type Vector,
} from "./linear";
import type { Weights } from "./weights";

/** A step function of the decoder's state. */
export interface Decoder<State = unknown> {
  maxPositions: number | null; // tokens that it can read; null: no bound
  /** The state before the first token. */
  start(source: Encoded): State;
  /** The output after the embedded token y, and the next state; `state` does not change. */
  step(y: Vector, state: State, pass: Pass): [output: Vector, next: State];
}

// -- bridges ----------------------------------------------------------------------------------------

type Bridge = (source: Encoded) => Layers;

/** The bridge of a decoder that continues from the encoder's states: copied if the shapes agree,
 *  else projected, layer by layer: s_0 = W [h_n; c_n]. */
function stateBridge(encoder: EncoderConfig, cells: RecurrentCells, weights: Weights): Bridge {
  if (encoder.kind !== "recurrent") return meanBridge(cells, weights);
  const parts = encoder.cell === "lstm" ? 2 : 1;
  const same = encoder.layers === cells.layers && parts === cells.parts;
  if (same && !encoder.bidirectional && encoder.dim === cells.dim)
    return (source) => finalStates(source);
  const surplus = Math.max(0, encoder.layers - cells.layers);
  const projections = Array.from({ length: cells.layers }, (_, layer) =>
    weights.at(`project.${layer}`).linear(),
  );
  return (source) =>
    projections.map((project, i) => {
      const layer = Math.min(surplus + i, encoder.layers - 1);
      const projected = linear(project, concatenate(...finalStates(source)[layer]));
      return split(projected, cells.parts);
    });
}

/** The bridge of a decoder that starts from one vector v of the source: s_0 = tanh(W v), v the
 *  backward state of a bidirectional encoder, the final one of another. */
function summaryBridge(encoder: EncoderConfig, cells: RecurrentCells, weights: Weights): Bridge {
  if (encoder.kind !== "recurrent") return meanBridge(cells, weights);
  return vectorBridge(cells, weights, ({ summary }) => summary.slice(-encoder.dim));
}

/** s_0 = tanh(W mean_s h_s) */
function meanBridge(cells: RecurrentCells, weights: Weights): Bridge {
  return vectorBridge(cells, weights, ({ states }) => mean(states));
}

function vectorBridge(
  cells: RecurrentCells,
  weights: Weights,
  vector: (source: Encoded) => Vector,
): Bridge {
  const project = weights.at("project").linear();
  return (source) => {
    const states = split(tanh(linear(project, vector(source))), cells.layers);
    return states.map((state) => split(state, cells.parts));
  };
}

function finalStates({ carry }: Encoded): Layers {
  if (!carry) throw new Error("The encoder has no final states.");
  return carry;
}

function split(x: Vector, count: number): Vector[] {
  const length = x.length / count;
  return Array.from({ length: count }, (_, i) => x.slice(i * length, (i + 1) * length));
}

// -- decoders ---------------------------------------------------------------------------------------

/** s_t = cell(y_{t−1}, s_{t−1}) */
export class PlainDecoder implements Decoder<Layers> {
  readonly maxPositions = null;
  private readonly cells: RecurrentCells;
  private readonly bridge: Bridge;

  constructor(config: PlainConfig, encoder: EncoderConfig, weights: Weights) {
    this.cells = new RecurrentCells(config.cell, config.layers, weights.at("cells"));
    this.bridge = stateBridge(encoder, this.cells, weights.at("bridge"));
  }

  start(source: Encoded): Layers {
    return this.bridge(source);
  }

  step(y: Vector, state: Layers): [Vector, Layers] {
    const s = this.cells.step(y, state);
    return [top(s), s];
  }
}

interface AttentiveState {
  source: Memory;
  layers: Layers;
  step: number;
}

/** c_t = attend(s_{t−1}),  s_t = cell([y_{t−1}; c_t], s_{t−1}),  o_t = deep(s_t, y_{t−1}, c_t)
 *
 *  With a gate, c_t = σ(W s_{t−1}) attend(s_{t−1}). */
export class BahdanauDecoder implements Decoder<AttentiveState> {
  readonly maxPositions = null;
  private readonly cells: RecurrentCells;
  private readonly bridge: Bridge;
  private readonly attention: Attention;
  private readonly deep: DeepOutput;
  private readonly gate: Linear | null;

  constructor(config: BahdanauConfig, encoder: EncoderConfig, weights: Weights) {
    this.cells = new RecurrentCells(config.cell, config.layers, weights.at("cells"));
    this.bridge = summaryBridge(encoder, this.cells, weights.at("bridge"));
    this.attention = crossAttention(config, weights);
    this.deep = deepOutput(config.output, weights.at("deep"));
    this.gate = config.gate ? weights.at("gate").linear() : null;
  }

  start(source: Encoded): AttentiveState {
    return {
      source: sourceMemory(this.attention, source),
      layers: this.bridge(source),
      step: 0,
    };
  }

  step(y: Vector, { source, layers, step }: AttentiveState, pass: Pass): [Vector, AttentiveState] {
    const query = top(layers);
    let c = this.attention.attend(query, source, step, pass);
    if (this.gate) c = scale(c, sigmoid(linear(this.gate, query)[0]));
    const s = this.cells.step(concatenate(y, c), layers);
    return [this.deep(top(s), y, c), { source, layers: s, step: step + 1 }];
  }
}

/** s'_t = cell(y_{t−1}, s_{t−1}),  c_t = attend(s'_t),  s_t = cell'(c_t, s'_t),
 *  o_t = deep(s_t, y_{t−1}, c_t) */
export class ConditionalDecoder implements Decoder<AttentiveState> {
  readonly maxPositions = null;
  private readonly first: RecurrentCells;
  private readonly second: RecurrentCells;
  private readonly bridge: Bridge;
  private readonly attention: Attention;
  private readonly deep: DeepOutput;

  constructor(config: ConditionalConfig, weights: Weights) {
    this.first = new RecurrentCells(config.cell, 1, weights.at("first"));
    this.second = new RecurrentCells(config.cell, 1, weights.at("second"));
    this.bridge = meanBridge(this.second, weights.at("bridge"));
    this.attention = crossAttention(config, weights);
    this.deep = deepOutput("tanh", weights.at("deep"));
  }

  start(source: Encoded): AttentiveState {
    return {
      source: sourceMemory(this.attention, source),
      layers: this.bridge(source),
      step: 0,
    };
  }

  step(y: Vector, { source, layers, step }: AttentiveState, pass: Pass): [Vector, AttentiveState] {
    const between = this.first.step(y, layers);
    const c = this.attention.attend(top(between), source, step, pass);
    const s = this.second.step(c, between);
    return [this.deep(top(s), y, c), { source, layers: s, step: step + 1 }];
  }
}

interface LuongState extends AttentiveState {
  fed: Vector | null; // o_{t−1}, with input feeding
}

/** s_t = cell([y_{t−1}; o_{t−1}], s_{t−1}),  c_t = attend(s_t),  o_t = tanh(W [c_t; s_t])
 *
 *  Without input feeding the cells read y_{t−1} alone. The output may be [c_t; s_t] itself. */
export class LuongDecoder implements Decoder<LuongState> {
  readonly maxPositions = null;
  private readonly cells: RecurrentCells;
  private readonly bridge: Bridge;
  private readonly attention: Attention;
  private readonly combine: Linear | null;

  constructor(
    private readonly config: LuongConfig,
    encoder: EncoderConfig,
    weights: Weights,
  ) {
    this.cells = new RecurrentCells(config.cell, config.layers, weights.at("cells"));
    this.bridge = stateBridge(encoder, this.cells, weights.at("bridge"));
    this.attention = crossAttention(config, weights);
    this.combine = config.output === "tanh" ? weights.at("combine").linear() : null;
  }

  start(source: Encoded): LuongState {
    const dim = this.combine ? this.cells.dim : source.summary.length + this.cells.dim;
    return {
      source: sourceMemory(this.attention, source),
      layers: this.bridge(source),
      step: 0,
      fed: this.config.input_feeding ? new Float32Array(dim) : null,
    };
  }

  step(y: Vector, { source, layers, step, fed }: LuongState, pass: Pass): [Vector, LuongState] {
    const s = this.cells.step(fed ? concatenate(y, fed) : y, layers);
    const c = this.attention.attend(top(s), source, step, pass);
    const both = concatenate(c, top(s));
    const o = this.combine ? tanh(linear(this.combine, both)) : both;
    return [o, { source, layers: s, step: step + 1, fed: fed && o }];
  }
}

function crossAttention(
  { attention }: BahdanauConfig | ConditionalConfig | LuongConfig,
  weights: Weights,
): Attention {
  return new Attention("decoder.attention", "cross", attention, weights.at("attention"));
}
