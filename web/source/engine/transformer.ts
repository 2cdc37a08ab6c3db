// Transformer encoder and decoder, also with an SSRU (regard/nn/transformer.py).

import { Attention, extend, type Memory, type Pass } from "./attention";
import { SSRU } from "./cells";
import { type Embedding, TransformerInput } from "./embedding";
import { type Encoded, type Encoder, sourceMemory } from "./encoders";
import type {
  AttentionConfig,
  Kind,
  SSRUDecoderConfig,
  TransformerConfig,
  TransformerDecoderConfig,
  TransformerEncoderConfig,
} from "./format";
import { add, type Linear, linear, mean, sigmoid, type Vector } from "./linear";
import type { Decoder } from "./recurrent_decoders";
import type { Weights } from "./weights";

// -- parts of blocks --------------------------------------------------------------------------------

class LayerNorm {
  private readonly weight: Vector;
  private readonly bias: Vector;

  constructor(
    weights: Weights,
    private readonly eps: number,
  ) {
    this.weight = weights.vector("weight");
    this.bias = weights.vector("bias");
  }

  of(x: Vector): Vector {
    let sum = 0;
    for (let i = 0; i < x.length; i++) sum += x[i];
    const centre = sum / x.length;
    let squares = 0;
    for (let i = 0; i < x.length; i++) squares += (x[i] - centre) ** 2;
    const factor = 1 / Math.sqrt(squares / x.length + this.eps);
    return x.map((value, i) => (value - centre) * factor * this.weight[i] + this.bias[i]);
  }
}

/** x + f(norm(x)) with pre-normalization, norm(x + f(x)) with post-normalization */
class Residual {
  private readonly norm: LayerNorm;

  constructor(
    private readonly config: TransformerConfig,
    weights: Weights,
  ) {
    this.norm = new LayerNorm(weights.at("norm"), config.norm_eps);
  }

  of(x: Vector, f: (y: Vector) => Vector): Vector {
    return this.output(x, f(this.input(x)));
  }

  /** What f reads. */
  input(x: Vector): Vector {
    return this.config.norm === "pre" ? this.norm.of(x) : x;
  }

  /** The sum with y = f(input(x)). */
  output(x: Vector, y: Vector): Vector {
    return this.config.norm === "pre" ? add(x, y) : this.norm.of(add(x, y));
  }
}

/** Pre-normalization leaves the last sum unnormalized. */
function finalNorm(config: TransformerConfig, weights: Weights): (x: Vector) => Vector {
  if (config.norm === "post") return (x) => x;
  const norm = new LayerNorm(weights.at("norm"), config.norm_eps);
  return (x) => norm.of(x);
}

/** W₂ f(W₁ x + b₁) + b₂ */
class FeedForward {
  private readonly widen: Linear;
  private readonly narrow: Linear;
  private readonly activation: (x: number) => number;

  constructor(config: TransformerConfig, weights: Weights) {
    this.widen = weights.at("0").linear();
    this.narrow = weights.at("3").linear();
    this.activation = ACTIVATION[config.activation];
  }

  of(x: Vector): Vector {
    return linear(this.narrow, linear(this.widen, x).map(this.activation));
  }
}

const ACTIVATION = {
  relu: (x: number) => Math.max(0, x),
  gelu: (x: number) => (x * (1 + erf(x / Math.SQRT2))) / 2,
  swish: (x: number) => x * sigmoid(x),
  "sigmoid-gelu": (x: number) => x * sigmoid(1.702 * x),
};

/** The error function, to 1.5e-7  (Abramowitz and Stegun 1964, 7.1.26) */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const coefficients = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592];
  const sum = coefficients.reduce((polynomial, a) => (polynomial + a) * t, 0);
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
}

// -- encoder ----------------------------------------------------------------------------------------

class EncoderBlock {
  private readonly attention: Attention;
  private readonly attentionResidual: Residual;
  private readonly feedForward: FeedForward;
  private readonly feedForwardResidual: Residual;

  constructor(config: TransformerEncoderConfig, layer: number, encoder: Weights) {
    const weights = encoder.at(`blocks.${layer}`);
    const name = `encoder.blocks.${layer}.self_attention`;
    const part = weights.at("self_attention");
    this.attention = new Attention(name, "encoder", config.self_attention, part);
    this.attentionResidual = new Residual(config, weights.at("self_residual"));
    this.feedForward = new FeedForward(config, weights.at("feed_forward"));
    this.feedForwardResidual = new Residual(config, weights.at("feed_forward_residual"));
  }

  of(x: Vector[], pass: Pass): Vector[] {
    const y = x.map((state) => this.attentionResidual.input(state));
    const memory = this.attention.buildMemory(y);
    const attended = x.map((state, t) =>
      this.attentionResidual.output(state, this.attention.attend(y[t], memory, t, pass)),
    );
    return attended.map((state) =>
      this.feedForwardResidual.of(state, (y) => this.feedForward.of(y)),
    );
  }
}

