// The walk told: one concrete sentence for each stage of a step.
import { html, type TemplateResult } from "lit";
import { shownPiece } from "./chart";
import { falling, highest } from "./math";
import type { Moment } from "./moment";
import type { Explanation } from "./record";
import { number, token } from "./words";

export const STAGES = 6; // query, scores, weights, weight × value, context, output

/** How much of what enters the context each position brings: weight · ‖value‖, as shares. */
export function shares({ weights, norms }: Moment): number[] {
  const brought = weights.map((weight, s) => weight * norms[s]);
  const total = brought.reduce((a, b) => a + b, 0) || 1;
  return brought.map((each) => each / total);
}

export function story(record: Explanation, now: Moment, stage: number): TemplateResult {
  const said = token(shownPiece(record.target.pieces[now.step]));
  const name = (s: number) => token(now.units[s].label);
  const scores = now.scores ?? now.weights;
  const seen = scores.filter((score) => score > Number.NEGATIVE_INFINITY).length;
  const [first, second] = falling(now.weights);
  const brought = shares(now);
  const most = highest(brought);
  const top = record.steps[now.step].top;
  const rival = top.find(([piece]) => piece !== record.target.pieces[now.step]);
  const stories = [
    () => html`Step ${now.step + 1} of ${record.steps.length}: before it says ${said}, the decoder asks
      ${now.inside ? html`with ${now.inside.query.length} numbers` : "its question"}.`,
    () =>
      now.scores
        ? html`${name(highest(scores))} answers best of ${seen}, with a score of ${number(scores[highest(scores)])}.`
        : html`These are several heads at once: they have no scores in common.`,
    () =>
      html`${name(first)} gets ${number(now.weights[first])} of the look${
        second === undefined ? "" : html`, ${name(second)} ${number(now.weights[second])}`
      }.`,
    () => html`Weighed by the length of its value, ${name(most)} brings ${number(brought[most])} of all that
      is taken.`,
    () => html`${number(brought[most])} of the context comes from ${name(most)}.`,
    () =>
      html`The model says ${said} with <i>p</i> = ${number(Math.exp(record.steps[now.step].logp))}${
        rival ? html`; next to it ${token(shownPiece(rival[0]))} ${number(Math.exp(rival[1]))}` : ""
      }.`,
  ];
  return stories[stage]();
}
