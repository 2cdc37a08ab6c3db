// The arcs from the source words to the context, and the values that flow along them.
import { html, nothing, svg, type TemplateResult } from "lit";
import type { Moment } from "./moment";

export const WIDEST = 26; // pixels: an arc of weight 1
const THREAD = 2; // pixels: a line of a model without attention
export const SHOWN = 0.005; // smaller weights are not drawn

/** The source words that an arc is drawn for: with a bottleneck, all. */
function drawn({ source, weights, bottleneck }: Moment): number[] {
  return source.units.flatMap((_, s) => (bottleneck || weights[s] >= SHOWN ? [s] : []));
}

/** Arcs whose widths are the weights. Their ends are measured after the words are laid out. */
export function arcs(now: Moment, stage: number, ended: boolean): TemplateResult {
  const { weights, bottleneck } = now;
  const shown = ended || (stage < 2 && !bottleneck) ? [] : drawn(now);
  const width = (s: number) => (bottleneck ? THREAD : WIDEST * weights[s]);
  return html`<svg class="arcs ${bottleneck ? "threads" : ""}" aria-hidden="true">
    ${shown.map(
      (s) => svg`<path class="arc" data-testid="arc" data-unit=${s} pathLength="1"
        data-value=${bottleneck ? 1 : weights[s]} .style=${`stroke-width:${width(s)}px`}></path>`,
    )}</svg>`;
}

/** Dots that carry the values into the context. */
export function flow(now: Moment, stage: number, ended: boolean) {
  if (stage !== 4 || ended) return nothing;
  const size = (s: number) => (now.bottleneck ? 7 : 6 + 12 * Math.sqrt(now.shares[s]));
  return html`<div class="dots" aria-hidden="true">${drawn(now).flatMap((s) =>
    [0, 1, 2].map(
      (n) => html`<i class="dot" data-unit=${s}
        .style=${`--size:${size(s)}px;--delay:${0.14 * n}`}></i>`,
    ),
  )}</div>`;
}

/** Gives the arcs and dots of all lanes their paths, once the words are laid out. */
export function placeArcs(root: ParentNode): void {
  for (const lane of root.querySelectorAll<HTMLElement>(".lane")) place(lane);
}

function place(lane: HTMLElement): void {
  const { left, top } = lane.getBoundingClientRect();
  const box = (element: Element | null) => {
    const { x, y, width, height } = (element ?? lane).getBoundingClientRect();
    return { x: x - left + width / 2, top: y - top, bottom: y - top + height, width };
  };
  const pill = lane.querySelector(".pill");
  const parts = lane.querySelectorAll(".part");
  const words = lane.querySelectorAll('[data-testid="source-word"]');
  const path = (s: number): string => {
    const from = box(words[s]);
    const whole = box(pill);
    const to = parts.length ? box(parts[s]) : whole;
    const narrow = parts.length
      ? 0
      : ((s + 0.5) / words.length - 0.5) * Math.min(60, whole.width / 3);
    const [x, y, u, v] = [from.x, from.bottom + 1, to.x + narrow, whole.top];
    const middle = (y + v) / 2;
    return `M${x} ${y}C${x} ${middle} ${u} ${middle} ${u} ${v}`;
  };
  for (const arc of lane.querySelectorAll<SVGPathElement>(".arc"))
    arc.setAttribute("d", path(Number(arc.dataset.unit)));
  for (const dot of lane.querySelectorAll<HTMLElement>(".dot"))
    dot.style.offsetPath = `path("${path(Number(dot.dataset.unit))}")`;
}
