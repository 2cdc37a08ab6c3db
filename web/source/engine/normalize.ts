// Normalization of a text, with the raw characters that each of its characters comes from, as
// regard/text/normalize.py has it. Texts are arrays of code points.

export type Form = "NFC" | "NFKC";
export type Span = [start: number, end: number];

/** A normalized text; its character i comes from the raw characters of spans[i]. */
export interface TracedText {
  characters: string[];
  spans: Span[];
}

const MARK = /^\p{M}/u;

/** Zero-width characters and marks of direction. The joiners U+200C and U+200D stay. */
const INVISIBLE = new Set(
  [0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x2060, 0xfeff].concat([
    0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
  ]),
);

export function isRemoved(character: string): boolean {
  const code = character.codePointAt(0) as number;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return !isSpace(character); // controls
  return INVISIBLE.has(code);
}

/** White space as in Python: also the separators U+001C to U+001F and U+0085. */
export function isSpace(character: string): boolean {
  const code = character.codePointAt(0) as number;
  if ((code >= 0x1c && code < 0x20) || code === 0x85) return true;
  return code !== 0xfeff && character.trim() === "";
}

/** Words are separated by single spaces, and there is no white space at either end. */
export function normalize(text: string, form: Form): TracedText {
  const characters: string[] = [];
  const spans: Span[] = [];
  let gap: Span | null = null; // of pending white space
  for (const [cluster, offsets] of clusters(Array.from(text), form)) {
    const composed = Array.from(cluster.normalize(form));
    const unchanged = composed.join("") === cluster;
    for (const [index, character] of composed.entries()) {
      const span: Span = unchanged
        ? [offsets[index], offsets[index] + 1]
        : [offsets[0], offsets[offsets.length - 1] + 1];
      if (isSpace(character)) {
        gap = [gap ? gap[0] : span[0], span[1]];
        continue;
      }
      if (gap && characters.length) {
        characters.push(" ");
        spans.push(gap);
      }
      gap = null;
      characters.push(character);
      spans.push(span);
    }
  }
  return { characters, spans };
}

/** The text, without removed characters, in parts that normalize independently. */
function clusters(raw: string[], form: Form): [cluster: string, offsets: number[]][] {
  const parts: [string, number[]][] = [];
  for (const [offset, character] of raw.entries()) {
    if (isRemoved(character)) continue;
    const kept = replaced(character);
    const last = parts[parts.length - 1];
    if (last && joinsPrevious(kept, form)) {
      last[0] += kept;
      last[1].push(offset);
    } else {
      parts.push([kept, [offset]]);
    }
  }
  return parts;
}

/** U+2581 stands for a space in pieces, and UTF-8 cannot encode lone surrogates. */
function replaced(character: string): string {
  if (character === "\u2581") return "_";
  const code = character.codePointAt(0) as number;
  return code >= 0xd800 && code < 0xe000 ? "\ufffd" : character;
}

/** Combining marks, and the vowels and finals of Hangul. */
function joinsPrevious(character: string, form: Form): boolean {
  const decomposed = character.normalize(form === "NFC" ? "NFD" : "NFKD");
  return MARK.test(decomposed) || (decomposed[0] >= "\u1161" && decomposed[0] <= "\u11ff");
}
