// What if: the same target read again by a changed model. A test of cause, which attention is not.
import { css, html, nothing, type TemplateResult } from "lit";
import { shownPiece, textAxis } from "./chart";
import { tint } from "./colour";
import { empty } from "./empty";
import { sentence } from "./flow";
import { falling } from "./math";
import type { Explanation, WhatIfs } from "./record";
import type { Scene } from "./scene";
import { number, rounded, token } from "./words";

type Kind = WhatIfs["kinds"][number];

const KINDS: [Kind, string, string][] = [
  [
    "uniform",
    "look everywhere alike",
    "Every look at the source was spread evenly over all of it.",
  ],
  ["hidden", "hide a word", "No look was allowed to see this word; the encoder still read it."],
  ["left out", "leave a word out", "The model read the source without this word."],
];

export function whatIf(scene: Scene): TemplateResult {
  const { record, choice } = scene;
  const { whatifs } = record;
  if (!whatifs?.kinds.length)
    return empty(html`This record has no interventions. They are the honest test of whether a word
      mattered: the model reads the same target again with a word hidden or left out. Ask for them when
      you explain.`);
  const index = Math.min(choice.whatif, whatifs.kinds.length - 1);
  const kind = whatifs.kinds[index];
  return html`${chooser(scene, whatifs, index)} ${told(record, whatifs, index)}
    ${table(record, whatifs, index)}
    <p class="note">${KINDS.find(([name]) => name === kind)?.[2]} The target stayed as it was; only its
      probabilities were computed again, by the model. <strong>This is a test of cause:</strong> where a
      probability falls, the change made it fall. Attention says only where the model looked.</p>`;
}

function chooser({ record, change }: Scene, whatifs: WhatIfs, index: number): TemplateResult {
  const [kind, word] = [whatifs.kinds[index], whatifs.words[index]];
  const all = losses(record, whatifs);
  const of = (wanted: Kind) => whatifs.kinds.flatMap((each, n) => (each === wanted ? [n] : []));
  const worst = (wanted: Kind) => of(wanted).reduce((a, b) => (all[b] > all[a] ? b : a));
  const { source } = record;
  const axis = source?.kind === "text" ? textAxis("source", source, "words") : null;
  const words = axis && { ...axis, units: axis.units.filter((unit) => !unit.mark) };
  const without = (unit: number) => of(kind).find((n) => whatifs.words[n] === unit) ?? index;
  const loss = (unit: number) => all[without(unit)];
  const most = Math.max(...of(kind).map((n) => all[n]));
  return html`<div class="pair wrap" role="group" aria-label="what to change">
      ${KINDS.filter(([name]) => of(name).length).map(
        ([name, title]) => html`<button data-testid="whatif-kind" data-kind=${name}
          aria-pressed=${name === kind}
          @click=${() => change({ whatif: worst(name) })}>${title}</button>`,
      )}
    </div>
    ${
      words && word !== null
        ? html`${sentence({
            axis: words,
            side: "columns",
            name: `choose the word to ${kind === "hidden" ? "hide" : "leave out"}; the stronger its colour, the more the sentence loses by it`,
            pieces: false,
            hover: false,
            current: word,
            asked: true,
            value: loss,
            style: (unit) =>
              `${tint(loss(unit) / most)};${unit === word ? "text-decoration:line-through 2px" : ""}`,
            label: (unit) => words.units[unit].label,
            choose: (unit, focus) => change({ whatif: without(unit) }, focus),
          })}`
        : nothing
    }`;
}

/** How many nats the whole target loses by each intervention. */
function losses(record: Explanation, whatifs: WhatIfs): number[] {
  const logps = record.numbers(whatifs.logps);
  const { steps } = record;
  return whatifs.kinds.map((_, n) =>
    steps.reduce((sum, { logp }, t) => sum + logp - logps[n * steps.length + t], 0),
  );
}

interface Change {
  before: number;
  after: number;
  says: string;
  saysP: number;
}

