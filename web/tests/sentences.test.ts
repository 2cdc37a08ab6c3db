import assert from "node:assert/strict";
import { test } from "node:test";
import cases from "../fixtures/sentences.json";
import { splitSentences } from "../source/page/sentences";

test("sentences are split as by regard/text/sentences.py", () => {
  for (const { text, sentences } of cases)
    assert.deepEqual(
      splitSentences(text).map((span) => text.slice(...span)),
      sentences,
    );
});

test("every line ends a sentence", () => {
  assert.deepEqual(splitSentences(" a\nb 🐕! C\n\n"), [
    [1, 2],
    [3, 8],
    [9, 10],
  ]);
});
