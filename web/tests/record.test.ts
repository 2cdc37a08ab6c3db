import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, fromHalf } from "../source/record";
import { NORMS, packed, WEIGHTS } from "./packed";

test("arrays are unpacked", async () => {
  const record = await decode(packed());
  const expected = Float32Array.from(WEIGHTS.flat(), (weight) => weight / 65535);
  assert.deepEqual(record.numbers(0), expected);
  assert.deepEqual(Array.from(record.numbers(1)), NORMS);
});

test("half-precision numbers, infinities and subnormals", () => {
  assert.equal(fromHalf(0x3555), 0.333251953125);
  assert.equal(fromHalf(0xfc00), Number.NEGATIVE_INFINITY);
  assert.equal(fromHalf(0x0001), 2 ** -24);
  assert.equal(fromHalf(0x7bff), 65504);
  assert.ok(Number.isNaN(fromHalf(0x7e00)));
});

test("another format is rejected by name", async () => {
  await assert.rejects(decode(packed({ format: "regard.explain/1" })), /regard\.explain\/1/);
});

test("missing bytes are detected", async () => {
  const arrays = [{ type: "f32" as const, shape: [100] }];
  await assert.rejects(decode(packed({ arrays })), /damaged.* 30 bytes.* 400/);
});
