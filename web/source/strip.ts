// A vector as a strip of colours, one for each number.
import { html, type TemplateResult } from "lit";
import { signed } from "./colour";
import { cells } from "./pixels";
import { number, rounded } from "./words";

export function strip(numbers: ArrayLike<number>, name: string): TemplateResult {
  let reach = 0;
  for (let d = 0; d < numbers.length; d++) reach = Math.max(reach, Math.abs(numbers[d]));
  const label = `${name}: ${numbers.length} numbers between ${rounded(-reach)} and ${rounded(reach)}`;
  return html`<figure class="vector" data-testid="strip" data-values=${Array.from(numbers).join(" ")}>
    <canvas class="strip" role="img" aria-label=${label}
      ${cells(numbers.length, numbers, signed(reach), reach)}></canvas>
    <figcaption class="small soft">${name}: ${numbers.length} numbers, orange below zero, purple
      above, up to ±${number(reach)}</figcaption>
  </figure>`;
}
