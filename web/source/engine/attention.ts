// Attention (regard/attention):
//
//     scores  = score(query, keys)
//     weights = normalizer(scores where the query sees the key, −∞ elsewhere)
//     context = weights @ values

import { NORMALIZERS } from "../math";
import { type Changes, changedWeights } from "./changes";
import type { AttentionConfig, AttentionDescription, Kind } from "./format";
import { type Linear, linear, type Vector } from "./linear";
import { readScore, type Score } from "./scores";
import { readSpan, type Span } from "./spans";
import type { Weights } from "./weights";

/** Keys and values of a sequence, already projected; the numbers of all heads in a row. */
export interface Memory {
  keys: Vector[];
  values: Vector[];
}

/** One query of one attention. */
export interface AttentionCall {
  attention: Attention;
  step: number;
  query: Vector; // projected
  memory: Memory;
  scores: Float32Array[]; // of each head; −∞ where the key is not visible
  weights: Float32Array[];
}

/** What a pass through the model changes and records. */
export interface Pass {
  changes: Changes;
  record: ((call: AttentionCall) => void) | null;
}

export const UNCHANGED: Pass = { changes: {}, record: null };

type Normalizer = (scores: ArrayLike<number>, temperature: number) => number[];

export class Attention implements Pick<AttentionDescription, "name" | "kind" | "heads"> {
  readonly heads: number;
  readonly score: Score;
  readonly span: Span;
  private readonly normalize: Normalizer;
  private readonly toValues: Linear | null;
  private readonly toContext: Linear | null;

  constructor(
    readonly name: string,
    readonly kind: Kind,
    config: AttentionConfig,
    weights: Weights,
  ) {
    this.score = readScore(config.score, weights.at("score"));
    this.heads = this.score.heads;
    this.span = readSpan(config.span, weights.at("span"));
    const normalize = NORMALIZERS.get(config.normalizer.kind);
    if (!normalize)
      throw new Error(`This engine has no normalizer ${config.normalizer.kind}, as ${name} has.`);
    this.normalize = normalize;
    const optional = (part: string) =>
      weights.has(`${part}.weight`) ? weights.at(part).linear() : null;
    this.toValues = optional("to_values");
    this.toContext = optional("to_context");
  }

  /** Project states to keys and values. */
  buildMemory(states: Vector[]): Memory {
    return extend({ keys: [], values: [] }, this, states);
  }

  key(state: Vector): Vector {
    return this.score.key(state);
  }

  value(state: Vector): Vector {
    return this.toValues ? linear(this.toValues, state) : state;
  }

  /** The context of the query at position t. */
  attend(query: Vector, memory: Memory, t: number, { changes, record }: Pass): Vector {
    const n = memory.keys.length;
    const projected = this.score.query(query);
    const centre = this.span.centre(query, t, n);
    const width = memory.values[0].length / this.heads;
    const contexts = new Float32Array(this.heads * width);
    const call: AttentionCall = {
      ...{ attention: this, step: t, query: projected, memory },
      ...{ scores: [], weights: [] },
    };
    for (let head = 0; head < this.heads; head++) {
      const scores = new Float32Array(n).fill(Number.NEGATIVE_INFINITY);
      for (let s = 0; s < n; s++)
        if (this.span.sees(centre, s, n))
          scores[s] = this.score.compare(projected, memory.keys[s], head);
      const weights = new Float32Array(
        changedWeights(changes, this, head, t, scores, this.normalize),
      );
      for (let s = 0; s < n; s++) weights[s] *= this.span.prior(centre, s);
      addWeighted(contexts, weights, memory.values, head * width, (head + 1) * width);
      call.scores.push(scores);
      call.weights.push(weights);
    }
    record?.(call);
    return this.toContext ? linear(this.toContext, contexts) : contexts;
  }
}

/** A memory with further positions; `memory` itself does not change. */
export function extend(memory: Memory, attention: Attention, states: Vector[]): Memory {
  return {
    keys: [...memory.keys, ...states.map((state) => attention.key(state))],
    values: [...memory.values, ...states.map((state) => attention.value(state))],
  };
}

/** context += Σ_s weight_s value_s, of the numbers of one head */
function addWeighted(
  context: Vector,
  weights: Float32Array,
  values: Vector[],
  begin: number,
  end: number,
): void {
  for (let s = 0; s < values.length; s++) {
    const weight = weights[s];
    if (weight === 0) continue;
    const value = values[s];
    for (let d = begin; d < end; d++) context[d] += weight * value[d];
  }
}
