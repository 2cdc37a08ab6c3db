import assert from "node:assert/strict";
import { test } from "node:test";
import { axes, chart, shownPiece } from "../source/chart";
import { decode } from "../source/record";
import { packed } from "./packed";

const labels = (axis: { units: { label: string }[] }) => axis.units.map((unit) => unit.label);
const rounded = (weights: Float32Array) => Array.from(weights, (w) => Math.round(w * 1e6) / 1e6);

test("words are split by code points, and special tokens follow them", async () => {
  const record = await decode(packed());
  const [rows, columns] = axes(record, record.attentions[0], "words");
  assert.deepEqual(labels(rows), ["Ein", "Hund", "‹end›"]);
  assert.deepEqual(labels(columns), ["A", "🐕", "‹end›"]);
  assert.deepEqual(
    columns.units.map((unit) => unit.special),
    [false, false, true],
  );
});

test("pieces show their spaces", async () => {
  const record = await decode(packed());
  assert.deepEqual(labels(axes(record, record.attentions[0], "pieces")[0]), [
    "·Ein",
    "·Hu",
    "nd",
    "‹end›",
  ]);
});

test("the prefix is the start token and all but the last piece", async () => {
  const record = await decode(packed());
  const attention = { ...record.attentions[0], kind: "self" } as const;
  assert.deepEqual(labels(axes(record, attention, "pieces")[1]), ["‹start›", "·Ein", "·Hu", "nd"]);
  assert.deepEqual(labels(axes(record, attention, "words")[1]), ["‹start›", "Ein", "Hund"]);
});

test("a blank memory adds an empty slot to the prefix", async () => {
  const record = await decode(packed());
  const attention = { ...record.attentions[0], kind: "self", blank_memory: true } as const;
  const columns = axes(record, attention, "pieces")[1];
  assert.deepEqual(labels(columns), ["‹empty slot›", "‹start›", "·Ein", "·Hu"]);
  assert.deepEqual(
    columns.units.map((unit) => unit.positions),
    [[0], [1], [2], [3]],
  );
});

test("a word's row is the mean over its pieces", async () => {
  const record = await decode(packed());
  const { weights } = chart(record, record.attentions[0], 0, 0, "words");
  assert.deepEqual(rounded(weights), [1, 0, 0, 0.1, 0.9, 0, 0, 0, 1]);
});

test("with shift 1 a row is that of the next step, and the last row is empty", async () => {
  const record = await decode(packed());
  const { row } = chart(record, record.attentions[0], 0, 1, "words");
  assert.deepEqual(rounded(row(0)), [0.2, 0.8, 0]);
  assert.deepEqual(rounded(row(1)), [0, 0.5, 0.5]);
  assert.ok(row(2).every(Number.isNaN));
});

test("invisible labels show their code points", () => {
  assert.equal(shownPiece("\u2028"), "U+2028");
  assert.equal(shownPiece("▁"), "·");
  assert.equal(shownPiece("\u200d"), "U+200d");
});
