// All that is known of one step of one head: what the walk shows.
import { axes, ofHead, type Unit } from "./chart";
import { blend, softmax, weigh } from "./math";
import type { Explanation, Look, Walk } from "./record";
import { lookNamed, type Scene } from "./scene";

export interface Moment {
  look: Look;
  step: number;
  units: Unit[]; // what can be looked at, in pieces
  scores: Float32Array | null; // null: of a mean or a highest of heads there are none
  recorded: Float32Array; // the model's own weights
  weights: number[]; // the same at the chosen temperature
  norms: ArrayLike<number>; // ‖v_s‖
  inside: Inside | null; // null: the record has the whole inside of another head only
}

export interface Inside {
  query: Float32Array;
  keys: Float32Array;
  scale: number;
  energy: Float32Array | null;
  context: number[]; // Σ_s weight_s · value_s
}

/** Whether the walk shows the head of which the record has all numbers. */
export function isWhole({ record, choice }: Scene): boolean {
  const { walk } = record;
  return (
    walk !== null && (!choice.chosen || (walk.look === choice.look && walk.head === choice.head))
  );
}

export function moment(scene: Scene): Moment | null {
  const { record, choice } = scene;
  const whole = isWhole(scene) ? record.walk : null;
  const look = lookNamed(record, whole?.look ?? choice.look);
  if (!look || look.kind === "reading") return null;
  const units = axes(record, look, "pieces")[1].units;
  const step = Math.min(choice.row, record.steps.length - 1);
  const from = { record, look, step, units, temperature: choice.temperature };
  return whole ? ofWalk(from, whole) : ofLook(from, choice.head);
}

interface From {
  record: Explanation;
  look: Look;
  step: number;
  units: Unit[];
  temperature: number;
}

function ofWalk(from: From, walk: Walk): Moment {
  const { record, step, units } = from;
  const row = (index: number) => rowOf(record.numbers(index), step, record.steps.length);
  const values = record.numbers(walk.values);
  const width = values.length / units.length;
  const norms = units.map((_, s) => Math.hypot(...values.subarray(s * width, (s + 1) * width)));
  const scores = row(walk.scores);
  const recorded = row(walk.weights);
  const weights = reweighed(from, scores, recorded);
  const inside = {
    query: row(walk.queries),
    keys: record.numbers(walk.keys),
    scale: walk.scale,
    energy: walk.energy === null ? null : record.numbers(walk.energy),
    context: blend(weights, values),
  };
  return { look: from.look, step, units, scores, recorded, weights, norms, inside };
}

function ofLook(from: From, head: number | "mean" | "max"): Moment {
  const { record, look, step, units } = from;
  const steps = record.steps.length;
  const recorded = rowOf(ofHead(record.numbers(look.weights), look.heads, head), step, steps);
  const norms = ofHead(record.numbers(look.norms), look.heads, head);
  const known = look.scores !== undefined && typeof head === "number";
  const scores = known
    ? rowOf(ofHead(record.numbers(look.scores as number), look.heads, head), step, steps)
    : null;
  // these scores are kept in half precision: at the model's own temperature its weights are better
  const anew = scores && from.temperature !== 1;
  const weights = anew ? reweighed(from, scores, recorded) : Array.from(recorded);
  return { look, step, units, scores, recorded, weights, norms, inside: null };
}

/** The scores weighed anew, here in the browser. */
function reweighed(from: From, scores: Float32Array, recorded: Float32Array): number[] {
  const { look, temperature } = from;
  const weights = weigh(look.weighing.name, scores, temperature);
  if (look.span.name !== "local-predictive") return weights;
  // The Gaussian comes after the softmax; it is what the model's weights have more or less than that.
  const before = softmax(scores);
  return weights.map((weight, s) => (before[s] ? (weight * recorded[s]) / before[s] : 0));
}

function rowOf(numbers: Float32Array, row: number, rows: number): Float32Array {
  const width = numbers.length / rows;
  return numbers.subarray(row * width, (row + 1) * width);
}
