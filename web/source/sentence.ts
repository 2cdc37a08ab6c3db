// A sentence as running text whose words can be selected, with a mouse or with the arrow keys.
import { css, html, nothing, type TemplateResult } from "lit";
import type { Axis } from "./chart";

export interface Sentence {
  axis: Axis;
  side: "rows" | "columns";
  name: string;
  pieces: boolean; // separate pieces instead of running text
  hover: boolean; // whether hovering selects a word; otherwise a click or a key
  current: number; // the unit that can have the focus
  selected: boolean; // whether the view describes the current unit
  value(unit: number): number | null;
  style(unit: number): string;
  label(unit: number): string;
  select?(unit: number, focus?: string): void; // without it the words are plain text
}

export function sentence(props: Sentence): TemplateResult {
  const { axis, side, current } = props;
  const selector = (unit: number) => `[data-side="${side}"][data-unit="${unit}"]`;
  const onPointer = (event: Event) => {
    const unit = (event.target as HTMLElement).dataset?.unit;
    if (unit !== undefined && !(props.selected && Number(unit) === current))
      props.select?.(Number(unit));
  };
  const onKey = (event: KeyboardEvent) => {
    const unit = nextUnit(event.key, current, axis.units.length - 1, direction(axis) === "rtl");
    if (unit === null) return;
    event.preventDefault();
    props.select?.(unit, selector(unit));
  };
  const plain = (unit: number) => html`<span class="word" data-testid="word" data-side=${side}
    data-unit=${unit} data-value="" ?data-special=${axis.units[unit].special}
    .style=${props.style(unit)}>${axis.units[unit].label}</span>`;
  const button = (unit: number) => html`<span role="button" class="word" data-testid="word"
    data-side=${side} data-unit=${unit} data-value=${props.value(unit) ?? ""}
    ?data-special=${axis.units[unit].special} tabindex=${unit === Math.max(0, current) ? 0 : -1}
    aria-pressed=${props.selected && unit === current} aria-label=${props.label(unit)}
    dir=${props.pieces ? "auto" : nothing} .style=${props.style(unit)}>${axis.units[unit].label}</span>`;
  const word = props.select ? button : plain;
  return html`<div class="sentence">
    <p class="small soft" aria-hidden="true">${props.name}</p>
    <p class="text ${props.pieces ? "pieces" : ""}" role="group" aria-label=${props.name} data-side=${side}
      dir=${direction(axis)} @pointerover=${props.hover ? onPointer : nothing} @focusin=${onPointer} @keydown=${onKey}
      >${props.pieces ? axis.units.map((_, unit) => word(unit)) : running(axis, word)}</p>
  </div>`;
}

/** The words with the text between them, and the special tokens. */
export function running(axis: Axis, word: (unit: number) => TemplateResult): unknown[] {
  const parts: unknown[] = [];
  let end = 0;
  axis.units.forEach(({ span, special }, unit) => {
    if (special || !span) parts.push(unit ? " " : "", word(unit), unit ? "" : " ");
    else {
      parts.push(axis.text.slice(end, span[0]).join(""), word(unit));
      end = span[1];
    }
  });
  return parts;
}

/** The unit that an arrow key, Home or End selects; null for other keys. */
export function nextUnit(
  key: string,
  unit: number,
  last: number,
  rightToLeft: boolean,
): number | null {
  if (key === "Home") return 0;
  if (key === "End") return last;
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined) return null;
  const sideways = key === "ArrowRight" || key === "ArrowLeft";
  return Math.max(0, Math.min(last, unit + (sideways && rightToLeft ? -step : step)));
}

/** The direction of the first letter. */
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
  .word[data-special] { font-size: 0.65em; color: var(--soft); }
  .pieces {
    display: flex; flex-wrap: wrap; gap: 0.15rem 0.5rem; align-items: baseline; white-space: nowrap;
  }
  .pieces .word { margin: 0; padding: 0.08em 0.25em; max-width: 100%; white-space: normal; }
  @media (max-width: 36rem) { .sentence .text { font-size: 1.3rem; } }
`;
