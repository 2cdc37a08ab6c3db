// Changes of attention: interventions that a translation follows (regard/explain/changes.py).

import { uniform } from "../math";
import type { AttentionDescription } from "./format";

/** Weights of one attention at one step, in place of those that the model computes. */
export interface FixedWeights {
  attention: string;
  step: number;
  head: number | null; // null: all heads
  weights: number[]; // one for each position attended to
}

export interface HeadName {
  attention: string;
  head: number;
}

/** Positions, steps and heads count from 0. In a span with a prior, it multiplies changed weights
 *  as well. */
export interface Changes {
  hidden?: number[]; // source positions that no cross-attention sees
  fixed?: FixedWeights[];
  off?: HeadName[]; // heads whose context is zero
  uniform?: string[]; // attentions with equal weights at all visible positions
  temperature?: number; // divides the scores of cross-attention
}

type Normalizer = (scores: Float32Array, temperature: number) => number[];

/** The weights of one head at one step. */
export function changedWeights(
  changes: Changes,
  { name, kind }: Pick<AttentionDescription, "name" | "kind">,
  head: number,
  step: number,
  scores: Float32Array,
  normalize: Normalizer,
): number[] {
  if (changes.off?.some((off) => off.attention === name && off.head === head))
    return new Array<number>(scores.length).fill(0);
  const fixed = changes.fixed?.find(
    (row) => row.attention === name && row.step === step && (row.head ?? head) === head,
  );
  if (fixed) return fixedRow(fixed, scores.length);
  const cross = kind === "cross";
  const seen = cross && changes.hidden?.length ? hide(scores, changes.hidden) : scores;
  if (changes.uniform?.includes(name)) return uniform(seen);
  return normalize(seen, cross ? (changes.temperature ?? 1) : 1);
}

function fixedRow({ attention, step, weights }: FixedWeights, positions: number): number[] {
  if (weights.length !== positions)
    throw new Error(
      `fixed: ${attention} attends to ${positions} positions at step ${step}, not ` +
        `${weights.length}. Give one weight for each.`,
    );
  return weights;
}

/** Hidden positions have a score of −∞. A query that would see nothing sees the last position. */
function hide(scores: Float32Array, hidden: number[]): Float32Array {
  const seen = scores.slice();
  for (const position of hidden) seen[position] = Number.NEGATIVE_INFINITY;
  if (seen.every((score) => score === Number.NEGATIVE_INFINITY)) seen[seen.length - 1] = 0;
  return seen;
}

/** Throw an error if the changes name what the model or the source does not have. */
export function checkChanges(
  changes: Changes,
  attentions: AttentionDescription[],
  positions: number,
): void {
  const heads = new Map(attentions.map((attention) => [attention.name, attention.heads]));
  const named = [
    ...(changes.uniform ?? []).map((attention) => ({ attention, head: null })),
    ...(changes.off ?? []),
    ...(changes.fixed ?? []),
  ];
  for (const { attention, head } of named) {
    const count = heads.get(attention);
    if (count === undefined)
      throw new Error(
        `No attention is named ${attention}. The model has: ${[...heads.keys()].join(", ") || "none"}.`,
      );
    if (head !== null && !(head >= 0 && head < count))
      throw new Error(
        `${attention} has ${count} heads, numbered from 0. ${head} is not one of them.`,
      );
  }
  for (const position of changes.hidden ?? [])
    if (!(position >= 0 && position < positions))
      throw new Error(`hidden: the source has ${positions} positions, and ${position} is not one.`);
  if (!((changes.temperature ?? 1) > 0))
    throw new Error(`temperature: must be more than 0, not ${changes.temperature}.`);
}

/** Whether the encoder computes something else with these changes. */
export function changesEncoder(changes: Changes, attentions: AttentionDescription[]): boolean {
  const ofEncoder = attentions.filter(({ kind }) => kind === "encoder").map(({ name }) => name);
  const named = [
    ...(changes.uniform ?? []),
    ...(changes.off ?? []).map(({ attention }) => attention),
    ...(changes.fixed ?? []).map(({ attention }) => attention),
  ];
  return named.some((name) => ofEncoder.includes(name));
}
