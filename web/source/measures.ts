// Measures of a head.
import { type Head, ofHead } from "./chart";
import { entropy, f1, highest } from "./math";
import type { Attention, Explanation, Link } from "./record";
import { cachedChart } from "./state";

export interface Measure {
  id: string;
  title: string;
  explain: string;
  ascending: boolean; // sort order
  /** Undefined if the measure does not apply to this kind of attention. */
  of(record: Explanation, attention: Attention, head: Head, shift: number): number | undefined;
}

const sharpness: Measure = {
  id: "entropy",
  title: "entropy",
  explain: "in bits; 0 if every word attends to one position only",
  ascending: true,
  of: (record, attention, head) => meanOverRows(record, attention, head, (row) => entropy(row)),
};

const diagonality: Measure = {
  id: "diagonality",
  title: "diagonality",
  explain: "1 if every word attends to the same relative position in the other text",
  ascending: false,
  of: (record, attention, head) =>
    meanOverRows(record, attention, head, (row, along) => {
      let distance = 0;
      for (let c = 0; c < row.length; c++)
        distance += row[c] * Math.abs(c / Math.max(1, row.length - 1) - along);
      return 1 - distance;
    }),
};

const agreement: Measure = {
  id: "agreement",
  title: "agreement with the alignment head",
  explain: "F1 of its links with those of the alignment head; 1 if they are the same",
  ascending: false,
  of: (record, attention, head, shift) => linkF1(record, attention, head, shift, record.links),
};

const error: Measure = {
  id: "error",
  title: "alignment error (AER)",
  explain: "against the gold links; 0 if they are the same",
  ascending: true,
  of: (record, attention, head, shift) => {
    const f1Score = linkF1(record, attention, head, shift, record.gold ?? []);
    return f1Score === undefined ? undefined : 1 - f1Score; // all gold links are sure, so AER = 1 − F1
  },
};

export function measures(record: Explanation): Measure[] {
  return [
    sharpness,
    diagonality,
    ...(record.links.length ? [agreement] : []),
    ...(record.gold ? [error] : []),
  ];
}

function meanOverRows(
  record: Explanation,
  attention: Attention,
  head: Head,
  of: (row: Float32Array, along: number) => number,
): number {
  const weights = ofHead(record.numbers(attention.weights), attention.heads, head);
  const width = columnsOf(record, attention);
  const rows = weights.length / width;
  let sum = 0;
  for (let r = 0; r < rows; r++)
    sum += of(weights.subarray(r * width, (r + 1) * width), r / Math.max(1, rows - 1));
  return sum / rows;
}

/** The number of positions attended to. */
export function columnsOf(record: Explanation, attention: Attention): number {
  return record.numbers(attention.norms).length / attention.heads;
}

/** F1 of the links from each target word to the source word with the highest weight. */
function linkF1(
  record: Explanation,
  attention: Attention,
  head: Head,
  shift: number,
  links: Link[],
) {
  if (attention.kind !== "cross" || record.source?.kind !== "text") return undefined;
  const chart = cachedChart(record, attention, head, shift, "words");
  const found = new Set<string>();
  chart.rows.units.forEach((unit, r) => {
    const best = highest(chart.row(r));
    if (!unit.special && chart.columns.units[best] && !chart.columns.units[best].special)
      found.add(`${best}-${r}`);
  });
  return f1(found, new Set(links.map(([i, j]) => `${i}-${j}`)));
}
