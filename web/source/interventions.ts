// Interventions: the probabilities of the same target under a changed model or source.
import { css, html, nothing, type TemplateResult } from "lit";
import { pieceInWord, shownPiece, textAxis, type Units } from "./chart";
import { tint } from "./colour";
import { unitsPair } from "./controls";
import { number, rounded, token } from "./describe";
import { descending } from "./math";
import { placeholder } from "./placeholder";
import { targetUnits } from "./playback";
import type { Explanation, Interventions } from "./record";
import { sentence } from "./sentence";
import type { ViewState } from "./state";

type Kind = Interventions["kinds"][number];

const KINDS: [Kind, string, string][] = [
  ["uniform", "uniform attention", "All cross-attention weights are equal."],
  [
    "masked",
    "mask a word",
    "The word is masked in all cross-attention; the encoder still reads it.",
  ],
  ["removed", "remove a word", "The word is removed from the source."],
];

export function interventionsView(state: ViewState): TemplateResult {
  const { record, selection } = state;
  const { interventions } = record;
  if (!interventions?.kinds.length)
    return placeholder(html`This record has no interventions. They show how the probability of the
      target changes if a source word is masked or removed, and exist for translations.`);
  const index = Math.min(selection.intervention, interventions.kinds.length - 1);
  const kind = interventions.kinds[index];
  return html`${chooser(state, interventions, index)} ${summary(record, interventions, index, selection.units)}
    ${table(record, interventions, index, selection.units)} ${unitsPair(state)}
    <p class="note">${KINDS.find(([name]) => name === kind)?.[2]} The
      target is unchanged; the model computes its probabilities again. <strong>This shows
      causes:</strong> if a probability falls, the change caused it. Attention weights do not show
      this.</p>`;
}

function chooser(
  { record, change }: ViewState,
  interventions: Interventions,
  index: number,
): TemplateResult {
  const [kind, word] = [interventions.kinds[index], interventions.words[index]];
  const lost = losses(record, interventions);
  const ofKind = (wanted: Kind) =>
    interventions.kinds.flatMap((each, n) => (each === wanted ? [n] : []));
  const worst = (wanted: Kind) => ofKind(wanted).reduce((a, b) => (lost[b] > lost[a] ? b : a));
  const { source } = record;
  const axis = source?.kind === "text" ? textAxis("source", source, "words") : null;
  const words = axis && { ...axis, units: axis.units.filter((unit) => !unit.special) };
  const indexOf = (unit: number) =>
    ofKind(kind).find((n) => interventions.words[n] === unit) ?? index;
  const loss = (unit: number) => lost[indexOf(unit)];
  const most = Math.max(...ofKind(kind).map((n) => lost[n]));
  return html`<div class="pair wrap" role="group" aria-label="intervention">
      ${KINDS.filter(([name]) => ofKind(name).length).map(
        ([name, title]) => html`<button data-testid="intervention-kind" data-kind=${name}
          aria-pressed=${name === kind}
          @click=${() => change({ intervention: worst(name) })}>${title}</button>`,
      )}
    </div>
    ${
      words && word !== null
        ? html`${sentence({
            axis: words,
            side: "columns",
            name: `select the word to ${kind === "masked" ? "mask" : "remove"}; a stronger colour means a greater loss`,
            pieces: false,
            hover: false,
            current: word,
            selected: true,
            value: loss,
            style: (unit) =>
              `${tint(loss(unit) / most)};${unit === word ? "text-decoration:line-through 2px" : ""}`,
            label: (unit) => words.units[unit].label,
            select: (unit, focus) => change({ intervention: indexOf(unit) }, focus),
          })}`
        : nothing
    }`;
}

/** The loss of log-probability of the whole target, in nats, by each intervention. */
function losses(record: Explanation, interventions: Interventions): number[] {
  const logps = record.numbers(interventions.logps);
  const { steps } = record;
  return interventions.kinds.map((_, n) =>
    steps.reduce((sum, { logp }, t) => sum + logp - logps[n * steps.length + t], 0),
  );
}

interface Change {
  label: string;
  before: number;
  after: number;
  instead: { label: string; p: number } | null; // what the model prefers now
}