function changes(record: Explanation, whatifs: WhatIfs, index: number): Change[] {
  const steps = record.steps.length;
  const logps = record.numbers(whatifs.logps);
  const instead = record.numbers(whatifs.says_logps);
  return record.steps.map(({ logp }, t) => ({
    before: Math.exp(logp),
    after: Math.exp(logps[index * steps + t]),
    says: whatifs.says[index][t],
    saysP: Math.exp(instead[index * steps + t]),
  }));
}

/** The largest mover, in words. */
function told(record: Explanation, whatifs: WhatIfs, index: number): TemplateResult {
  const all = changes(record, whatifs, index);
  const [first] = falling(all.map(({ before, after }) => Math.abs(after - before)));
  const { before, after, says } = all[first];
  const piece = record.target.pieces[first];
  const loss = losses(record, whatifs)[index];
  return html`<p class="said" data-testid="said">
    ${token(shownPiece(piece))} ${after < before ? "falls" : "rises"} from ${number(before)} to ${number(after)}${
      says === piece ? "" : html`; ${token(shownPiece(says))} would be said instead`
    }. <span class="soft">The whole sentence ${loss > 0 ? "loses" : "gains"} ${number(Math.abs(loss))} nats.</span></p>`;
}

function table(record: Explanation, whatifs: WhatIfs, index: number): TemplateResult {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="before and after">
    <table class="moves" data-testid="whatif" data-index=${index}>
    <caption class="hidden">Probability of each piece before and after</caption>
    <thead><tr><th scope="col">piece</th><th scope="col">before</th>
      <th scope="col"><span class="hidden">drawn</span></th>
      <th scope="col">after</th><th scope="col">the model would say</th></tr></thead>
    <tbody>${changes(record, whatifs, index).map(({ before, after, says, saysP }, t) => {
      const piece = record.target.pieces[t];
      return html`<tr>
        <th scope="row">${token(shownPiece(piece))}</th>
        <td data-testid="before">${number(before)}</td>
        <td class="slope">${slope(before, after)}</td>
        <td data-testid="after">${number(after)}</td>
        <td data-testid="says">${
          says === piece
            ? html`<span class="soft">the same</span>`
            : html`${token(shownPiece(says))} ${number(saysP)}`
        }</td></tr>`;
    })}</tbody></table></div>`;
}

/** Before as a ring, after as a disc, on a line from 0 to 1. */
function slope(before: number, after: number): TemplateResult {
  const [left, right] = before < after ? [before, after] : [after, before];
  const way = right - left < 0.005 ? "still" : after < before ? "down" : "up";
  return html`<span class="track" role="img" aria-label=${`from ${rounded(before)} to ${rounded(after)}`}>
    <i class="way ${way}" .style=${`left:${100 * left}%;width:${100 * (right - left)}%`}></i>
    <i class="ring" .style=${`left:${100 * before}%`}></i>
    <i class="disc ${way}" .style=${`left:${100 * after}%`}></i></span>`;
}

export const style = css`
  .wrap { flex-wrap: wrap; }
  .moves { border-collapse: collapse; width: 100%; max-width: 52rem; font-size: 0.9375rem; }
  .moves th, .moves td {
    padding: 0.2rem 0.6rem; text-align: start; border-top: 1px solid var(--line);
    white-space: nowrap;
  }
  .moves thead th { border: 0; font-weight: 500; color: var(--soft); font-size: 0.875rem; }
  .moves tbody th {
    font-weight: 400; padding-inline-start: 0; max-width: 12rem; overflow: hidden;
    text-overflow: ellipsis;
  }
  .slope { width: 45%; min-width: 9rem; }
  .track {
    position: relative; display: block; height: 1rem;
    background: linear-gradient(var(--line), var(--line)) center / 100% 1px no-repeat;
  }
  .track i { position: absolute; top: 50%; }
  .way { height: 4px; margin-top: -2px; background: var(--bar); }
  .way.down, .disc.down { background: var(--mark); }
  .way.still, .disc.still { background: var(--soft); }
  .ring, .disc { width: 11px; height: 11px; margin: -5.5px; border-radius: 50%; }
  .ring { border: 2px solid var(--soft); background: var(--paper); }
  .disc { background: var(--bar); }
  @media (forced-colors: active) { .way, .disc { background: CanvasText !important; forced-color-adjust: none; } }
`;
