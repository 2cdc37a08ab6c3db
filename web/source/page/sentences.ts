// Splits a text into lines and sentences, by the rules of regard/text/sentences.py.
import type { Span } from "./api";

const ENDS = /[.!?…‼⁇⁈⁉؟۔।॥።။។]+|[。！？｡]+/gu;
const WITHOUT_SPACE = "。！？｡";
const CLOSERS = "\"'”’»«›‹)]}」』）】〉》";
const OPENERS = "\"'“‘«„([{¿¡–—-";
const ABBREVIATIONS = new Set(
  (
    "mr mrs ms dr prof rev gen col sgt capt lt gov sen rep hon st mt jr sr vs inc ltd co corp dept " +
    "eds pp cf eg ie etc al approx jan feb mar apr jun jul aug sept oct nov dec " +
    "mme mlle mgr pr av bd chap éd env janv févr avr juil déc réf tél " +
    "hr fr bzw ca evtl ggf inkl nr str tel usw vgl zb dh ua uu zt abs geb gest jh jhd mio mrd sog " +
    "std tsd zzgl"
  ).split(" "),
);
const NUMBERED = new Set(["no", "nos", "nº", "art", "fig", "figs", "vol", "p", "s"]);
const LONGEST = 2 * Math.max(...Array.from(ABBREVIATIONS, (each) => each.length));

/** The start and end of each sentence, in UTF-16 units, without the white space around it. */
export function splitSentences(text: string): Span[] {
  const spans: Span[] = [];
  for (const line of text.matchAll(/[^\n]+/g))
    for (const [start, end] of splitLine(line[0]))
      spans.push([line.index + start, line.index + end]);
  return spans;
}

function splitLine(line: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const found of line.matchAll(ENDS)) {
    const stop = found.index + found[0].length;
    const end = afterClosers(line, stop);
    if (end <= start || !endsHere(line, found, stop, end)) continue;
    add(spans, line, start, end);
    start = end;
  }
  add(spans, line, start, line.length);
  return spans;
}

function add(spans: Span[], line: string, start: number, end: number): void {
  const part = line.slice(start, end);
  const text = part.trim();
  const first = start + part.length - part.trimStart().length;
  if (text) spans.push([first, first + text.length]);
}

/** The offset after closing quotes and brackets. French has a space before one: « Oui. » */
function afterClosers(line: string, start: number): number {
  let place = start;
  for (;;) {
    if (place < line.length && CLOSERS.includes(line[place])) place += 1;
    else if (/^\s»/u.test(line.slice(place, place + 2))) place += 2;
    else return place;
  }
}

function endsHere(line: string, found: RegExpMatchArray, stop: number, end: number): boolean {
  const mark = found[0];
  if (WITHOUT_SPACE.includes(mark[0])) return true;
  if (end < line.length && !/\s/u.test(line[end])) return false;
  const following = nextVisible(line, end);
  if (/^\p{Lowercase}/u.test(following)) return false;
  return mark !== "." || end > stop || !isAbbreviated(line, stop - 1, following);
}

function nextVisible(line: string, start: number): string {
  let place = start;
  while (place < line.length && (/\s/u.test(line[place]) || OPENERS.includes(line[place])))
    place += 1;
  return line.slice(place, place + 2);
}

/** Whether the full stop at `stop` belongs to the word before it. */
function isAbbreviated(line: string, stop: number, following: string): boolean {
  const before = line.slice(Math.max(0, stop - LONGEST), stop);
  if (!before || /\s$/u.test(before)) return false;
  const last = before.split(/\s+/u).at(-1) ?? "";
  const word = last.toLowerCase().replace(/^["'“‘’«„([{]+/u, "");
  if (/^\p{Nd}+$/u.test(word)) return Array.from(word).length <= 2;
  const initial = Array.from(word.split(".").at(-1) ?? "").length === 1; // J. S. Bach, z. B., U.S.
  const plain = word.replaceAll(".", "");
  const numbered = NUMBERED.has(plain) && /^\p{Nd}/u.test(following);
  return initial || ABBREVIATIONS.has(plain) || numbered;
}
