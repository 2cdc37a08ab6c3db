// Words of a text, and which pieces each of them has, as regard/text/words.py.
import { isRemoved, isSpace, type Span } from "./normalize";

type Kind = "letter" | "single" | "symbol" | "mark" | "format" | "space";

const APOSTROPHES = "'’ʼ";
const POINTS = ".,";

/** First and last code points of characters that are words by themselves. */
const SINGLE = [
  [0x2e80, 0x3007], // radicals, the iteration mark and the zero
  [0x3021, 0x312f], // kana and Bopomofo
  [0x31a0, 0x9fff], // Bopomofo, strokes, ideographs
  [0xa000, 0xa4cf], // Yi
  [0xf900, 0xfaff], // ideographs
  [0xff66, 0xff9d], // half-width kana
  [0x16fe0, 0x18dff], // Tangut
  [0x1aff0, 0x1b2ff], // kana
  [0x20000, 0x3ffff], // ideographs
];

/**
 * The characters of each word. A word is a run of letters, digits and marks; every other character
 * except white space is a word by itself. Apostrophes between letters, and points and commas
 * between digits, do not split.
 */
export function splitWords(text: string): Span[] {
  const characters = Array.from(text);
  const visible = characters.flatMap((character, i) => (isRemoved(character) ? [] : [i]));
  const words = splitVisible(visible.map((i) => characters[i]));
  return words.map(([start, end]) => [visible[start], visible[end - 1] + 1]);
}

function splitVisible(characters: string[]): Span[] {
  const spans: Span[] = [];
  let start = -1; // of the current word; −1: none
  let open = false; // whether a letter continues the current word
  let joined = false; // whether a joiner attaches the next symbol to it
  for (const [index, character] of characters.entries()) {
    const kind = kindOf(character);
    if (start < 0) {
      if (kind === "format") continue;
    } else if (kind === "letter" && open) {
      continue;
    } else if (kind === "mark" || kind === "format") {
      joined = character === "\u200d";
      continue;
    } else if (kind === "symbol" && joined) {
      joined = false;
      continue;
    } else if (open && staysInside(characters, index)) {
      continue;
    } else {
      spans.push([start, index]);
    }
    start = kind === "space" ? -1 : index;
    open = kind === "letter";
    joined = false;
  }
  if (start >= 0) spans.push([start, characters.length]);
  return spans;
}

function kindOf(character: string): Kind {
  if (isSpace(character)) return "space";
  const code = character.codePointAt(0) as number;
  if (code >= 0x1f3fb && code < 0x1f400) return "mark"; // skin tones
  if (/^[\p{L}\p{N}]/u.test(character))
    return SINGLE.some(([first, last]) => first <= code && code <= last) ? "single" : "letter";
  if (/^\p{Cf}/u.test(character)) return "format";
  return /^\p{M}/u.test(character) ? "mark" : "symbol";
}

function staysInside(characters: string[], index: number): boolean {
  const kind = APOSTROPHES.includes(characters[index])
    ? /^\p{L}$/u
    : POINTS.includes(characters[index])
      ? /^\p{Nd}$/u
      : null;
  if (!kind || index === 0 || index === characters.length - 1) return false;
  return kind.test(characters[index - 1]) && kind.test(characters[index + 1]);
}

/** The pieces of each word. A piece between words belongs to the next one, or to the last. */
export function piecesByWord(pieces: Span[], words: Span[]): number[][] {
  const byWord: number[][] = words.map(() => []);
  let first = 0;
  for (const [piece, [start, end]] of pieces.entries()) {
    while (first < words.length - 1 && words[first][1] <= start) first++;
    for (let word = first; word < words.length; word++) {
      if (word > first && words[word][0] >= end) break;
      byWord[word].push(piece);
    }
  }
  return byWord;
}
