// Word links from attention weights, as regard/align/extraction.py: weights between words are sums
// over the pieces of a source word and means over the pieces of a target word.
import type { AlignmentHead, Link } from "../record";

interface Side {
  words: unknown[];
  word_pieces: number[][];
}

/** Weights [H, T, S] of an attention to the source. */
export interface HeadWeights {
  heads: number;
  rows: number;
  columns: number;
  weights: Float32Array;
}

/** The weights of target words × source words; the last column is that of the source's end. */
export function wordWeights(
  { heads, rows, columns, weights }: HeadWeights,
  source: Side,
  target: Side,
  { head, shift }: Pick<AlignmentHead, "head" | "shift">,
): number[][] {
  const wordsOf = new Int32Array(columns); // how many words a piece belongs to
  for (const pieces of source.word_pieces) for (const piece of pieces) wordsOf[piece]++;
  const shown = head === null ? Array.from({ length: heads }, (_, h) => h) : [head];
  return target.word_pieces.map((pieces) => {
    const steps = pieces.map((piece) => piece + shift).filter((step) => step < rows);
    const weight = (column: number) => {
      let sum = 0;
      for (const h of shown)
        for (const step of steps) sum += weights[(h * rows + step) * columns + column];
      return sum / Math.max(1, steps.length * shown.length);
    };
    const sums = source.word_pieces.map((columns) =>
      columns.reduce((sum, column) => sum + weight(column) / Math.max(1, wordsOf[column]), 0),
    );
    return [...sums, weight(columns - 1)];
  });
}

/** Each target word with the source word of its highest weight, if that reaches the threshold. */
export function alignWords(weights: number[][], head: AlignmentHead): Link[] {
  const links = weights.flatMap((row, target): Link[] => {
    const end = row.length - 1;
    const candidates = head.null ? row : row.slice(0, -1);
    if (!candidates.length) return [];
    const source = candidates.indexOf(Math.max(...candidates));
    return source === end || row[source] < head.threshold ? [] : [[source, target]];
  });
  return links.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}
