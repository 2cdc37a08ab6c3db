// The arithmetic of attention, and measures of its weights.

/** Σ_i weights_i · rows_i; `rows` is row-major with one row for each weight. */
export function weightedSum(weights: ArrayLike<number>, rows: Float32Array): number[] {
  const width = rows.length / weights.length;
  const total = new Array<number>(width).fill(0);
  for (let i = 0; i < weights.length; i++)
    for (let d = 0; d < width; d++) total[d] += weights[i] * rows[i * width + d];
  return total;
}

export function softmax(scores: ArrayLike<number>, temperature = 1): number[] {
  const all = Array.from(scores);
  const highest = Math.max(...all);
  const powers = all.map((score) => Math.exp((score - highest) / temperature));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

/** The projection of the scores onto the simplex (Martins & Astudillo 2016, algorithm 1). */
export function sparsemax(scores: ArrayLike<number>, temperature = 1): number[] {
  const all = Array.from(scores, (score) => score / temperature);
  const descending = [...all].sort((a, b) => b - a);
  let sum = 0;
  let threshold = 0;
  for (let rank = 1; rank <= descending.length; rank++) {
    sum += descending[rank - 1];
    if (1 + rank * descending[rank - 1] > sum) threshold = (sum - 1) / rank;
    else break;
  }
  return all.map((score) => Math.max(0, score - threshold));
}

/** All weight at the highest score. */
export function hard(scores: ArrayLike<number>): number[] {
  const best = highest(scores);
  return Array.from(scores, (_, s) => (s === best ? 1 : 0));
}

/** The same weight at every visible position. */
export function uniform(scores: ArrayLike<number>): number[] {
  const visible = Array.from(scores, (score) => (score > Number.NEGATIVE_INFINITY ? 1 : 0));
  const count = visible.reduce<number>((a, b) => a + b, 0);
  return visible.map((each) => each / count);
}

type Normalizer = (scores: ArrayLike<number>, temperature: number) => number[];

/** The normalizers that the viewer can recompute, by the names of their equations. */
export const NORMALIZERS = new Map<string, Normalizer>([
  ["softmax", softmax],
  ["sparsemax", sparsemax],
  ["hard", hard],
  ["uniform", uniform],
]);

/** The terms of a score: c · q_d k_d, or with an energy v_d · tanh(q_d + k_d). */
export function summands(
  query: ArrayLike<number>,
  key: ArrayLike<number>,
  scale: number,
  energy: ArrayLike<number> | null,
): number[] {
  return Array.from(query, (q, d) =>
    energy ? energy[d] * Math.tanh(q + key[d]) : scale * q * key[d],
  );
}

export function highest(values: ArrayLike<number>): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

/** Indices of the values, largest value first. */
export function descending(values: ArrayLike<number>): number[] {
  return Array.from(values, (_, i) => i).sort((a, b) => values[b] - values[a]);
}

/** Entropy of a distribution, in bits. */
export function entropy(weights: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++)
    if (weights[i] > 0) sum -= weights[i] * Math.log2(weights[i]);
  return sum;
}

/** Total variation distance: 0 for equal distributions, 1 for disjoint ones. */
export function variation(some: ArrayLike<number>, others: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < some.length; i++) sum += Math.abs(some[i] - others[i]);
  return sum / 2;
}

/** 2·|both| / (|some| + |others|). */
export function f1(some: Set<string>, others: Set<string>): number {
  const both = [...some].filter((link) => others.has(link)).length;
  return (2 * both) / Math.max(1, some.size + others.size);
}

/** The indices in `some` of a longest common subsequence with `others`. */
export function commonWords(some: string[], others: string[]): number[] {
  const lengths = Array.from({ length: some.length + 1 }, () =>
    new Array<number>(others.length + 1).fill(0),
  );
  for (let i = some.length - 1; i >= 0; i--)
    for (let j = others.length - 1; j >= 0; j--)
      lengths[i][j] =
        some[i] === others[j]
          ? lengths[i + 1][j + 1] + 1
          : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const common: number[] = [];
  for (let i = 0, j = 0; i < some.length && j < others.length; )
    if (some[i] === others[j]) {
      common.push(i++);
      j++;
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) i++;
    else j++;
  return common;
}
