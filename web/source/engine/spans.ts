// Spans: which keys a query may attend to (regard/attention/spans.py).

import type { SpanConfig } from "./format";
import { linear, sigmoid, tanh, type Vector } from "./linear";
import type { Weights } from "./weights";

export interface Span {
  /** Whether the query at t may attend to key s of n. */
  sees(t: number, s: number, n: number): boolean;
  /** The position that stands for t: by default the query's own. */
  centre(query: Vector, t: number, n: number): number;
  /** What multiplies the weights after normalization. */
  prior(t: number, s: number): number;
  /** Whether the last state must be the whole source. */
  readsSummary: boolean;
}

const BASE = {
  centre: (_query: Vector, t: number) => t,
  prior: () => 1,
  readsSummary: false,
};

export function readSpan(config: SpanConfig, weights: Weights): Span {
  switch (config.kind) {
    case "everywhere":
      return { ...BASE, sees: () => true };
    case "causal": {
      const window = config.window ?? Number.POSITIVE_INFINITY;
      const sees = (t: number, s: number, n: number) => {
        const last = Math.min(t, n - 1);
        return s <= last && s > last - window;
      };
      return { ...BASE, sees };
    }
    case "last":
      return { ...BASE, sees: (_t, s, n) => s === n - 1, readsSummary: true };
    case "local-monotone": {
      const { reach } = config;
      return { ...BASE, sees: (t, s, n) => Math.abs(s - Math.min(t, n - 1)) <= reach };
    }
    case "local-predictive":
      return localPredictive(config.reach, weights.at("predict"));
  }
}

/** A window around p = (n − 1) σ(v · tanh(W q)), and exp(−2 (s − p)² / reach²) */
function localPredictive(reach: number, weights: Weights): Span {
  const [hidden, output] = [weights.at("0").linear(), weights.at("2").linear()];
  return {
    sees: (p, s) => Math.abs(s - p) <= reach,
    centre: (query, _t, n) => (n - 1) * sigmoid(linear(output, tanh(linear(hidden, query)))[0]),
    prior: (p, s) => Math.exp(-2 * ((s - p) / reach) ** 2),
    readsSummary: false,
  };
}
