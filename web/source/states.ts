// Step by step without attention: the encoder states, the vector between, the decoder states.
import { css, html, nothing, type TemplateResult } from "lit";
import { outputBars } from "./bars";
import { pieceInWord } from "./chart";
import { signed } from "./colour";
import { token } from "./describe";
import { narrateOutput } from "./narration";
import { cells } from "./pixels";
import { noAttention } from "./placeholder";
import type { Explanation } from "./record";
import type { ViewState } from "./state";
import { vectorStrip } from "./vector";

/** The states up to the selected step, and the output of the step. */
export function stateSteps(state: ViewState): TemplateResult {
  const { record, selection } = state;
  if (!record.states || record.source?.kind !== "text") return noAttention(record);
  const step = Math.min(selection.row, record.steps.length - 1);
  const stage = Math.min(selection.stage, 1);
  const classes = (index: number) => `stage ${index === stage ? "now" : ""}`;
  const inputs = ["<s>", ...record.target.pieces.slice(0, step)];
  return html`<p class="summary" role="status" aria-live="polite" data-testid="summary"
      >${stage ? narrateOutput(record, step) : narrateState(record, step)}</p>
    <section class="stage" data-testid="encoder"><h3>Encoder</h3>
      <p class="note">The encoder reads the source piece by piece. The decoder does not see these
        states, only the fixed vector below.</p>
      ${columns(record, record.states.encoder, record.source.pieces, -1)}
    </section>
    <section class="stage fixed" data-testid="fixed"><h3>Fixed vector</h3>
      ${
        record.summary === null
          ? nothing
          : vectorStrip(record.numbers(record.summary), "the whole source", "context")
      }
    </section>
    <section class=${classes(0)} data-testid="stage-0"><h3>1. Decoder state</h3>
      <p class="note">The state after each input piece. Before the first piece it is computed from
        the fixed vector.</p>
      ${columns(record, record.states.decoder, inputs, step)}
    </section>
    <section class=${classes(1)} data-testid="stage-1"><h3>2. Output</h3>
      ${outputBars(record, step)}
    </section>`;
}

function narrateState(record: Explanation, step: number): TemplateResult {
  const input = step ? record.target.pieces[step - 1] : "<s>";
  return html`Step ${step + 1} of ${record.steps.length}: the decoder reads
    ${token(pieceInWord(input))} and computes its next state from ${
      step ? "the last one" : "the fixed vector"
    }.`;
}

/** A column of colours for each state, under the piece that was read. */
function columns(
  record: Explanation,
  index: number,
  pieces: string[],
  current: number,
): TemplateResult {
  const states = record.numbers(index);
  const all = index === record.states?.encoder ? record.source : record.target;
  const positions = all?.kind === "text" ? all.pieces.length : pieces.length;
  const size = states.length / positions;
  const largest = states.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const colour = signed(largest, index === record.states?.encoder ? "value" : "query");
  return html`<ol class="states">${pieces.map((piece, position) => {
    const numbers = states.subarray(position * size, (position + 1) * size);
    return html`<li class=${position === current ? "here" : ""} data-testid="state">
      <bdi dir="auto" title=${pieceInWord(piece)}>${pieceInWord(piece)}</bdi>
      <canvas role="img" aria-label=${`state of ${size} numbers`}
        ${cells(1, numbers, colour, largest)}></canvas></li>`;
  })}</ol>`;
}

export const style = css`
  .states {
    list-style: none; display: flex; flex-wrap: wrap; gap: 0.9rem 0.25rem; margin: 0; padding: 0;
  }
  .states li { width: 4.2rem; display: grid; gap: 0.3rem; justify-items: center; }
  .states bdi {
    max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    font-size: var(--small);
  }
  .states canvas { width: 1.6rem; height: 7rem; image-rendering: pixelated; }
  .states .here canvas { outline: 2px solid var(--accent); outline-offset: 2px; }
  .states .here bdi { color: var(--accent); font-weight: 650; }
  .fixed .strip { outline: 2px solid currentColor; outline-offset: 3px; margin-block: 0.3rem; }
`;
