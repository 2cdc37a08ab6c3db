// The arithmetic of attention, done again in the browser, and measures of a look.

/** Σ_i weights_i · rows_i, where `rows` has as many rows as there are weights. */
export function blend(weights: ArrayLike<number>, rows: Float32Array): number[] {
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

/** The point of the simplex nearest to the scores (Martins & Astudillo 2016, algorithm 1). */
export function sparsemax(scores: ArrayLike<number>, temperature = 1): number[] {
  const all = Array.from(scores, (score) => score / temperature);
  const falling = [...all].sort((a, b) => b - a);
  let sum = 0;
  let threshold = 0;
  for (let rank = 1; rank <= falling.length; rank++) {
    sum += falling[rank - 1];
    if (1 + rank * falling[rank - 1] > sum) threshold = (sum - 1) / rank;
    else break;
  }
  return all.map((score) => Math.max(0, score - threshold));
}

/** All of the look at the highest score. */
export function hard(scores: ArrayLike<number>): number[] {
  const best = highest(scores);
  return Array.from(scores, (_, s) => (s === best ? 1 : 0));
}

export function weigh(weighing: string, scores: ArrayLike<number>, temperature: number): number[] {
  if (weighing === "hard") return hard(scores);
  return (weighing === "sparsemax" ? sparsemax : softmax)(scores, temperature);
}

/** What a score sums, unit by unit: c · q_d k_d, or with an energy v_d · tanh(q_d + k_d). */
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

/** Indices of the values, the largest first. */
export function falling(values: ArrayLike<number>): number[] {
  return Array.from(values, (_, i) => i).sort((a, b) => values[b] - values[a]);
}

/** In bits, of one distribution. */
export function entropy(weights: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++)
    if (weights[i] > 0) sum -= weights[i] * Math.log2(weights[i]);
  return sum;
}

/** Half the sum of differences: 0 for the same distribution, 1 for two that share nothing. */
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
