import assert from "node:assert/strict";
import { test } from "node:test";
import { counterparts, differences, linked, variants, wordsAt } from "../source/page/alignment";
import type { Ranked } from "../source/page/api";

const source = "🐕 A dog";
const spans: [number, number][] = [
  [0, 1],
  [2, 3],
  [4, 7],
];

function ranked(text: string, links: [number, number][]): Ranked {
  const characters = Array.from(text);
  const target: [number, number][] = [];
  characters.forEach((character, i) => {
    if (character === " ") return;
    if (i === 0 || characters[i - 1] === " ") target.push([i, i + 1]);
    else target[target.length - 1][1] = i + 1;
  });
  return { text, alignment: { source: spans, target, links } };
}

test("spans of code points become spans of UTF-16 units", () => {
  const pair = linked(source, ranked("🐕 Ein Hund", []));
  assert.deepEqual(
    pair.source.map((span) => source.slice(...span)),
    ["🐕", "A", "dog"],
  );
  assert.deepEqual(pair.target, [
    [0, 2],
    [3, 6],
    [7, 11],
  ]);
});

test("links are followed in both directions", () => {
  const pair = linked(
    source,
    ranked("a b c", [
      [0, 2],
      [0, 0],
      [2, 2],
    ]),
  );
  assert.deepEqual(counterparts(pair, "source", 0), [2, 0]);
  assert.deepEqual(counterparts(pair, "target", 2), [0, 2]);
  assert.equal(wordsAt("a b c", pair.target, [2, 0]), "a … c");
  assert.equal(wordsAt("a b c", pair.target, [1, 0]), "a b");
});

test("variants are other translations of the same source words", () => {
  const shown = ranked("Ein Hund", [
    [1, 0],
    [2, 1],
  ]);
  const other = ranked("Der kleine Köter und Hunde", [
    [1, 0],
    [2, 1],
    [2, 2],
    [2, 4],
  ]);
  const same = ranked("Der Hund", [[2, 1]]);
  const without = ranked("Katze", []);
  const found = variants(source, shown, 1, [shown, other, same, without]);
  assert.deepEqual(
    found.map(({ text }) => text),
    ["Hund", "kleine Köter"],
  );
  assert.equal(found[1].hypothesis, other);
});

test("differing words are found", () => {
  const differing = (a: string, b: string) =>
    differences(a, b)
      .filter(([, differs]) => differs)
      .map(([part]) => part);
  assert.deepEqual(differing("a x c d", "a b c d"), ["x"]);
  assert.deepEqual(differing("a b", "a b"), []);
  assert.deepEqual(differing("a b e", "a b"), ["e"]);
  assert.deepEqual(differing("b", "a b"), []);
});
