// The same target under a changed model or source, as regard/explain/interventions.py: with uniform
// attention, with one word masked in all attention to the source, with one word removed from it.
import { highest } from "../math";
import type { Interventions, TokenizedText } from "../record";
import type { Changes } from "./changes";
import type { LiveModel } from "./model";
import { EOS } from "./search";
import { force } from "./trace";

type Kind = Interventions["kinds"][number];

/** The interventions of a record, and their arrays [N, T]. */
export interface InterventionNumbers {
  kinds: Kind[];
  words: (number | null)[];
  tokens: number[][]; // the most likely one at each step
  logps: Float32Array; // of the target's tokens
  tokenLogps: Float32Array;
}

/** `source` and `target` are ids without the end. */
export function interventions(
  model: LiveModel,
  source: number[],
  wordPieces: TokenizedText["word_pieces"],
  target: number[],
): InterventionNumbers {
  const names = model.attentions.filter(({ kind }) => kind === "cross").map(({ name }) => name);
  const rows: { kind: Kind; word: number | null; effect: Effect }[] = [];
  const add = (kind: Kind, word: number | null, ids: number[], changes: Changes = {}) =>
    rows.push({ kind, word, effect: effect(model, ids, target, changes) });
  if (names.length) {
    add("uniform", null, source, { uniform: names });
    for (const [word, hidden] of wordPieces.entries()) add("masked", word, source, { hidden });
  }
  for (const [word, pieces] of wordPieces.entries())
    add(
      "removed",
      word,
      source.filter((_, position) => !pieces.includes(position)),
    );
  return {
    kinds: rows.map(({ kind }) => kind),
    words: rows.map(({ word }) => word),
    tokens: rows.map(({ effect }) => effect.tokens),
    logps: Float32Array.from(rows.flatMap(({ effect }) => effect.logps)),
    tokenLogps: Float32Array.from(rows.flatMap(({ effect }) => effect.tokenLogps)),
  };
}

interface Effect {
  logps: number[]; // of the target's tokens
  tokens: number[]; // the most likely ones in their place
  tokenLogps: number[];
}

function effect(model: LiveModel, source: number[], target: number[], changes: Changes): Effect {
  const { logps } = force(model, [...source, EOS], target, { changes, record: null });
  const tokens = logps.map((logp) => highest(logp));
  return {
    logps: logps.map((logp, step) => logp[target[step] ?? EOS]),
    tokens,
    tokenLogps: logps.map((logp, step) => logp[tokens[step]]),
  };
}
