// Colours of weights and of signed numbers. Weights are told by luminance, which never turns back:
// they can be read by those who see few colours, and in grey print.
import { scaleDiverging, scaleLinear, scaleSequential } from "d3-scale";
import { interpolateCividis, interpolatePuOr } from "d3-scale-chromatic";

type Rgb = [red: number, green: number, blue: number];

/** From 0 to 1, for cells. */
export const cividis = scaleSequential(interpolateCividis).clamp(true);

const dark = matchMedia("(prefers-color-scheme: dark)");
const STEPS = 128; // on each side of zero: enough that no step is seen

// For words on the page: paper at 0; at 1 the end of cividis that stands out from it.
const inks = [
  scaleLinear<string>().domain([0, 1]).range(["#ffffff", "#00306f"]).clamp(true),
  scaleLinear<string>().domain([0, 1]).range(["#14181e", "#f2dc4a"]).clamp(true),
];

export function ink(weight: number): string {
  return inks[dark.matches ? 1 : 0](weight);
}

/** Orange below zero, purple above; zero is close to the paper. */
export function signed(reach: number): (value: number) => string {
  if (dark.matches)
    return scaleLinear<string>()
      .domain([-(reach || 1), 0, reach || 1])
      .range(["#f5a54a", "#232a33", "#b8a1f5"])
      .clamp(true);
  return scaleDiverging((share) => interpolatePuOr(1 - share))
    .domain([-(reach || 1), 0, reach || 1])
    .clamp(true);
}

/** Black or white: the one that can be read on this colour (at least 4.58 : 1, whatever it is). */
export function textOn(colour: string): string {
  return luminance(parse(colour)) > 0.179 ? "#000000" : "#ffffff";
}

/** A style that paints a word or a cell, its text readable. */
export function painted(colour: string): string {
  return `background:${colour};color:${textOn(colour)}`;
}

/** Draws one pixel for each value; CSS makes the pixels as large as cells. */
export function pixels(
  canvas: HTMLCanvasElement,
  width: number,
  values: ArrayLike<number>,
  colour: (value: number) => string,
  reach = 1,
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
    if (Number.isNaN(values[i])) continue; // nothing was looked at: transparent
    const share = Math.max(-1, Math.min(1, values[i] / reach));
    words[i] = table[Math.round(share * STEPS) + STEPS];
  }
  context.putImageData(image, 0, 0);
}

const tables = new WeakMap<object, Uint32Array>();

/** The colours from −reach to reach, as a canvas keeps them. */
function tableOf(colour: (value: number) => string, reach: number): Uint32Array {
  const known = tables.get(colour); // a scale has one reach
  if (known) return known;
  const table = Uint32Array.from({ length: 2 * STEPS + 1 }, (_, i) => {
    const [red, green, blue] = parse(colour(((i - STEPS) / STEPS) * reach));
    return (255 << 24) | (blue << 16) | (green << 8) | red; // little-endian RGBA
  });
  tables.set(colour, table);
  return table;
}

function parse(colour: string): Rgb {
  const hex = /^#(..)(..)(..)$/.exec(colour);
  if (hex) return hex.slice(1).map((part) => Number.parseInt(part, 16)) as Rgb;
  return (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number) as Rgb;
}

/** Relative, as WCAG defines it. */
function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
