// Bar charts of one step: score, weight and contribution of each position, and the output.
import { scaleLinear } from "d3-scale";
import { css, html, type TemplateResult } from "lit";
import { pieceInWord } from "./chart";
import { number, token } from "./describe";
import type { Explanation } from "./record";
import type { ViewState } from "./state";
import type { HeadStep } from "./step";

/** A row for each position: score, weight, weight × ‖value‖. */
export function positionBars(
  { selection, change }: ViewState,
  step: HeadStep,
  focus: number,
): TemplateResult {
  const { units, scores, weights, norms } = step;
  const contributions = weights.map((weight, s) => weight * norms[s]);
  const visible = Array.from(scores ?? []).filter(Number.isFinite);
  const toScore = scaleLinear()
    .domain([Math.min(0, ...visible), Math.max(0, ...visible)])
    .range([0, 100]);
  const toContribution = scaleLinear()
    .domain([0, Math.max(...contributions) || 1])
    .range([0, 100]);
  const toWeight = scaleLinear()
    .domain([0, Math.max(1, ...weights)])
    .range([0, 100]);
  const select = (s: number) => change({ column: s }, `[data-position="${s}"]`);
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const to = by === undefined ? -1 : focus + by;
    if (to < 0 || to >= units.length) return;
    event.preventDefault();
    select(to);
  };
  const stage = (index: number) => (selection.stage === index ? "current" : "");
  return html`<div class="scroll tall"><table class="bars" data-testid="positions">
    <caption class="hidden">Score, weight and contribution of each position</caption>
    <colgroup><col class="name"></colgroup>
    <thead><tr><th scope="col"><span class="hidden">position</span></th>
      <th scope="col" class=${stage(1)}>score</th><th scope="col" class=${stage(2)}>weight</th>
      <th scope="col" class=${stage(3)}>weight × ‖value‖</th></tr></thead>
    <tbody @keydown=${onKey}>
      ${units.map(
        ({ label, special }, s) => html`<tr class=${s === focus ? "here" : ""}>
          <th scope="row"><button data-position=${s} tabindex=${s === focus ? 0 : -1} title=${label}
            aria-pressed=${s === focus} ?data-special=${special} @click=${() => select(s)}><bdi dir="auto">${label}</bdi></button></th>
          <td class=${stage(1)} data-testid="score">${
            scores === null
              ? "–"
              : bar(toScore(0), toScore(Number.isFinite(scores[s]) ? scores[s] : 0), scores[s])
          }</td>
          <td class=${stage(2)} data-testid="weight">${bar(0, toWeight(weights[s]), weights[s])}</td>
          <td class=${stage(3)} data-testid="contribution">${bar(0, toContribution(contributions[s]), contributions[s])}</td>
        </tr>`,
      )}
    </tbody></table></div>`;
}

/** The ten most likely pieces, and the piece of the target. */
export function outputBars(record: Explanation, step: number): TemplateResult {
  const target = record.target.pieces[step];
  const { top, logp } = record.steps[step];
  const rows: [string, number][] = top.some(([piece]) => piece === target)
    ? top
    : [...top, [target, logp]];
  return html`<table class="bars outcome" data-testid="output">
    <caption class="hidden">The most likely pieces</caption>
    <colgroup><col class="name"></colgroup>
    <tbody>${rows.map(
      ([piece, logp]) => html`<tr class=${piece === target ? "target-row" : ""} data-piece=${piece}>
        <th scope="row">${token(pieceInWord(piece))}${piece === target ? html` <span class="soft small">output</span>` : ""}</th>
        <td data-testid="probability">${bar(0, 100 * Math.exp(logp), Math.exp(logp))}</td></tr>`,
    )}</tbody></table>`;
}

function bar(from: number, to: number, value: number): TemplateResult {
  const [left, right] = from < to ? [from, to] : [to, from];
  return html`<span class="bar"><i .style=${`margin-inline-start:${left}%;width:${right - left}%`}></i></span>${number(value)}`;
}

export const style = css`
  .outcome { max-width: 44rem; }
  .tall { max-height: 34rem; }
  .bars { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: var(--small); }
  .bars thead th {
    text-align: start; font-weight: 500; color: var(--soft); padding: 0 0.5rem 0.25rem;
    position: sticky; top: 0; background: var(--paper); z-index: 1;
  }
  .bars thead .current {
    color: var(--accent); font-weight: 650; box-shadow: inset 0 -2px var(--accent);
  }
  .bars td { padding: 0.1rem 0.5rem; vertical-align: middle; }
  .bars tbody th {
    text-align: start; font-weight: 400; padding: 0.1rem 0.25rem 0.1rem 0; overflow: hidden;
    text-overflow: ellipsis; white-space: nowrap;
  }
  .bars .name { width: 8.5rem; }
  .bars th button {
    border-color: transparent; padding: 0 0.35rem; min-height: 1.5rem; width: 100%;
    text-align: start; background: none; overflow: hidden; text-overflow: ellipsis;
    white-space: nowrap; display: block;
  }
  .bars th button:focus-visible { outline-offset: -2px; }
  .bars tr.here button { border-color: var(--accent); background: var(--accent-soft); }
  .bars button[data-special] { color: var(--soft); }
  .bars td .number {
    font-size: var(--small); float: inline-end; width: 3.4rem; text-align: end; line-height: 1.1rem;
  }
  .bar {
    display: inline-block; width: calc(100% - 3.6rem); height: 0.7rem; vertical-align: middle;
  }
  .bar i {
    display: block; height: 100%; min-width: 1px; background: var(--hue, var(--soft)); border-radius: 2px;
    transition: width 0.35s ease, margin 0.35s ease;
  }
  .bars [data-testid="weight"] { --hue: var(--weight); }
  .bars [data-testid="contribution"] { --hue: var(--value); }
  .outcome .bar i { background: color-mix(in srgb, var(--output) 40%, var(--paper)); }
  .outcome .target-row .bar i { background: var(--output); }
  @media (forced-colors: active) { .bar i { background: CanvasText; forced-color-adjust: none; } }
  @media (max-width: 36rem) { .bars .name { width: 6rem; } .bars td { padding-inline: 0.2rem; } }
`;