/** Of each word, or of each piece: a word has the product of the probabilities of its pieces. */
function changes(
  record: Explanation,
  interventions: Interventions,
  index: number,
  units: Units,
): Change[] {
  const steps = record.steps.length;
  const logps = record.numbers(interventions.logps);
  const tokenLogps = record.numbers(interventions.token_logps);
  const tokens = interventions.tokens[index];
  const name = units === "words" ? pieceInWord : shownPiece;
  return targetUnits(record, units).map(({ label, positions }) => {
    const sum = (logp: (t: number) => number) => positions.reduce((a, t) => a + logp(t), 0);
    const other = positions.find((t) => tokens[t] !== record.target.pieces[t]);
    return {
      label,
      before: Math.exp(sum((t) => record.steps[t].logp)),
      after: Math.exp(sum((t) => logps[index * steps + t])),
      instead:
        other === undefined
          ? null
          : { label: name(tokens[other]), p: Math.exp(tokenLogps[index * steps + other]) },
    };
  });
}

/** The largest change, in words. */
function summary(
  record: Explanation,
  interventions: Interventions,
  index: number,
  units: Units,
): TemplateResult {
  const every = changes(record, interventions, index, units);
  const [first] = descending(every.map(({ before, after }) => Math.abs(after - before)));
  const { label, before, after, instead } = every[first];
  const loss = losses(record, interventions)[index];
  return html`<p class="summary" data-testid="summary">
    ${token(label)} ${after < before ? "falls" : "rises"} from ${number(before)} to ${number(after)}${
      instead ? html`; the model prefers ${token(instead.label)}` : ""
    }. <span class="soft">The target ${loss > 0 ? "loses" : "gains"} ${number(Math.abs(loss))} nats.</span></p>`;
}

function table(
  record: Explanation,
  interventions: Interventions,
  index: number,
  units: Units,
): TemplateResult {
  const unit = units === "words" ? "word" : "piece";
  return html`<div class="scroll" role="region" tabindex="0" aria-label="before and after">
    <table class="moves" data-testid="intervention" data-index=${index}>
    <caption class="hidden">Probability of each ${unit} before and after</caption>
    <thead><tr><th scope="col">${unit}</th><th scope="col">before</th>
      <th scope="col"><span class="hidden">chart</span></th>
      <th scope="col">after</th><th scope="col">most likely piece</th></tr></thead>
    <tbody>${changes(record, interventions, index, units).map(
      ({ label, before, after, instead }) => html`<tr>
        <th scope="row">${token(label)}</th>
        <td data-testid="before">${number(before)}</td>
        <td class="slope">${slope(before, after)}</td>
        <td data-testid="after">${number(after)}</td>
        <td data-testid="prediction">${
          instead
            ? html`${token(instead.label)} ${number(instead.p)}`
            : html`<span class="soft">unchanged</span>`
        }</td></tr>`,
    )}</tbody></table></div>`;
}

/** Before as a ring, after as a disc, on a line from 0 to 1. */
function slope(before: number, after: number): TemplateResult {
  const [left, right] = before < after ? [before, after] : [after, before];
  const direction = right - left < 0.005 ? "none" : after < before ? "down" : "up";
  return html`<span class="track" role="img" aria-label=${`from ${rounded(before)} to ${rounded(after)}`}>
    <i class="change ${direction}" .style=${`left:${100 * left}%;width:${100 * (right - left)}%`}></i>
    <i class="ring" .style=${`left:${100 * before}%`}></i>
    <i class="disc ${direction}" .style=${`left:${100 * after}%`}></i></span>`;
}

export const style = css`
  .wrap { flex-wrap: wrap; }
  .moves { border-collapse: collapse; width: 100%; max-width: 52rem; font-size: var(--small); }
  .moves th, .moves td {
    padding: 0.2rem 0.6rem; text-align: start; border-top: 1px solid var(--line);
    white-space: nowrap;
  }
  .moves thead th { border: 0; font-weight: 500; color: var(--soft); font-size: var(--small); }
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
  .change { height: 4px; margin-top: -2px; background: var(--output); }
  .change.none, .disc.none { background: var(--soft); }
  .ring, .disc { width: 11px; height: 11px; margin: -5.5px; border-radius: 50%; }
  .ring { border: 2px solid var(--soft); background: var(--paper); }
  .disc { background: var(--output); }
  @media (forced-colors: active) { .change, .disc { background: CanvasText !important; forced-color-adjust: none; } }
`;
