// What if: the same target read again by a changed model. A test of cause, which attention is not.
import { css, html, nothing, type TemplateResult } from "lit";
import { shownPiece, textAxis } from "./chart";
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
  const find = (wanted: Kind, at: number | null) =>
    whatifs.kinds.findIndex(
      (each, n) => each === wanted && (at === null || whatifs.words[n] === at),
    );
  const { source } = record;
  const axis = source?.kind === "text" ? textAxis("source", source, "words") : null;
  const words = axis && { ...axis, units: axis.units.filter((unit) => !unit.mark) };
  const pick = (wanted: Kind) =>
    change({ whatif: Math.max(find(wanted, word), find(wanted, null)) }, `[data-kind="${wanted}"]`);
  return html`<div class="pair wrap" role="group" aria-label="what to change">
      ${KINDS.filter(([name]) => find(name, null) >= 0).map(
        ([
          name,
          title,
        ]) => html`<button data-testid="whatif-kind" data-kind=${name} aria-pressed=${name === kind}
          @click=${() => pick(name)}>${title}</button>`,
      )}
    </div>
    ${
      words && word !== null
        ? sentence({
            axis: words,
            side: "columns",
            name: kind === "hidden" ? "choose the word to hide" : "choose the word to leave out",
            pieces: false,
            hover: false,
            current: word,
            asked: true,
            value: () => null,
            style: (unit) => (unit === word ? "text-decoration:line-through 2px" : ""),
            label: (unit) => words.units[unit].label,
            choose: (unit, focus) => change({ whatif: Math.max(0, find(kind, unit)) }, focus),
          })
        : nothing
    }`;
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
  const drop = all.reduce(
    (sum, _, t) =>
      sum + record.numbers(whatifs.logps)[index * all.length + t] - record.steps[t].logp,
    0,
  );
  return html`<p class="said" data-testid="said">
    ${token(shownPiece(piece))} ${after < before ? "falls" : "rises"} from ${number(before)} to ${number(after)}${
      says === piece ? "" : html`; ${token(shownPiece(says))} would be said instead`
    }. <span class="soft">The whole sentence ${drop < 0 ? "loses" : "gains"} ${number(Math.abs(drop))} nats.</span></p>`;
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
  return html`<span class="track" role="img" aria-label=${`from ${rounded(before)} to ${rounded(after)}`}>
    <i class="way ${after < before ? "down" : ""}" .style=${`left:${100 * left}%;width:${100 * (right - left)}%`}></i>
    <i class="ring" .style=${`left:${100 * before}%`}></i>
    <i class="disc ${after < before ? "down" : ""}" .style=${`left:${100 * after}%`}></i></span>`;
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
  .ring, .disc { width: 11px; height: 11px; margin: -5.5px; border-radius: 50%; }
  .ring { border: 2px solid var(--soft); background: var(--paper); }
  .disc { background: var(--bar); }
  @media (forced-colors: active) { .way, .disc { background: CanvasText !important; forced-color-adjust: none; } }
`;
