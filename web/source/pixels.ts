// Canvases with one pixel for each value; CSS scales the pixels to cells.
import { ref } from "lit/directives/ref.js";
import { parse } from "./colour";

const STEPS = 128; // on each side of zero: too fine to see

/** Draws on a canvas whenever its template renders. */
export function drawing(draw: (canvas: HTMLCanvasElement) => void) {
  return ref((element) => {
    if (element) draw(element as HTMLCanvasElement);
  });
}

/** Draws row-major values, `width` in each row, between −reach and reach. */
export function cells(
  width: number,
  values: ArrayLike<number>,
  colour: (value: number) => string,
  reach = 1,
) {
  return drawing((canvas) => pixels(canvas, width, values, colour, reach));
}

export function pixels(
  canvas: HTMLCanvasElement,
  width: number,
  values: ArrayLike<number>,
  colour: (value: number) => string,
  reach: number,
): void {
  const height = values.length / width;
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context || !width || !height) return;
  const table = tableOf(colour, reach);
  const image = context.createImageData(width, height);
  const words = new Uint32Array(image.data.buffer);
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue; // no weights: transparent
    const share = Math.max(-1, Math.min(1, values[i] / reach));
    words[i] = table[Math.round(share * STEPS) + STEPS];
  }
  context.putImageData(image, 0, 0);
}

const tables = new WeakMap<object, Uint32Array>();

/** The colours from −reach to reach, as canvas pixels. */
function tableOf(colour: (value: number) => string, reach: number): Uint32Array {
  const cached = tables.get(colour); // a scale has one reach
  if (cached) return cached;
  const table = Uint32Array.from({ length: 2 * STEPS + 1 }, (_, i) => {
    const [red, green, blue] = parse(colour(((i - STEPS) / STEPS) * reach));
    return (255 << 24) | (blue << 16) | (green << 8) | red; // little-endian RGBA
  });
  tables.set(colour, table);
  return table;
}
