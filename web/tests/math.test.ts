import assert from "node:assert/strict";
import { test } from "node:test";
import * as math from "../source/math";

function near(some: number[], others: number[]): void {
  assert.equal(some.length, others.length);
  for (const [i, value] of some.entries()) assert.ok(Math.abs(value - others[i]) < 1e-12);
}

test("softmax gives masked positions no weight", () => {
  near(math.softmax([Math.log(1), Math.log(3), Number.NEGATIVE_INFINITY]), [0.25, 0.75, 0]);
  near(math.softmax([1000, 1000]), [0.5, 0.5]);
});

test("a high temperature flattens weights, a low one sharpens them", () => {
  near(math.softmax([0, Math.log(9)], 2), [0.25, 0.75]);
  assert.ok(math.softmax([0, 1], 0.1)[1] > math.softmax([0, 1])[1]);
});

test("sparsemax projects onto the simplex", () => {
  near(math.sparsemax([0.5, 0.1, -2]), [0.7, 0.3, 0]);
  near(math.sparsemax([5, 1, Number.NEGATIVE_INFINITY]), [1, 0, 0]);
});

test("hard attention selects the highest score", () => {
  assert.deepEqual(math.hard([0.1, 3, 2]), [0, 1, 0]);
});

test("normalizers are selected by name", () => {
  const scores = [0.5, 0.1, Number.NEGATIVE_INFINITY];
  near(math.NORMALIZERS.get("uniform")?.(scores, 1) ?? [], [0.5, 0.5, 0]);
  near(math.NORMALIZERS.get("hard")?.(scores, 1) ?? [], [1, 0, 0]);
  near(math.NORMALIZERS.get("sparsemax")?.(scores, 1) ?? [], [0.7, 0.3, 0]);
  near(math.NORMALIZERS.get("softmax")?.(scores, 2) ?? [], math.softmax(scores, 2));
});

test("a context is the weighted sum of the values", () => {
  near(math.weightedSum([0.25, 0.75], Float32Array.of(4, 0, 0, 8)), [1, 6]);
});

test("a normalizer of another package is not recomputed", () => {
  assert.equal(math.NORMALIZERS.get("entmax15"), undefined);
});

test("summands of inner-product and additive scores", () => {
  near(math.summands([1, 2], [3, -1], 0.5, null), [1.5, -1]);
  near(math.summands([1, 2], [3, -2], 1, [2, 5]), [2 * Math.tanh(4), 0]);
});

test("entropy is in bits", () => {
  assert.equal(math.entropy([0.5, 0.25, 0.25, 0]), 1.5);
});

test("variation is 0 for equal and 1 for disjoint distributions", () => {
  assert.equal(math.variation([0.5, 0.5], [0.5, 0.5]), 0);
  assert.equal(math.variation([1, 0], [0, 1]), 1);
});

test("F1 of two sets of links", () => {
  assert.equal(math.f1(new Set(["0-0", "1-1"]), new Set(["0-0"])), 2 / 3);
  assert.equal(math.f1(new Set(), new Set()), 0);
});

test("common words are a longest common subsequence", () => {
  const some = "la voiture rouge est ici".split(" ");
  assert.deepEqual(math.commonWords(some, "la rouge voiture est là".split(" ")), [0, 2, 3]);
  assert.deepEqual(math.commonWords(some, []), []);
});
