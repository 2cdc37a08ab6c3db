// Scores: how similar a key is to a query (regard/attention/scores.py).

import type { ScoreConfig } from "./format";
import { type Linear, linear, norm, tanh, type Vector } from "./linear";
import type { Weights } from "./weights";

/** The terms of a score: scale · Σ_d q_d k_d, or with `energy` Σ_d v_d tanh(q_d + k_d). */
export interface ScoreTerms {
  queries: Vector;
  keys: Vector[];
  scale: number;
  energy: Vector | null;
}

/** score(P q, P' k). Projected queries and keys have the numbers of all heads in a row. */
export interface Score {
  heads: number;
  query(q: Vector): Vector;
  key(state: Vector): Vector;
  /** Compare a projected query with a projected key. */
  compare(query: Vector, key: Vector, head: number): number;
  /** What `compare` sums, for one head. */
  terms(query: Vector, keys: Vector[], head: number): ScoreTerms;
}

type Projection = (x: Vector) => Vector;
const identity: Projection = (x) => x;
const projection =
  (map: Linear): Projection =>
  (x) =>
    linear(map, x);

export function readScore(config: ScoreConfig, weights: Weights): Score {
  switch (config.kind) {
    case "dot":
      return innerProduct(identity, identity, 1, (d) => (config.scaled ? d ** -0.5 : 1));
    case "bilinear":
      return innerProduct(identity, projection(weights.at("to_keys").linear()), 1, () => 1);
    case "perceptron": {
      const toKeys = weights.at("to_keys.0").linear();
      return innerProduct(
        identity,
        (state) => tanh(linear(toKeys, state)),
        1,
        () => 1,
      );
    }
  }
  const toQuery = projection(weights.at("to_query").linear());
  const toKeys = projection(weights.at("to_keys").linear());
  switch (config.kind) {
    case "scaled-dot":
      return innerProduct(toQuery, toKeys, config.heads, (d) => d ** -0.5);
    case "cosine":
      return cosine(toQuery, toKeys, config.heads, weights.vector("log_strength"));
    case "additive":
      return additive(toQuery, toKeys, config.heads, weights.vector("energy"));
  }
}

/** score(q, k) = c ⟨P q, P' k⟩, where c depends on the size d of a head */
function innerProduct(
  query: Projection,
  key: Projection,
  heads: number,
  scaleOf: (d: number) => number,
): Score {
  return {
    heads,
    query,
    key,
    compare(query, key, head) {
      const d = query.length / heads;
      return scaleOf(d) * dot(query, key, head * d, (head + 1) * d);
    },
    terms(query, keys, head) {
      const { queries, ...terms } = slices(query, keys, head, heads);
      return { queries, ...terms, scale: scaleOf(queries.length), energy: null };
    },
  };
}

/** score(q, k) = β cos(P q, P' k), with one strength β = e^b for each head */
function cosine(query: Projection, key: Projection, heads: number, logStrength: Vector): Score {
  const unit = (x: Vector) => {
    const d = x.length / heads;
    const lengths = Array.from({ length: heads }, (_, h) => norm(x, h * d, (h + 1) * d));
    return x.map((value, i) => value / Math.max(1e-12, lengths[Math.floor(i / d)]));
  };
  const strength = logStrength.map(Math.exp);
  return {
    heads,
    query: (q) => unit(query(q)),
    key: (state) => unit(key(state)),
    compare(query, key, head) {
      const d = query.length / heads;
      return strength[head] * dot(query, key, head * d, (head + 1) * d);
    },
    terms(query, keys, head) {
      const terms = slices(query, keys, head, heads);
      const queries = terms.queries.map((value) => strength[head] * value);
      return { queries, keys: terms.keys, scale: 1, energy: null };
    },
  };
}

/** score(q, k) = v · tanh(P q + P' k) */
function additive(query: Projection, key: Projection, heads: number, energy: Vector): Score {
  return {
    heads,
    query,
    key,
    compare(query, key, head) {
      const d = query.length / heads;
      let sum = 0;
      for (let i = head * d; i < (head + 1) * d; i++)
        sum += energy[i] * Math.tanh(query[i] + key[i]);
      return sum;
    },
    terms(query, keys, head) {
      const d = query.length / heads;
      const v = energy.slice(head * d, (head + 1) * d);
      return { ...slices(query, keys, head, heads), scale: 1, energy: v };
    },
  };
}

function dot(x: Vector, y: Vector, begin: number, end: number): number {
  let sum = 0;
  for (let i = begin; i < end; i++) sum += x[i] * y[i];
  return sum;
}

/** The numbers of one head. */
function slices(query: Vector, keys: Vector[], head: number, heads: number) {
  const slice = (x: Vector) => x.slice((head * x.length) / heads, ((head + 1) * x.length) / heads);
  return { queries: slice(query), keys: keys.map(slice) };
}
