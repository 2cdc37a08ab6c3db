import assert from "node:assert/strict";
import { test } from "node:test";
import { pieceInWord } from "../source/chart";
import { moment } from "../source/moment";
import { advanced, jumped, pace, playback, SENTENCE, toggled } from "../source/playback";
import { decode } from "../source/record";
import { initialSelection, type Selection } from "../source/state";
import { packed } from "./packed";

async function onStage(part: Partial<Selection> = {}) {
  const records = [await decode(packed())];
  const selection = { ...initialSelection(records, "stage"), row: 0, stage: 0, ...part };
  return { records, selection };
}

test("a step is a word, and its stages are query, weights, context and output", async () => {
  const { records, selection } = await onStage();
  assert.deepEqual(playback(records, selection), { steps: [0, 1, 3], stages: [0, 2, 4, 5] });
  const pieces = playback(records, { ...selection, units: "pieces" });
  assert.deepEqual(pieces.steps, [0, 1, 2, 3]);
  assert.equal(playback(records, { ...selection, view: "trace" }).stages.length, 6);
});

test("playback goes through all stages of all steps and stops", async () => {
  const { records, selection: first } = await onStage();
  let selection: Selection = { ...first, ...toggled(first, records) };
  const shown = [];
  for (let beat = 0; selection.playing && beat < 99; beat++) {
    shown.push(`${selection.row}:${selection.stage}`);
    selection = { ...selection, ...advanced(selection, records, 1) };
  }
  assert.equal(shown.join(" "), "0:0 0:2 0:4 0:5 1:0 1:2 1:4 1:5 3:0 3:2 3:4 3:5");
  assert.equal(toggled(selection, records).row, 0); // from the beginning
});

test("late timers skip stages, but not beyond the end", async () => {
  const { records, selection } = await onStage();
  assert.equal(advanced(selection, records, 5).row, 1);
  assert.deepEqual(advanced(selection, records, 500), {
    row: 3,
    column: -1,
    stage: 5,
    started: true,
  });
});

test("a jump shows the output of the next word", async () => {
  const { records, selection } = await onStage({ row: 2 }); // a piece of the second word
  const to = jumped(selection, records, 1);
  assert.deepEqual([to.row, to.stage], [3, 5]);
  assert.equal(jumped(selection, records, -1).row, 0);
});

test("a sentence of any length plays in less than twenty seconds", async () => {
  const { records, selection } = await onStage();
  const [{ target }] = records;
  const many = Array.from({ length: 200 }, (_, p) => p);
  const long = {
    ...records[0],
    target: {
      ...target,
      pieces: many.map(() => "▁a"),
      spans: many.map((p): [number, number] => [p, p + 1]),
      words: many.map((p): [number, number] => [p, p + 1]),
      word_pieces: many.map((p) => [p]),
    },
  };
  const { steps, stages } = playback([long], selection);
  assert.equal(steps.length, 200);
  const seconds = pace(selection, [long]) * steps.length * stages.length;
  assert.ok(Math.abs(seconds - SENTENCE) < 1e-9 && SENTENCE < 20);
});

test("a word has the product of the probabilities of its pieces", async () => {
  const { records, selection } = await onStage();
  const { candidates, weights, shares } = moment(records[0], selection, 1);
  const logp = records[0].steps[1].logp + records[0].steps[2].logp;
  const output = candidates.find((each) => each.output);
  assert.equal(output?.label, "Hund");
  assert.ok(Math.abs((output?.p ?? 0) - Math.exp(logp)) < 1e-12);
  assert.ok(Math.abs(Array.from(weights).reduce((a, b) => a + b) - 1) < 1e-6);
  assert.ok(Math.abs(shares.reduce((a, b) => a + b) - 1) < 1e-6);
});

test("pieces are shown without the mark of the space", () => {
  assert.deepEqual(["▁Hu", "nd", ".", "</s>", "▁"].map(pieceInWord), [
    "Hu",
    "‑nd",
    ".",
    "‹end›",
    "·",
  ]);
});
