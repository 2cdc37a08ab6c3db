// All numbers of one forced decoding (regard/explain/forward_trace.py).

import { weightedSum } from "../math";
import type { AttentionCall, Pass } from "./attention";
import type { Changes } from "./changes";
import type { Encoded } from "./encoders";
import type { AttentionDescription } from "./format";
import { concatenate, logSoftmax, norm, type Vector } from "./linear";
import type { LiveModel } from "./model";
import { BOS } from "./search";

/** The calls of one attention. Arrays are row-major. */
export interface AttentionTrace {
  name: string;
  heads: number;
  rows: number; // queries
  columns: number; // positions attended to
  scores: Float32Array; // H rows columns; −∞ where the query sees nothing
  weights: Float32Array; // H rows columns
  norms: Float32Array; // H columns: ‖v‖
}

/** All numbers of one head, as `HeadTrace` of a record. */
export interface HeadNumbers {
  attention: string;
  head: number;
  scale: number; // a score is scale · Σ q_d k_d, or with an energy v Σ v_d tanh(q_d + k_d)
  energy: Float32Array | null;
  queries: Float32Array; // rows × D
  keys: Float32Array; // columns × D
  scores: Float32Array; // rows × columns
  weights: Float32Array; // rows × columns
  values: Float32Array; // columns × W
  contexts: Float32Array; // rows × W
}

export interface Trace {
  logps: Float32Array[]; // of the whole vocabulary, for the target's tokens and its end
  attentions: AttentionTrace[];
  head: HeadNumbers | null; // null: the decoder has no attention
  summary: Vector; // the source as one vector
  encoderStates: Vector[];
  decoderStates: Vector[]; // the output of the decoder at each step
}

/** Decode a given target and record every attention.
 *
 *  `sourceIds` include the end token, `targetIds` no special tokens. `traced` is a head of the
 *  decoder; by default that of the alignment head, or the first of the last attention, preferably to
 *  the source. */
export function trace(
  model: LiveModel,
  sourceIds: number[],
  targetIds: number[],
  changes: Changes = {},
  traced: { attention: string; head: number } | null = defaultHead(model),
): Trace {
  const calls = new Map<string, AttentionCall[]>(model.attentions.map(({ name }) => [name, []]));
  const record = (call: AttentionCall) => calls.get(call.attention.name)?.push(call);
  const { encoded, logps, decoderStates } = force(model, sourceIds, targetIds, { changes, record });
  return {
    logps,
    attentions: model.attentions.map(({ name }) => joinCalls(name, calls.get(name) ?? [])),
    head: traced && traceHead(calls.get(traced.attention) ?? [], traced.head),
    summary: encoded.summary,
    encoderStates: encoded.states,
    decoderStates,
  };
}

/** Decode a given target: the log-probabilities of the whole vocabulary at each step. */
export function force(
  model: LiveModel,
  sourceIds: number[],
  targetIds: number[],
  pass: Pass,
): { encoded: Encoded; logps: Float32Array[]; decoderStates: Vector[] } {
  const encoded = model.encode(sourceIds, pass);
  let state = model.start(encoded, pass);
  const [logps, decoderStates]: [Float32Array[], Vector[]] = [[], []];
  for (const id of [BOS, ...targetIds]) {
    const { logits, hidden, next } = model.step(id, state);
    logps.push(logSoftmax(logits));
    decoderStates.push(hidden);
    state = next;
  }
  return { encoded, logps, decoderStates };
}

function defaultHead(model: LiveModel): { attention: string; head: number } | null {
  const { alignmentHead } = model;
  if (alignmentHead) return { attention: alignmentHead.attention, head: alignmentHead.head ?? 0 };
  const last = (kind: AttentionDescription["kind"]) =>
    model.attentions.filter((attention) => attention.kind === kind).at(-1);
  const attention = last("cross") ?? last("self");
  return attention ? { attention: attention.name, head: 0 } : null;
}

function joinCalls(name: string, calls: AttentionCall[]): AttentionTrace {
  const { attention, memory } = calls[calls.length - 1];
  const heads = Array.from({ length: attention.heads }, (_, head) => head);
  const columns = memory.keys.length;
  const join = (rows: (call: AttentionCall) => Float32Array[], fill: number) =>
    concatenate(
      ...heads.flatMap((head) => calls.map((call) => padded(rows(call)[head], columns, fill))),
    );
  const norms = heads.flatMap((head) => {
    return memory.values.map((value) => {
      const width = value.length / attention.heads;
      return norm(value, head * width, (head + 1) * width);
    });
  });
  return {
    ...{ name, heads: attention.heads, rows: calls.length, columns },
    scores: join((call) => call.scores, Number.NEGATIVE_INFINITY),
    weights: join((call) => call.weights, 0),
    norms: Float32Array.from(norms),
  };
}

/** A row with positions that did not exist yet. */
function padded(row: Float32Array, columns: number, fill: number): Float32Array {
  return concatenate(row, new Float32Array(columns - row.length).fill(fill));
}

function traceHead(calls: AttentionCall[], head: number): HeadNumbers {
  const last = calls[calls.length - 1];
  if (!last || !(head >= 0 && head < last.attention.heads))
    throw new Error("The head to trace is not one of the decoder.");
  const { attention, memory } = last;
  const columns = memory.keys.length;
  const terms = calls.map(({ query }) => attention.score.terms(query, memory.keys, head));
  const values = concatenate(
    ...memory.values.map((value) => {
      const width = value.length / attention.heads;
      return value.subarray(head * width, (head + 1) * width);
    }),
  );
  const weights = calls.map((call) => padded(call.weights[head], columns, 0));
  const scores = calls.map((call) => padded(call.scores[head], columns, Number.NEGATIVE_INFINITY));
  return {
    ...{ attention: attention.name, head, scale: terms[0].scale, energy: terms[0].energy },
    queries: concatenate(...terms.map(({ queries }) => queries)),
    keys: concatenate(...terms[0].keys),
    scores: concatenate(...scores),
    weights: concatenate(...weights),
    values,
    contexts: concatenate(...weights.map((row) => Float32Array.from(weightedSum(row, values)))),
  };
}
