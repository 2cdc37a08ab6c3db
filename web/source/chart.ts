// From a look to a chart: weights between the words, or the pieces, of two texts.
import type { Explanation, ImageRead, Look, Span, TextRead } from "./record";

export type Head = number | "mean" | "max";
export type Units = "words" | "pieces";

export interface Unit {
  label: string;
  positions: number[]; // rows or columns of the look that belong to it
  mark: boolean; // the start or the end mark: no part of the text
  span: Span | null; // its characters in the text
}

export interface Axis {
  name: "source" | "target" | "picture" | "past";
  text: string[]; // characters
  units: Unit[];
}

export interface Chart {
  rows: Axis;
  columns: Axis;
  weights: Float32Array; // row after row; NaN where a row has no look
  row(index: number): Float32Array;
}

const SPACE = "·"; // stands for ▁, which fonts draw in many widths
const NOTHING = "∅";
const MARKS: Record<string, string> = {
  "<s>": "‹start›",
  "</s>": "‹end›",
  [NOTHING]: "‹nothing›",
};

export function shownPiece(piece: string): string {
  return MARKS[piece] ?? seen(piece.replaceAll("▁", SPACE));
}

/** A label that can be seen, whatever it is made of. */
function seen(label: string): string {
  if (/[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(label)) return label;
  return (
    Array.from(
      label,
      (character) => `U+${character.codePointAt(0)?.toString(16).padStart(4, "0")}`,
    ).join(" ") || "‹empty›"
  );
}

export function textAxis(name: "source" | "target", read: TextRead, units: Units): Axis {
  const text = Array.from(read.text);
  const owned = new Set(read.word_pieces.flat());
  const isMark = (p: number) => !owned.has(p) && read.spans[p][0] === read.spans[p][1];
  const pieces = read.pieces.map((piece, p) => ({
    label: shownPiece(piece),
    positions: [p],
    mark: isMark(p),
    span: read.spans[p],
  }));
  if (units === "pieces") return { name, text, units: pieces };
  const words = read.words.map((span, w) => ({
    label: seen(text.slice(...span).join("")),
    positions: read.word_pieces[w],
    mark: false,
    span,
  }));
  return { name, text, units: [...words, ...pieces.filter((_, p) => !owned.has(p))] };
}

/** What a decoder had been given: the start mark, then what it said, as far as columns go. A past
 * that begins with nothing has a column for that, before all others. */
function pastAxis(read: TextRead, units: Units, blank: boolean): Axis {
  const said = textAxis("target", read, units);
  const marks = blank ? [NOTHING, "<s>"] : ["<s>"];
  const given = said.units.flatMap((unit) => {
    const positions = unit.positions
      .map((p) => p + marks.length)
      .filter((column) => column < read.pieces.length);
    return positions.length ? [{ ...unit, positions }] : [];
  });
  const begun = marks
    .slice(0, read.pieces.length)
    .map((mark, p) => ({ label: shownPiece(mark), positions: [p], mark: true, span: null }));
  return { ...said, name: "past", units: [...begun, ...given] };
}

function pictureAxis(image: ImageRead): Axis {
  const units = Array.from({ length: image.rows * image.columns }, (_, place) => ({
    label: `row ${Math.floor(place / image.columns) + 1}, column ${(place % image.columns) + 1}`,
    positions: [place],
    mark: false,
    span: null,
  }));
  return { name: "picture", text: [], units };
}

export function axes(record: Explanation, look: Look, units: Units): [rows: Axis, columns: Axis] {
  const { kind, blank } = look;
  const said = textAxis("target", record.target, units);
  if (kind === "past") return [said, pastAxis(record.target, units, blank)];
  const source = record.source;
  if (source === null) throw new Error(`A record without a source has a look of kind “${kind}”.`);
  const read = source.kind === "image" ? pictureAxis(source) : textAxis("source", source, units);
  return kind === "reading" ? [read, read] : [said, read];
}

/** Of one head, or the mean or the highest of all; `shift` 1 reads each row a step later. */
export function chart(
  record: Explanation,
  look: Look,
  head: Head,
  shift: number,
  units: Units,
): Chart {
  const [rows, columns] = axes(record, look, units);
  const width = 1 + Math.max(...columns.units.flatMap((unit) => unit.positions));
  const fine = ofHead(record.numbers(look.weights), look.heads, head);
  const height = fine.length / width;
  const weights = new Float32Array(rows.units.length * columns.units.length);
  rows.units.forEach((row, r) => {
    const read = row.positions.map((t) => t + shift).filter((t) => t < height);
    columns.units.forEach((column, c) => {
      let sum = 0;
      for (const t of read) for (const s of column.positions) sum += fine[t * width + s];
      // the sum over what is looked at, the mean over what looks: a row stays a distribution
      weights[r * columns.units.length + c] = sum / read.length;
    });
  });
  const size = columns.units.length;
  return { rows, columns, weights, row: (r) => weights.subarray(r * size, (r + 1) * size) };
}

export function ofHead(weights: Float32Array, heads: number, head: Head): Float32Array {
  const size = weights.length / heads;
  if (typeof head === "number") return weights.subarray(head * size, (head + 1) * size);
  const all = new Float32Array(size);
  for (let h = 0; h < heads; h++)
    for (let i = 0; i < size; i++) {
      const weight = weights[h * size + i];
      all[i] = head === "mean" ? all[i] + weight / heads : Math.max(all[i], weight);
    }
  return all;
}

/** The unit that has this position. */
export function unitAt(axis: Axis, position: number): number {
  return Math.max(
    0,
    axis.units.findIndex((unit) => unit.positions.includes(position)),
  );
}
