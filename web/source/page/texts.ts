// The two texts: the editor with its marked words, and the translation with words to select.
import { html, nothing, type TemplateResult } from "lit";
import { guard } from "lit/directives/guard.js";
import { linked } from "./alignment";
import type { Span } from "./api";
import type { Row, Session } from "./session";

export interface Place {
  side: "source" | "target";
  row: number;
  word: number;
}

/** Behind the transparent text area: the same text, of which words can be marked. */
export function mirror(session: Session): TemplateResult {
  const { rows, text } = session;
  const end = rows.at(-1)?.span[1] ?? 0;
  // A line break at the end has a line of its own only if something follows it.
  return html`<div class="mirror" aria-hidden="true" dir="auto">${rows.map((row, i) =>
    guard(
      [row.translated?.shown, row.translated?.warnings, row.source, gapBefore(session, i)],
      () => sourceRow(session, row, i),
    ),
  )}${`${text.slice(end)}\u200b`}</div>`;
}

function gapBefore({ rows, text }: Session, i: number): string {
  return text.slice(i ? rows[i - 1].span[1] : 0, rows[i].span[0]);
}

function sourceRow(session: Session, row: Row, i: number): unknown[] {
  const { source, translated } = row;
  const words = translated ? linked(source, translated.shown).source : [];
  const unaligned = translated && translated.shown === translated.best ? translated.unaligned : [];
  return [
    gapBefore(session, i),
    inWords(
      source,
      words,
      (word, text) => html`<span class="mark" data-testid="source-word" data-side="source"
      data-row=${i} data-word=${word} ?data-unaligned=${unaligned.some(overlaps(words[word]))}
      >${text}</span>`,
    ),
  ];
}

const overlaps =
  ([start, end]: Span) =>
  ([first, last]: Span) =>
    first < end && start < last;

/** The translation. The word `current` can have the focus. */
export function result(session: Session, current: Place, open: Place | null): TemplateResult {
  const { rows, model } = session;
  return html`<div class="result" data-testid="translation" role="group" aria-label="translation" dir="auto"
    lang=${model?.target_language ?? nothing}>${rows.map((row, i) => {
      const here = current.row === i ? current.word : -1;
      const opened = open?.row === i ? open.word : -1;
      const { translated, before } = row;
      const gap = session.gap(i);
      return guard([translated?.shown, before, gap, row.source, here, opened], () => [
        gap,
        translated
          ? targetRow(row, i, here, opened)
          : html`<span class="stale" aria-hidden="true">${before}</span>`,
      ]);
    })}</div>`;
}

function targetRow(row: Row, i: number, here: number, opened: number): unknown {
  const { shown } = row.translated as NonNullable<Row["translated"]>;
  return inWords(
    shown.text,
    linked(row.source, shown).target,
    (word, text) => html`<span role="button" class="mark" data-testid="target-word"
      data-side="target" data-row=${i} data-word=${word} tabindex=${word === here ? 0 : -1}
      aria-haspopup="dialog" aria-expanded=${word === opened}>${text}</span>`,
  );
}

/** The words of a text with what is between them. */
function inWords(
  text: string,
  words: Span[],
  word: (index: number, text: string) => TemplateResult,
): unknown[] {
  const parts: unknown[] = [];
  let end = 0;
  words.forEach(([first, last], i) => {
    parts.push(text.slice(end, first), word(i, text.slice(first, last)));
    end = last;
  });
  parts.push(text.slice(end));
  return parts;
}

/** The place of a word's element. */
export function placeOf(element: EventTarget | null): Place | null {
  const data = element instanceof HTMLElement ? element.dataset : {};
  if (data.word === undefined) return null;
  return { side: data.side as Place["side"], row: Number(data.row), word: Number(data.word) };
}

export function selectorOf({ side, row, word }: Place): string {
  return `[data-side="${side}"][data-row="${row}"][data-word="${word}"]`;
}

/** The word of the text area at a point. The text area hides the words from the browser's test. */
export function wordAtPoint(root: ParentNode, x: number, y: number): Place | null {
  const within = (rectangle: DOMRect) =>
    rectangle.left <= x && x <= rectangle.right && rectangle.top <= y && y <= rectangle.bottom;
  const words = root.querySelectorAll('[data-side="source"]');
  const found = Array.from(words).find((word) => Array.from(word.getClientRects()).some(within));
  return placeOf(found ?? null);
}

/** The word of the text at an offset. */
export function wordAtOffset({ rows }: Session, offset: number): Place | null {
  const row = rows.findIndex(({ span }) => span[0] <= offset && offset <= span[1]);
  const { translated, source, span } = rows[row] ?? {};
  if (!translated) return null;
  const place = offset - span[0];
  const words = linked(source, translated.shown).source;
  const word = words.findIndex(([start, end], i) => {
    const next = words[i + 1]?.[0] ?? Number.POSITIVE_INFINITY;
    return start <= place && place <= end && place < next;
  });
  return word < 0 ? null : { side: "source", row, word };
}