/** x ← x + attend(x over x),  x ← x + feed(x), in every layer */
export class TransformerEncoder implements Encoder {
  private readonly input: TransformerInput;
  private readonly blocks: EncoderBlock[];
  private readonly norm: (x: Vector) => Vector;

  constructor(
    config: TransformerEncoderConfig,
    private readonly embedding: Embedding,
    weights: Weights,
  ) {
    this.input = new TransformerInput(config, weights.at("input"));
    this.blocks = Array.from(
      { length: config.layers },
      (_, layer) => new EncoderBlock(config, layer, weights),
    );
    this.norm = finalNorm(config, weights);
  }

  get maxPositions(): number | null {
    return this.input.maxPositions;
  }

  encode(ids: number[], pass: Pass): Encoded {
    let x = ids.map((id, t) => this.input.at(t, this.embedding.of(id)));
    for (const block of this.blocks) x = block.of(x, pass);
    const states = x.map(this.norm);
    return { ids, changes: pass.changes, states, summary: mean(states), carry: null };
  }
}

// -- decoder ----------------------------------------------------------------------------------------

/** How a block reads the positions before its own: by self-attention or with an SSRU. */
interface PastReader<Past = unknown> {
  empty: Past;
  /** The output at position t, and the past with this position; `past` itself does not change. */
  read(y: Vector, past: Past, t: number, pass: Pass): [output: Vector, next: Past];
}

function bySelfAttention(attention: Attention): PastReader<Memory> {
  return {
    empty: { keys: [], values: [] },
    read(y, past, t, pass) {
      const memory = extend(past, attention, [y]);
      return [attention.attend(y, memory, t, pass), memory];
    },
  };
}

function bySSRU(ssru: SSRU): PastReader<Vector | null> {
  return { empty: null, read: (y, cell) => ssru.step(y, cell) };
}

/** Reads its past, then the source, then each position by itself. */
class DecoderBlock {
  readonly past: PastReader;
  readonly crossAttention: Attention;
  private readonly selfResidual: Residual;
  private readonly crossResidual: Residual;
  private readonly feedForward: FeedForward;
  private readonly feedForwardResidual: Residual;

  constructor(
    config: TransformerDecoderConfig | SSRUDecoderConfig,
    layer: number,
    decoder: Weights,
  ) {
    const weights = decoder.at(`blocks.${layer}`);
    const attention = (part: string, kind: Kind, parts: AttentionConfig) =>
      new Attention(`decoder.blocks.${layer}.${part}`, kind, parts, weights.at(part));
    this.past =
      config.kind === "transformer"
        ? bySelfAttention(attention("self_attention", "self", config.self_attention))
        : bySSRU(new SSRU(weights.at("ssru")));
    this.crossAttention = attention("cross_attention", "cross", config.cross_attention);
    this.selfResidual = new Residual(config, weights.at("self_residual"));
    this.crossResidual = new Residual(config, weights.at("cross_residual"));
    this.feedForward = new FeedForward(config, weights.at("feed_forward"));
    this.feedForwardResidual = new Residual(config, weights.at("feed_forward_residual"));
  }

  step(x: Vector, past: unknown, source: Memory, t: number, pass: Pass): [Vector, unknown] {
    const [read, next] = this.past.read(this.selfResidual.input(x), past, t, pass);
    let y = this.selfResidual.output(x, read);
    y = this.crossResidual.of(y, (z) => this.crossAttention.attend(z, source, t, pass));
    y = this.feedForwardResidual.of(y, (z) => this.feedForward.of(z));
    return [y, next];
  }
}

interface TransformerState {
  source: Memory[]; // of each layer
  past: unknown[]; // of each layer
  step: number;
}

/** y ← y + attend(y over its past),  y ← y + attend(y over x),  y ← y + feed(y), in every layer */
export class TransformerDecoder implements Decoder<TransformerState> {
  private readonly input: TransformerInput;
  private readonly blocks: DecoderBlock[];
  private readonly norm: (x: Vector) => Vector;

  constructor(config: TransformerDecoderConfig | SSRUDecoderConfig, weights: Weights) {
    this.input = new TransformerInput(config, weights.at("input"));
    this.blocks = Array.from(
      { length: config.layers },
      (_, layer) => new DecoderBlock(config, layer, weights),
    );
    this.norm = finalNorm(config, weights);
  }

  get maxPositions(): number | null {
    return this.input.maxPositions;
  }

  start(source: Encoded): TransformerState {
    return {
      source: this.blocks.map((block) => sourceMemory(block.crossAttention, source)),
      past: this.blocks.map((block) => block.past.empty),
      step: 0,
    };
  }

  step(
    y: Vector,
    { source, past, step }: TransformerState,
    pass: Pass,
  ): [Vector, TransformerState] {
    let x = this.input.at(step, y);
    const extended: unknown[] = [];
    for (const [layer, block] of this.blocks.entries()) {
      const [next, longer] = block.step(x, past[layer], source[layer], step, pass);
      x = next;
      extended.push(longer);
    }
    return [this.norm(x), { source, past: extended, step: step + 1 }];
  }
}
