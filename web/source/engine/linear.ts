// Vectors, matrices and linear maps on Float32Array. A sequence of states is an array of vectors.

export type Vector = Float32Array;

/** Row-major: row r begins at number r · columns. */
export interface Matrix {
  rows: number;
  columns: number;
  numbers: Float32Array;
}

export interface Linear {
  weight: Matrix;
  bias: Vector | null;
}

/** W x + b */
export function linear({ weight, bias }: Linear, x: Vector): Vector {
  const { rows, columns, numbers } = weight;
  if (x.length !== columns)
    throw new Error(`A matrix of ${columns} columns cannot multiply ${x.length} numbers.`);
  const product = new Float32Array(rows);
  const whole = columns - (columns % 4);
  for (let r = 0, at = 0; r < rows; r++) {
    // Four sums, because an addition must wait for the one before it.
    let a = bias === null ? 0 : bias[r];
    let b = 0;
    let c = 0;
    let d = 0;
    let i = 0;
    for (; i < whole; i += 4, at += 4) {
      a += numbers[at] * x[i];
      b += numbers[at + 1] * x[i + 1];
      c += numbers[at + 2] * x[i + 2];
      d += numbers[at + 3] * x[i + 3];
    }
    for (; i < columns; i++, at++) a += numbers[at] * x[i];
    product[r] = a + b + (c + d);
  }
  return product;
}

/** [x; y; …] */
export function concatenate(...parts: Vector[]): Vector {
  const joined = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

export function add(x: Vector, y: Vector): Vector {
  return x.map((value, i) => value + y[i]);
}

export function scale(x: Vector, factor: number): Vector {
  return x.map((value) => factor * value);
}

export function tanh(x: Vector): Vector {
  return x.map(Math.tanh);
}

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** The mean of vectors. */
export function mean(vectors: Vector[]): Vector {
  const sum = new Float64Array(vectors[0].length);
  for (const vector of vectors) for (let i = 0; i < sum.length; i++) sum[i] += vector[i];
  return Float32Array.from(sum, (value) => value / vectors.length);
}

/** ‖x‖ of the numbers from `begin` to `end`. */
export function norm(x: Vector, begin: number, end: number): number {
  let sum = 0;
  for (let i = begin; i < end; i++) sum += x[i] * x[i];
  return Math.sqrt(sum);
}

/** log softmax(x) */
export function logSoftmax(x: Vector): Vector {
  let highest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < x.length; i++) if (x[i] > highest) highest = x[i];
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += Math.exp(x[i] - highest);
  const shift = highest + Math.log(sum);
  const logp = new Float32Array(x.length);
  for (let i = 0; i < x.length; i++) logp[i] = x[i] - shift;
  return logp;
}

/** The indices of the `count` largest numbers, the largest first. */
export function largest(numbers: Vector, count: number): number[] {
  const indices: number[] = [];
  for (let i = 0; i < numbers.length; i++) {
    if (indices.length === count && numbers[i] <= numbers[indices[count - 1]]) continue;
    if (indices.length === count) indices.pop();
    let at = indices.length;
    while (at > 0 && numbers[indices[at - 1]] < numbers[i]) at--;
    indices.splice(at, 0, i);
  }
  return indices;
}
