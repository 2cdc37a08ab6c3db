// One sentence for each stage of a decoding step.
import { html, type TemplateResult } from "lit";
import { pieceInWord } from "./chart";
import { number, token } from "./describe";
import { descending, highest } from "./math";
import type { Explanation } from "./record";
import type { HeadStep } from "./step";

const STAGES = 6; // query, scores, weights, weight × value, context, output
const STAGES_WITHOUT_ATTENTION = 2; // decoder state, output

export function stagesOf(record: Explanation): number {
  return record.attentions.length ? STAGES : STAGES_WITHOUT_ATTENTION;
}

/** The share of each position in the context: weight · ‖value‖, normalized. */
export function contextShares({ weights, norms }: HeadStep): number[] {
  const contributions = weights.map((weight, s) => weight * norms[s]);
  const total = contributions.reduce((a, b) => a + b, 0) || 1;
  return contributions.map((each) => each / total);
}

export function narrate(record: Explanation, step: HeadStep, stage: number): TemplateResult {
  const { weights, detail, units } = step;
  const target = record.target.pieces[step.step];
  const name = (s: number) => token(units[s].label);
  const output = token(pieceInWord(target));
  const read = token(pieceInWord(record.target.pieces[step.step - 1] ?? "<s>"));
  const sentences = [
    () =>
      html`Step ${step.step + 1} of ${record.steps.length}: the decoder has read ${read}. To predict
      ${output}, it computes a query${detail?.terms ? html` of ${detail.terms.query.length} numbers` : ""}.`,
    () => {
      if (!step.scores) return html`This is a combination of several heads, which has no scores.`;
      const visible = step.scores.filter((score) => score > Number.NEGATIVE_INFINITY).length;
      const best = highest(step.scores);
      return html`${name(best)} has the highest score of ${visible} positions,
        ${number(step.scores[best])}.`;
    },
    () => {
      const [first, second] = descending(weights);
      return html`${name(first)} gets the weight ${number(weights[first])}${
        second === undefined ? "" : html`, ${name(second)} ${number(weights[second])}`
      }.`;
    },
    () => {
      const shares = contextShares(step);
      const largest = highest(shares);
      return html`Multiplied by the length of its value, ${name(largest)} has the largest share,
        ${number(shares[largest])}.`;
    },
    () => {
      const shares = contextShares(step);
      const largest = highest(shares);
      return html`${number(shares[largest])} of the context comes from ${name(largest)}.`;
    },
    () => narrateOutput(record, step.step),
  ];
  return sentences[stage]();
}

export function narrateOutput(record: Explanation, step: number): TemplateResult {
  const target = record.target.pieces[step];
  const { top, logp } = record.steps[step];
  const other = top.find(([piece]) => piece !== target);
  return html`The model outputs ${token(pieceInWord(target))} with <i>p</i> =
    ${number(Math.exp(logp))}${
      other
        ? html`; the best alternative is ${token(pieceInWord(other[0]))} ${number(Math.exp(other[1]))}`
        : ""
    }.`;
}
