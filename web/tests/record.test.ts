import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, fromHalf } from "../source/record";
import { NORMS, packed, WEIGHTS } from "./packed";

test("numbers come out as they went in", async () => {
  const record = await decode(packed());
  const expected = Float32Array.from(WEIGHTS.flat(), (weight) => weight / 65535);
  assert.deepEqual(record.numbers(0), expected);
  assert.deepEqual(Array.from(record.numbers(1)), NORMS);
});

test("halves are read by the standard, infinities and small ones too", () => {
  assert.equal(fromHalf(0x3555), 0.333251953125);
  assert.equal(fromHalf(0xfc00), Number.NEGATIVE_INFINITY);
  assert.equal(fromHalf(0x0001), 2 ** -24);
  assert.equal(fromHalf(0x7bff), 65504);
  assert.ok(Number.isNaN(fromHalf(0x7e00)));
});

test("another format is refused, and named", async () => {
  await assert.rejects(decode(packed({ format: "regard.explain/2" })), /regard\.explain\/2/);
});

test("missing bytes are noticed", async () => {
  const arrays = [{ type: "f32" as const, shape: [100] }];
  await assert.rejects(decode(packed({ arrays })), /damaged: 30 bytes of numbers, 400 expected/);
});
