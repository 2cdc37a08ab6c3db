// A sentence as running text whose words can be pointed at, with a mouse or with the arrow keys.
import { css, html, nothing, type TemplateResult } from "lit";
import type { Axis } from "./chart";

export interface Sentence {
  axis: Axis;
  side: "rows" | "columns";
  name: string;
  pieces: boolean; // shown one by one, not as running text
  hover: boolean; // whether pointing is enough to choose; else a click or a key
  current: number; // the unit that takes the focus
  asked: boolean; // whether the current unit is what the view speaks of
  value(unit: number): number | null;
  style(unit: number): string;
  label(unit: number): string;
  choose?(unit: number, focus?: string): void; // without it the words are plain text
}

export function sentence(it: Sentence): TemplateResult {
  const { axis, side, current } = it;
  const selector = (unit: number) => `[data-side="${side}"][data-unit="${unit}"]`;
  const pointed = (event: Event) => {
    const unit = (event.target as HTMLElement).dataset?.unit;
    if (unit !== undefined && !(it.asked && Number(unit) === current)) it.choose?.(Number(unit));
  };
  const typed = (event: KeyboardEvent) => {
    const unit = moved(event.key, current, axis.units.length - 1, direction(axis) === "rtl");
    if (unit === null) return;
    event.preventDefault();
    it.choose?.(unit, selector(unit));
  };
  const plain = (unit: number) => html`<span class="word" data-testid="word" data-side=${side}
    data-unit=${unit} data-value="" ?data-mark=${axis.units[unit].mark}
    .style=${it.style(unit)}>${axis.units[unit].label}</span>`;
  const button = (unit: number) => html`<span role="button" class="word" data-testid="word"
    data-side=${side} data-unit=${unit} data-value=${it.value(unit) ?? ""}
    ?data-mark=${axis.units[unit].mark} tabindex=${unit === Math.max(0, current) ? 0 : -1}
    aria-pressed=${it.asked && unit === current} aria-label=${it.label(unit)}
    dir=${it.pieces ? "auto" : nothing} .style=${it.style(unit)}>${axis.units[unit].label}</span>`;
  const word = it.choose ? button : plain;
  return html`<div class="sentence">
    <p class="small soft" aria-hidden="true">${it.name}</p>
    <p class="text ${it.pieces ? "pieces" : ""}" role="group" aria-label=${it.name} data-side=${side}
      dir=${direction(axis)} @pointerover=${it.hover ? pointed : nothing} @focusin=${pointed} @keydown=${typed}
      >${it.pieces ? axis.units.map((_, unit) => word(unit)) : running(axis, word)}</p>
  </div>`;
}

/** The words with what stands between them in the text, and the marks after them. */
function running(axis: Axis, word: (unit: number) => TemplateResult): unknown[] {
  const parts: unknown[] = [];
  let end = 0;
  axis.units.forEach(({ span, mark }, unit) => {
    if (mark || !span) parts.push(unit ? " " : "", word(unit), unit ? "" : " ");
    else {
      parts.push(axis.text.slice(end, span[0]).join(""), word(unit));
      end = span[1];
    }
  });
  return parts;
}

function moved(key: string, unit: number, last: number, rightToLeft: boolean): number | null {
  if (key === "Home") return 0;
  if (key === "End") return last;
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined) return null;
  const sideways = key === "ArrowRight" || key === "ArrowLeft";
  return Math.max(0, Math.min(last, unit + (sideways && rightToLeft ? -step : step)));
}

/** Of a text: that of its first letter that has one. */
export function direction(axis: Axis): "ltr" | "rtl" {
  const first = axis.text.find((character) => /\p{L}/u.test(character)) ?? "";
  return /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u.test(first)
    ? "rtl"
    : "ltr";
}

export const style = css`
  .sentence { display: grid; gap: 0.35rem; }
  .sentence .text {
    overflow: clip; overflow-clip-margin: 0.4rem; font-size: 1.6rem; line-height: 1.7;
    overflow-wrap: anywhere; white-space: pre-wrap;
  }
  .word {
    border-radius: 4px; padding: 0.08em 0.06em; margin: 0 -0.04em; cursor: default;
    box-decoration-break: clone; -webkit-box-decoration-break: clone; overflow-wrap: anywhere;
  }
  .word[aria-pressed="true"]:not(:focus-visible) {
    outline: 2px solid var(--accent); outline-offset: 1px;
  }
  .word[data-mark] { font-size: 0.65em; color: var(--soft); }
  .pieces {
    display: flex; flex-wrap: wrap; gap: 0.15rem 0.5rem; align-items: baseline; white-space: nowrap;
  }
  .pieces .word { margin: 0; padding: 0.08em 0.25em; max-width: 100%; white-space: normal; }
  @media (max-width: 36rem) { .sentence .text { font-size: 1.3rem; } }
`;
