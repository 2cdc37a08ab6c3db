// What can be said of a head in one number.
import { type Head, ofHead } from "./chart";
import { entropy, f1, highest } from "./math";
import type { Explanation, Link, Look } from "./record";
import { remembered } from "./scene";

export interface Measure {
  id: string;
  title: string;
  explain: string;
  rising: boolean; // whether the smallest comes first
  /** Undefined where it means nothing for this kind of look. */
  of(record: Explanation, look: Look, head: Head, shift: number): number | undefined;
}

const spread: Measure = {
  id: "entropy",
  title: "entropy",
  explain: "in bits: 0 where every word looks at one place only",
  rising: true,
  of: (record, look, head) => meanOverRows(record, look, head, (row) => entropy(row)),
};

const diagonality: Measure = {
  id: "diagonality",
  title: "diagonality",
  explain: "1 where every word looks at its own place in the other text",
  rising: false,
  of: (record, look, head) =>
    meanOverRows(record, look, head, (row, along) => {
      let apart = 0;
      for (let c = 0; c < row.length; c++)
        apart += row[c] * Math.abs(c / Math.max(1, row.length - 1) - along);
      return 1 - apart;
    }),
};

const agreement: Measure = {
  id: "agreement",
  title: "agreement with the best look",
  explain: "F1 of its links with those of the best look: 1 where all are the same",
  rising: false,
  of: (record, look, head, shift) => agreeing(record, look, head, shift, record.links),
};

const error: Measure = {
  id: "error",
  title: "alignment error (AER)",
  explain: "against links made by hand: 0 where all are the same",
  rising: true,
  of: (record, look, head, shift) => {
    const same = agreeing(record, look, head, shift, record.gold ?? []);
    return same === undefined ? undefined : 1 - same; // all gold links are sure ones: AER = 1 − F1
  },
};

export function measures(record: Explanation): Measure[] {
  return [
    spread,
    diagonality,
    ...(record.links.length ? [agreement] : []),
    ...(record.gold ? [error] : []),
  ];
}

function meanOverRows(
  record: Explanation,
  look: Look,
  head: Head,
  of: (row: Float32Array, along: number) => number,
): number {
  const weights = ofHead(record.numbers(look.weights), look.heads, head);
  const width = columnsOf(record, look);
  const rows = weights.length / width;
  let sum = 0;
  for (let r = 0; r < rows; r++)
    sum += of(weights.subarray(r * width, (r + 1) * width), r / Math.max(1, rows - 1));
  return sum / rows;
}

/** How many positions a look can look at. */
export function columnsOf(record: Explanation, look: Look): number {
  return record.numbers(look.norms).length / look.heads;
}

/** F1 of the words that each target word looked at most. */
function agreeing(record: Explanation, look: Look, head: Head, shift: number, links: Link[]) {
  if (look.kind !== "source" || record.source?.kind !== "text") return undefined;
  const chart = remembered(record, look, head, shift, "words");
  const found = new Set<string>();
  chart.rows.units.forEach((unit, r) => {
    const best = highest(chart.row(r));
    if (!unit.mark && chart.columns.units[best] && !chart.columns.units[best].mark)
      found.add(`${best}-${r}`);
  });
  return f1(found, new Set(links.map(([i, j]) => `${i}-${j}`)));
}
