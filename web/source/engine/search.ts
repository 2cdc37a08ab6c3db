// Greedy and beam search (regard/search, docs/decisions/0009-beam-search-stopping-rule.md).

import { highest } from "../math";
import type { Beam, NodeStatus } from "../record";
import type { Changes } from "./changes";
import type { Encoded } from "./encoders";
import { largest, logSoftmax } from "./linear";
import type { DecoderState, LiveModel } from "./model";

export const BOS = 1;
export const EOS = 2;

/** The most tokens of a translation, the end counted: twice the source and ten, in strides of 8. */
export function maxTargetLength(model: LiveModel, encoded: Encoded): number {
  const length = 2 * Math.ceil(encoded.states.length / 8) * 8 + 10;
  // The decoder reads the start token and all tokens.
  return model.maxPositions === null ? length : Math.min(length, model.maxPositions - 1);
}

// -- greedy search ----------------------------------------------------------------------------------

export interface GreedyOptions {
  changes?: Changes;
  maxLength?: number; // tokens, the end counted
}

export interface Translation {
  ids: number[]; // without the end
  logps: number[]; // of the tokens and the end
}

/** Take the most likely next token at each step. */
export function greedy(
  model: LiveModel,
  encoded: Encoded,
  { changes = {}, maxLength = maxTargetLength(model, encoded) }: GreedyOptions = {},
): Translation {
  const [ids, logps]: [number[], number[]] = [[], []];
  let state = model.start(encoded, { changes, record: null });
  let last = BOS;
  while (logps.length < maxLength) {
    const { logits, next } = model.step(last, state);
    const logp = logSoftmax(logits);
    last = highest(logp);
    logps.push(logp[last]);
    if (last === EOS) break;
    ids.push(last);
    state = next;
  }
  return { ids, logps };
}

// -- beam search ------------------------------------------------------------------------------------

export interface BeamOptions {
  size?: number; // by default the model's
  lengthPenalty?: number;
  changes?: Changes;
  maxLength?: number;
}

export interface BeamResult extends Translation {
  total: number; // Σ log p
  tree: Beam;
}

interface Hypothesis {
  last: number;
  state: DecoderState;
  total: number;
  node: number; // in the tree; −1: the start
}

interface Candidate {
  origin: Hypothesis;
  next: DecoderState;
  token: number;
  logp: number;
  total: number;
}

/** Search with `size` hypotheses, ranked by Σ log p / length^lengthPenalty.
 *
 *  At each step the 2 · size best extensions are candidates: if `size` of them end, `size` others can
 *  go on. A candidate that ends is finished if it is among the `size` best. The search stops when
 *  there are `size` finished hypotheses, or at the maximum length, where all end. */
export function beam(
  model: LiveModel,
  encoded: Encoded,
  {
    size = model.search.beam_size,
    lengthPenalty = model.search.length_penalty,
    changes = {},
    maxLength = maxTargetLength(model, encoded),
  }: BeamOptions = {},
): BeamResult {
  const tree = new Tree();
  let alive: Hypothesis[] = [
    { last: BOS, state: model.start(encoded, { changes, record: null }), total: 0, node: -1 },
  ];
  for (let length = 1; alive.length; length++) {
    const candidates = alive
      .flatMap((origin) => extensions(model, origin, 2 * size))
      .sort((a, b) => b.total - a.total)
      .slice(0, 2 * size);
    const ends = candidates.map(({ token }) => token === EOS || length >= maxLength);
    const survivors = candidates.filter((_, i) => !ends[i]).slice(0, size);
    const finished = ends.filter((end, i) => end && i < size).length;
    const stop = tree.finished + finished >= size || !survivors.length;
    const kept = stop ? [] : survivors;
    alive = [];
    for (const [i, candidate] of candidates.entries()) {
      const status =
        ends[i] && i < size ? "finished" : kept.includes(candidate) ? "kept" : "pruned";
      const node = tree.add(candidate, status, candidate.total / length ** lengthPenalty);
      const { token, next, total } = candidate;
      if (status === "kept") alive.push({ last: token, state: next, total, node });
    }
  }
  const path = tree.bestPath();
  const ids = path.map((node) => tree.tokens[node]);
  const { target, source } = model.tokenizers;
  const pieces = (target ?? source).pieces;
  return {
    ids: ids.at(-1) === EOS ? ids.slice(0, -1) : ids,
    logps: path.map((node) => tree.logps[node]),
    total: tree.totals[path[path.length - 1]],
    tree: {
      beam_size: size,
      length_penalty: lengthPenalty,
      best: path,
      parents: tree.parents,
      pieces: tree.tokens.map((token) => pieces[token][0]),
      logps: tree.logps,
      totals: tree.totals,
      status: tree.status,
    },
  };
}

/** The `count` most likely extensions of a hypothesis, best first. */
function extensions(model: LiveModel, origin: Hypothesis, count: number): Candidate[] {
  const { logits, next } = model.step(origin.last, origin.state);
  const logp = logSoftmax(logits);
  return largest(logp, count).map((token) => {
    return { origin, next, token, logp: logp[token], total: origin.total + logp[token] };
  });
}

/** Every candidate of a search: a node is one token after its parent. */
class Tree {
  readonly parents: number[] = [];
  readonly tokens: number[] = [];
  readonly logps: number[] = [];
  readonly totals: number[] = [];
  readonly status: NodeStatus[] = [];
  private readonly scores = new Map<number, number>(); // of finished nodes

  get finished(): number {
    return this.scores.size;
  }

  add({ origin, token, logp, total }: Candidate, status: NodeStatus, score: number): number {
    const node = this.parents.push(origin.node) - 1;
    this.tokens.push(token);
    this.logps.push(logp);
    this.totals.push(total);
    this.status.push(status);
    if (status === "finished") this.scores.set(node, score);
    return node;
  }

  /** The nodes of the best hypothesis, the first token first. */
  bestPath(): number[] {
    let leaf = -1;
    for (const [node, score] of this.scores)
      if (leaf < 0 || score > (this.scores.get(leaf) as number)) leaf = node;
    const path: number[] = [];
    for (let node = leaf; node >= 0; node = this.parents[node]) path.unshift(node);
    return path;
  }
}
