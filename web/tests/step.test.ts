import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, type Header, type HeadTrace } from "../source/record";
import { initialSelection, type ViewState } from "../source/state";
import { headStep } from "../source/step";
import { packed } from "./packed";

const TABLES = [
  [1, 2, 3, 1, 1, 1, 0, 2, 0, 3, 0, 0], // scores of four steps and three positions
  [0.2, 0.3, 0.5, 0.4, 0.4, 0.2, 0, 1, 0, 1, 0, 0], // weights
  [1, 0, 0, 2, 1, 1], // values of three positions and two dimensions
  [1, 1, 1, 1], // queries of one dimension
  [1, 2, 3], // keys
].map((table) => new Float32Array(table));
const TRACE: HeadTrace = {
  attention: "decoder.attention",
  head: 0,
  scale: 1,
  energy: null,
  queries: 3,
  keys: 4,
  values: 2,
  scores: 0,
  weights: 1,
  contexts: 2,
};

/** The first step at τ = 2, of a head with this normalizer and trace. */
async function firstStep(normalizer: string, trace: HeadTrace) {
  const { attentions } = JSON.parse(packed()) as Header;
  const equation = { name: normalizer, formula: "", reference: "" };
  const json = packed({
    attentions: [{ ...attentions[0], normalizer: equation }],
    head_trace: trace,
  });
  const record = { ...(await decode(json)), numbers: (index: number) => TABLES[index] };
  const selection = { ...initialSelection([record], "trace"), row: 0, temperature: 2 };
  const state: ViewState = { records: [record], record, selection, width: 800, change: () => {} };
  const step = headStep(state);
  assert.ok(step);
  return step;
}

const near = (found: number[], expected: number[]) =>
  found.forEach((value, i) => {
    assert.ok(Math.abs(value - expected[i]) < 1e-6, `${found} is not ${expected}`);
  });

test("the weights of an unknown normalizer are the recorded ones at every temperature", async () => {
  const step = await firstStep("entmax15", TRACE);
  near(step.weights, [0.2, 0.3, 0.5]);
  near(step.detail?.context ?? [], [0.2 + 0.5, 0.6 + 0.5]);
  const powers = [1, 2, 3].map((score) => Math.exp(score / 2));
  const sum = powers.reduce((a, b) => a + b);
  near(
    (await firstStep("softmax", TRACE)).weights,
    powers.map((power) => power / sum),
  );
});

test("a score without terms has scores and a context, and no terms", async () => {
  const step = await firstStep("softmax", { ...TRACE, queries: null, keys: null, scale: null });
  assert.equal(step.detail?.terms, null);
  assert.deepEqual(Array.from(step.scores ?? []), [1, 2, 3]);
  assert.equal(step.detail?.context.length, 2);
  assert.notEqual((await firstStep("softmax", TRACE)).detail?.terms, null);
});
