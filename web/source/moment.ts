// The numbers of one step on the stage: weights and contributions of source words, and the output.
import {
  type Axis,
  type Head,
  ofHead,
  pieceInWord,
  shownPiece,
  textAxis,
  type Unit,
  type Units,
} from "./chart";
import { targetUnits } from "./playback";
import type { Attention, Explanation, TokenizedText } from "./record";
import { cachedChart, defaultSelection, findAttention, type Selection } from "./state";

export interface Moment {
  record: Explanation;
  source: Axis;
  target: Axis;
  units: Unit[]; // of the target, in the order of their prediction
  step: number; // of `units`; units.length if the sentence has ended
  attention: Attention | null; // null: the decoder has no attention
  head: Head;
  bottleneck: boolean; // the decoder has the source as one vector only
  vector: ArrayLike<number> | null; // this vector
  weights: ArrayLike<number>; // of the source words
  shares: number[]; // of the source words in the context
  candidates: Candidate[];
}

export interface Candidate {
  label: string;
  piece: string;
  p: number;
  output: boolean; // whether it is the word of the target
}

/** Whether the decoder has the source as one vector: without attention, or with the last state. */
export function hasBottleneck(record: Explanation): boolean {
  const cross = record.attentions.filter(({ kind }) => kind === "cross");
  return cross.every(({ span }) => span.name === "last");
}

export function moment(record: Explanation, selection: Selection, step: number): Moment {
  const source = textAxis("source", record.source as TokenizedText, selection.units);
  const target = textAxis("target", record.target, selection.units);
  const units = targetUnits(record, selection.units);
  const { attention, head } = stageHead(record, selection);
  const unit = units[Math.min(step, units.length - 1)];
  const row = target.units.findIndex(({ positions }) => positions[0] === unit.positions[0]);
  return {
    record,
    source,
    target,
    units,
    step,
    attention,
    head,
    bottleneck: hasBottleneck(record),
    vector: hasBottleneck(record) ? fixedVector(record) : null,
    weights: attention
      ? cachedChart(record, attention, head, 0, selection.units).row(row)
      : source.units.map(() => 0),
    shares: attention ? shares(record, attention, head, source, unit) : source.units.map(() => 0),
    candidates: candidates(record, unit, selection.units),
  };
}

/** The selected cross-attention of a record, or its default one. */
function stageHead(record: Explanation, selection: Selection) {
  const selected = findAttention(record, selection.attention);
  const applies = selected?.kind === "cross" && selection.userSelected;
  const { attention: name, head } = applies ? selection : defaultSelection(record);
  const attention = findAttention(record, name);
  const cross =
    attention?.kind === "cross"
      ? attention
      : record.attentions.filter(({ kind }) => kind === "cross").at(-1);
  if (!cross) return { attention: null, head };
  return { attention: cross, head: typeof head === "number" && head >= cross.heads ? 0 : head };
}

/** The share of each source word in the context: weight · ‖value‖, normalized. */
function shares(
  record: Explanation,
  attention: Attention,
  head: Head,
  source: Axis,
  unit: Unit,
): number[] {
  const weights = ofHead(record.numbers(attention.weights), attention.heads, head);
  const norms = ofHead(record.numbers(attention.norms), attention.heads, head);
  const width = norms.length;
  const parts = source.units.map(({ positions }) =>
    unit.positions
      .flatMap((t) => positions.map((s) => weights[t * width + s] * norms[s]))
      .reduce((a, b) => a + b, 0),
  );
  const total = parts.reduce((a, b) => a + b, 0) || 1;
  return parts.map((part) => part / total);
}

/**
 * The most likely next pieces and the word of the target. The probability of a word of several
 * pieces is their product.
 */
function candidates(record: Explanation, unit: Unit, units: Units): Candidate[] {
  const [first] = unit.positions;
  const piece = record.target.pieces[first];
  const logp = unit.positions.reduce((sum, t) => sum + record.steps[t].logp, 0);
  const chosen = { label: unit.label, piece, p: Math.exp(logp), output: true };
  const rest = record.steps[first].top
    .filter(([name]) => name !== piece)
    .map(([name, value]) => ({
      label: units === "words" ? pieceInWord(name) : shownPiece(name),
      piece: name,
      p: Math.exp(value),
      output: false,
    }));
  return [chosen, ...rest].sort((a, b) => b.p - a.p);
}

/** The vector that the decoder has of the source; null if the record does not have it. */
function fixedVector(record: Explanation): ArrayLike<number> | null {
  if (record.summary !== null) return record.numbers(record.summary);
  const { head_trace: trace } = record;
  if (!trace) return null;
  const values = record.numbers(trace.values);
  const weights = record.numbers(trace.weights);
  const positions = weights.length / record.steps.length;
  const width = values.length / positions;
  return values.subarray(values.length - width);
}
