// The same target under a changed model or source, as regard/explain/interventions.py: with uniform
// attention, with one word masked in all attention to the source, with one word removed from it.
import type { Interventions, TokenizedText } from "../record";
import type { Changes } from "./changes";
import { logSoftmax } from "./linear";
import type { LiveModel } from "./model";
import { BOS, EOS } from "./search";

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
  const rows: { kind: Kind; word: number | null; forced: Forced }[] = [];
  const add = (kind: Kind, word: number | null, ids: number[], changes: Changes = {}) =>
    rows.push({ kind, word, forced: force(model, ids, target, changes) });
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
    tokens: rows.map(({ forced }) => forced.tokens),
    logps: Float32Array.from(rows.flatMap(({ forced }) => forced.logps)),
    tokenLogps: Float32Array.from(rows.flatMap(({ forced }) => forced.tokenLogps)),
  };
}

interface Forced {
  logps: number[];
  tokens: number[];
  tokenLogps: number[];
}

/** The log-probabilities of a target and of the most likely tokens in its place. */
function force(model: LiveModel, source: number[], target: number[], changes: Changes): Forced {
  const forced: Forced = { logps: [], tokens: [], tokenLogps: [] };
  const encoded = model.encode([...source, EOS]);
  let state = model.start(encoded, { changes, record: null });
  for (const [step, id] of [BOS, ...target].entries()) {
    const { logits, next } = model.step(id, state);
    const logp = logSoftmax(logits);
    const best = logp.reduce((index, value, i) => (value > logp[index] ? i : index), 0);
    forced.logps.push(logp[target[step] ?? EOS]);
    forced.tokens.push(best);
    forced.tokenLogps.push(logp[best]);
    state = next;
  }
  return forced;
}
