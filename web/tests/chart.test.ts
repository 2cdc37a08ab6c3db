import assert from "node:assert/strict";
import { test } from "node:test";
import { axes, chart, shownPiece } from "../source/chart";
import { decode } from "../source/record";
import { packed } from "./packed";

const labels = (axis: { units: { label: string }[] }) => axis.units.map((unit) => unit.label);
const rounded = (weights: Float32Array) => Array.from(weights, (w) => Math.round(w * 1e6) / 1e6);

test("words are cut by characters, not by units of UTF-16, and marks come after them", async () => {
  const record = await decode(packed());
  const [rows, columns] = axes(record, record.looks[0], "words");
  assert.deepEqual(labels(rows), ["Ein", "Hund", "‹end›"]);
  assert.deepEqual(labels(columns), ["A", "🐕", "‹end›"]);
  assert.deepEqual(
    columns.units.map((unit) => unit.mark),
    [false, false, true],
  );
});

test("pieces show their spaces", async () => {
  const record = await decode(packed());
  assert.deepEqual(labels(axes(record, record.looks[0], "pieces")[0]), [
    "·Ein",
    "·Hu",
    "nd",
    "‹end›",
  ]);
});

test("the past is the start mark and all but the last piece", async () => {
  const record = await decode(packed());
  const look = { ...record.looks[0], kind: "past" } as const;
  assert.deepEqual(labels(axes(record, look, "pieces")[1]), ["‹start›", "·Ein", "·Hu", "nd"]);
  assert.deepEqual(labels(axes(record, look, "words")[1]), ["‹start›", "Ein", "Hund"]);
});

test("a past that begins with nothing says so first, and ends a piece earlier", async () => {
  const record = await decode(packed());
  const look = { ...record.looks[0], kind: "past", blank: true } as const;
  const columns = axes(record, look, "pieces")[1];
  assert.deepEqual(labels(columns), ["‹nothing›", "‹start›", "·Ein", "·Hu"]);
  assert.deepEqual(
    columns.units.map((unit) => unit.positions),
    [[0], [1], [2], [3]],
  );
});

test("a word's row is the mean over its pieces", async () => {
  const record = await decode(packed());
  const { weights } = chart(record, record.looks[0], 0, 0, "words");
  assert.deepEqual(rounded(weights), [1, 0, 0, 0.1, 0.9, 0, 0, 0, 1]);
});

test("shifted, a row is read a step later, and the last has none", async () => {
  const record = await decode(packed());
  const { row } = chart(record, record.looks[0], 0, 1, "words");
  assert.deepEqual(rounded(row(0)), [0.2, 0.8, 0]);
  assert.deepEqual(rounded(row(1)), [0, 0.5, 0.5]);
  assert.ok(row(2).every(Number.isNaN));
});

test("a label can always be seen", () => {
  assert.equal(shownPiece("\u2028"), "U+2028");
  assert.equal(shownPiece("▁"), "·");
  assert.equal(shownPiece("\u200d"), "U+200d");
});
