// Words of a source and its translation, and the links between them.
import type { Ranked, Span } from "./api";

export interface Linked {
  source: Span[]; // in UTF-16 units, as all spans of the page
  target: Span[];
  links: [source: number, target: number][];
}

/** Converts spans of code points into spans of UTF-16 units. */
export function toUtf16(text: string, spans: Span[]): Span[] {
  const offsets = [0];
  for (const character of text) offsets.push((offsets.at(-1) ?? 0) + character.length);
  return spans.map(([start, end]) => [offsets[start], offsets[end]]);
}

const cache = new WeakMap<Ranked, Linked>();

/** The words of a translation. Without an alignment each text is one word. */
export function linked(source: string, translation: Ranked): Linked {
  const known = cache.get(translation);
  if (known) return known;
  const { alignment, text } = translation;
  const found: Linked = alignment
    ? {
        source: toUtf16(source, alignment.source),
        target: toUtf16(text, alignment.target),
        links: alignment.links,
      }
    : { source: [], target: text ? [[0, text.length]] : [], links: [] };
  cache.set(translation, found);
  return found;
}

/** The source words linked to a target word, or the target words linked to a source word. */
export function counterparts({ links }: Linked, side: "source" | "target", word: number): number[] {
  const [from, to] = side === "source" ? [0, 1] : [1, 0];
  return links.filter((link) => link[from] === word).map((link) => link[to]);
}

/** The words at some places of a text; "…" stands for words between them. */
export function wordsAt(text: string, spans: Span[], places: number[]): string {
  return [...new Set(places)]
    .sort((a, b) => a - b)
    .map((place, i, all) => {
      const [start, end] = spans[place];
      if (i === 0) return text.slice(start, end);
      const adjacent = all[i - 1] === place - 1;
      return (adjacent ? text.slice(spans[place - 1][1], start) : " … ") + text.slice(start, end);
    })
    .join("");
}

/** A translation of some source words, and the hypothesis in which it occurs. */
export interface Variant {
  text: string;
  hypothesis: Ranked;
}

/** How the hypotheses translate the source words of one word of `shown`; that of `shown` first.
 *
 * If source words are linked to several places of a hypothesis, the nearest to `word` counts.
 */
export function variants(
  source: string,
  shown: Ranked,
  word: number,
  hypotheses: Ranked[],
): Variant[] {
  const words = counterparts(linked(source, shown), "target", word);
  const found = new Map<string, Variant>();
  for (const hypothesis of [shown, ...hypotheses]) {
    const pair = linked(source, hypothesis);
    const places = words.flatMap((each) => counterparts(pair, "source", each));
    const text = wordsAt(hypothesis.text, pair.target, nearestRun(places, word));
    if (text && !found.has(text)) found.set(text, { text, hypothesis });
  }
  return [...found.values()];
}

/** The adjacent places among `places` that are nearest to `place`. */
function nearestRun(places: number[], place: number): number[] {
  const distance = (run: number[]) => Math.min(...run.map((each) => Math.abs(each - place)));
  const runs: number[][] = [];
  for (const each of [...new Set(places)].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last?.at(-1) === each - 1) last.push(each);
    else runs.push([each]);
  }
  return runs.sort((a, b) => distance(a) - distance(b))[0] ?? [];
}

/** The parts of `text`, each with whether it differs from `other`, by a longest common sequence. */
export function differences(text: string, other: string): [part: string, differs: boolean][] {
  const [a, b] = [text, other].map((each) => each.split(/(\s+)/u));
  const lengths = Array.from(a, () => new Uint16Array(b.length + 1));
  lengths.push(new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i][j] =
        a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const parts: [string, boolean][] = [];
  for (let i = 0, j = 0; i < a.length; ) {
    if (a[i] === b[j]) {
      parts.push([a[i], false]);
      i += 1;
      j += 1;
    } else if (j === b.length || lengths[i + 1][j] >= lengths[i][j + 1]) {
      parts.push([a[i], a[i].trim() !== ""]);
      i += 1;
    } else j += 1;
  }
  return parts;
}
