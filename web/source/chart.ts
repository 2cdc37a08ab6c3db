// Attention weights between the words or pieces of two texts.
import type { Attention, Explanation, ImageSource, Span, TokenizedText } from "./record";

export type Head = number | "mean" | "max";
export type Units = "words" | "pieces";

export interface Unit {
  label: string;
  positions: number[]; // its rows or columns in the attention
  special: boolean; // a start or end token, not part of the text
  span: Span | null; // its characters in the text
}

export interface Axis {
  name: "source" | "target" | "image" | "prefix";
  text: string[]; // characters
  units: Unit[];
}

export interface Chart {
  rows: Axis;
  columns: Axis;
  weights: Float32Array; // row-major; NaN if a row has no weights
  row(index: number): Float32Array;
}

const SPACE = "·"; // replaces ▁, whose width differs between fonts
const NOTHING = "∅";
const SPECIAL: Record<string, string> = {
  "<s>": "‹start›",
  "</s>": "‹end›",
  [NOTHING]: "‹empty slot›",
};

export function shownPiece(piece: string): string {
  return SPECIAL[piece] ?? visible(piece.replaceAll("▁", SPACE));
}

/** A piece without the mark of the space before it, or with `‑` if it continues a word. */
export function pieceInWord(piece: string): string {
  if (piece.startsWith("▁") && piece.length > 1) return shownPiece(piece.slice(1));
  return /^[\p{L}\p{N}]/u.test(piece) ? `‑${shownPiece(piece)}` : shownPiece(piece);
}

/** Replaces labels of invisible characters by code points. */
function visible(label: string): string {
  if (/[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(label)) return label;
  return (
    Array.from(
      label,
      (character) => `U+${character.codePointAt(0)?.toString(16).padStart(4, "0")}`,
    ).join(" ") || "‹empty›"
  );
}

export function textAxis(name: "source" | "target", tokenized: TokenizedText, units: Units): Axis {
  const { spans } = tokenized;
  const text = Array.from(tokenized.text);
  const inWords = new Set(tokenized.word_pieces.flat());
  const isSpecial = (p: number) => !inWords.has(p) && spans[p][0] === spans[p][1];
  const pieces = tokenized.pieces.map((piece, p) => ({
    label: shownPiece(piece),
    positions: [p],
    special: isSpecial(p),
    span: spans[p],
  }));
  if (units === "pieces") return { name, text, units: pieces };
  const words = tokenized.words.map((span, w) => ({
    label: visible(text.slice(...span).join("")),
    positions: tokenized.word_pieces[w],
    special: false,
    span,
  }));
  return { name, text, units: [...words, ...pieces.filter((_, p) => !inWords.has(p))] };
}

/** The decoder's input: the start token and all but the last target piece. A blank memory adds an
 * empty slot before them. */
function prefixAxis(target: TokenizedText, units: Units, blankMemory: boolean): Axis {
  const axis = textAxis("target", target, units);
  const start = blankMemory ? [NOTHING, "<s>"] : ["<s>"];
  const shifted = axis.units.flatMap((unit) => {
    const positions = unit.positions
      .map((p) => p + start.length)
      .filter((column) => column < target.pieces.length);
    return positions.length ? [{ ...unit, positions }] : [];
  });
  const special = start
    .slice(0, target.pieces.length)
    .map((piece, p) => ({ label: shownPiece(piece), positions: [p], special: true, span: null }));
  return { ...axis, name: "prefix", units: [...special, ...shifted] };
}

function imageAxis(image: ImageSource): Axis {
  const units = Array.from({ length: image.rows * image.columns }, (_, region) => ({
    label: `row ${Math.floor(region / image.columns) + 1}, column ${(region % image.columns) + 1}`,
    positions: [region],
    special: false,
    span: null,
  }));
  return { name: "image", text: [], units };
}

export function axes(
  record: Explanation,
  attention: Attention,
  units: Units,
): [rows: Axis, columns: Axis] {
  const { kind, blank_memory: blankMemory } = attention;
  const target = textAxis("target", record.target, units);
  if (kind === "self") return [target, prefixAxis(record.target, units, blankMemory)];
  if (record.source === null)
    throw new Error(`The record is damaged: it has ${kind} attention but no source.`);
  const source =
    record.source.kind === "image"
      ? imageAxis(record.source)
      : textAxis("source", record.source, units);
  return kind === "encoder" ? [source, source] : [target, source];
}

/** The weights of one head, or of the mean or maximum of all. `shift` 1 takes row t + 1 for piece t. */
export function chart(
  record: Explanation,
  attention: Attention,
  head: Head,
  shift: number,
  units: Units,
): Chart {
  const [rows, columns] = axes(record, attention, units);
  const width = 1 + Math.max(...columns.units.flatMap((unit) => unit.positions));
  const pieces = ofHead(record.numbers(attention.weights), attention.heads, head);
  const height = pieces.length / width;
  const weights = new Float32Array(rows.units.length * columns.units.length);
  rows.units.forEach((row, r) => {
    const steps = row.positions.map((t) => t + shift).filter((t) => t < height);
    columns.units.forEach((column, c) => {
      let sum = 0;
      for (const t of steps) for (const s of column.positions) sum += pieces[t * width + s];
      // The sum over a column's pieces and the mean over a row's keep rows that sum to 1.
      weights[r * columns.units.length + c] = sum / steps.length;
    });
  });
  const size = columns.units.length;
  return { rows, columns, weights, row: (r) => weights.subarray(r * size, (r + 1) * size) };
}

export function ofHead(weights: Float32Array, heads: number, head: Head): Float32Array {
  const size = weights.length / heads;
  if (typeof head === "number") return weights.subarray(head * size, (head + 1) * size);
  const combined = new Float32Array(size);
  for (let h = 0; h < heads; h++)
    for (let i = 0; i < size; i++) {
      const weight = weights[h * size + i];
      combined[i] = head === "mean" ? combined[i] + weight / heads : Math.max(combined[i], weight);
    }
  return combined;
}

/** The index of the unit that contains this position. */
export function unitAt(axis: Axis, position: number): number {
  return Math.max(
    0,
    axis.units.findIndex((unit) => unit.positions.includes(position)),
  );
}
