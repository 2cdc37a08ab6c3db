// The numbers of one decoding step of one head, for the step-by-step view.
import { axes, ofHead, pieceInWord, type Unit } from "./chart";
import { NORMALIZERS, weightedSum } from "./math";
import type { Attention, Explanation, HeadTrace } from "./record";
import { findAttention, type ViewState } from "./state";

export interface HeadStep {
  attention: Attention;
  step: number;
  units: Unit[]; // the positions attended to, as pieces
  scores: Float32Array | null; // null for the mean or maximum of several heads
  recorded: Float32Array; // the model's weights
  weights: number[]; // the weights at the selected temperature
  norms: ArrayLike<number>; // ‖v_s‖
  detail: HeadDetail | null; // null: the record has the vectors of another head only
}

export interface HeadDetail {
  terms: Terms | null; // null: the score does not define its terms
  context: number[]; // Σ_s weight_s · value_s
  values: Float32Array; // a row for each position
}

/** What a score sums over the dimensions of a head. */
export interface Terms {
  query: Float32Array;
  keys: Float32Array;
  scale: number;
  energy: Float32Array | null;
}

/** Whether the shown head is the one whose vectors the record has. */
export function isTraced({ record, selection }: ViewState): boolean {
  const trace = record.head_trace;
  if (trace === null) return false;
  const { attention, head, userSelected } = selection;
  return !userSelected || (trace.attention === attention && trace.head === head);
}

/** The selected step; null for encoder attention, which has no steps. */
export function headStep(state: ViewState): HeadStep | null {
  const { record, selection } = state;
  const trace = isTraced(state) ? record.head_trace : null;
  const attention = findAttention(record, trace?.attention ?? selection.attention);
  if (!attention || attention.kind === "encoder") return null;
  const [, { units: pieces, name: side }] = axes(record, attention, "pieces");
  const text = side === "source" && record.source?.kind === "text" ? record.source : null;
  const label = (p: number) =>
    text && selection.units === "words" ? pieceInWord(text.pieces[p]) : pieces[p].label;
  const units = pieces.map((unit, p) => ({ ...unit, label: label(p) }));
  const step = Math.min(selection.row, record.steps.length - 1);
  const input = { record, attention, step, units, temperature: selection.temperature };
  return trace ? fromTrace(input, trace) : fromWeights(input, selection.head);
}

interface Input {
  record: Explanation;
  attention: Attention;
  step: number;
  units: Unit[];
  temperature: number;
}

function fromTrace(input: Input, trace: HeadTrace): HeadStep {
  const { record, attention, step, units } = input;
  const row = (index: number) => rowOf(record.numbers(index), step, record.steps.length);
  const values = record.numbers(trace.values);
  const width = values.length / units.length;
  const norms = units.map((_, s) => Math.hypot(...values.subarray(s * width, (s + 1) * width)));
  const scores = row(trace.scores);
  const recorded = row(trace.weights);
  const weights = renormalized(input, scores, recorded);
  const { queries, keys, scale, energy } = trace;
  const terms =
    queries === null || keys === null || scale === null
      ? null
      : {
          query: row(queries),
          keys: record.numbers(keys),
          scale,
          energy: energy === null ? null : record.numbers(energy),
        };
  const detail = { terms, context: weightedSum(weights, values), values };
  return { attention, step, units, scores, recorded, weights, norms, detail };
}

function fromWeights(input: Input, head: number | "mean" | "max"): HeadStep {
  const { record, attention, step, units } = input;
  const steps = record.steps.length;
  const { heads } = attention;
  const recorded = rowOf(ofHead(record.numbers(attention.weights), heads, head), step, steps);
  const norms = ofHead(record.numbers(attention.norms), heads, head);
  const scores =
    attention.scores !== undefined && typeof head === "number"
      ? rowOf(ofHead(record.numbers(attention.scores), heads, head), step, steps)
      : null;
  // These scores have half precision, so at temperature 1 the recorded weights are more exact.
  const recompute = scores && input.temperature !== 1;
  const weights = recompute ? renormalized(input, scores, recorded) : Array.from(recorded);
  return { attention, step, units, scores, recorded, weights, norms, detail: null };
}

/**
 * The weights at the selected temperature, computed from the scores. Those of a normalizer that
 * the viewer does not implement are the recorded ones.
 */
function renormalized(input: Input, scores: Float32Array, recorded: Float32Array): number[] {
  const { attention, temperature } = input;
  const normalizer = NORMALIZERS.get(attention.normalizer.name);
  if (!normalizer) return Array.from(recorded);
  const weights = normalizer(scores, temperature);
  if (attention.prior === null) return weights;
  // A prior multiplies the normalized weights. The record has only the product, so divide.
  const before = normalizer(scores, 1);
  return weights.map((weight, s) => (before[s] ? (weight * recorded[s]) / before[s] : 0));
}

function rowOf(numbers: Float32Array, row: number, rows: number): Float32Array {
  const width = numbers.length / rows;
  return numbers.subarray(row * width, (row + 1) * width);
}
