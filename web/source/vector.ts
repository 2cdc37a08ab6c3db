// A vector as a strip of colours, one for each number.
import { html, type TemplateResult } from "lit";
import { type Quantity, signed } from "./colour";
import { number, rounded } from "./describe";
import { cells } from "./pixels";

export function vectorStrip(
  numbers: ArrayLike<number>,
  name: string,
  quantity: Quantity,
): TemplateResult {
  let largest = 0;
  for (let d = 0; d < numbers.length; d++) largest = Math.max(largest, Math.abs(numbers[d]));
  const label = `${name}: ${numbers.length} numbers between ${rounded(-largest)} and ${rounded(largest)}`;
  return html`<figure class="vector" data-testid="vector" data-values=${Array.from(numbers).join(" ")}>
    <canvas class="strip" role="img" aria-label=${label}
      ${cells(numbers.length, numbers, signed(largest, quantity), largest)}></canvas>
    <figcaption class="small soft">${name}: ${numbers.length} numbers, grey is negative; largest ±${number(largest)}</figcaption>
  </figure>`;
}
