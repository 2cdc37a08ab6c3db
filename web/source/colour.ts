// Colours of weights and of signed numbers. The luminance of weights is monotone, so that they are
// readable for colour-blind readers and in greyscale print.
import { scaleLinear } from "d3-scale";
import { DARK, LIGHT, WEIGHTS } from "./tokens";

type Rgb = [red: number, green: number, blue: number];
export type Quantity = "query" | "key" | "value" | "weight" | "context" | "output";

const dark = matchMedia("(prefers-color-scheme: dark)");

const ramp = (colours: string[]) =>
  scaleLinear<string>().domain([0, 0.5, 1]).range(colours).clamp(true);
const ramps = { light: ramp(WEIGHTS.light), dark: ramp(WEIGHTS.dark) };

/** The scale of all attention weights: the more weight, the more it differs from the page. */
export function weightScale(): (weight: number) => string {
  return dark.matches ? ramps.dark : ramps.light;
}

/** The scale of weights on white paper, for saved pictures. */
export const printedScale: (weight: number) => string = ramps.light;

/** Negative numbers are grey, positive ones have the hue of the quantity; zero is the page. */
export function signed(reach: number, quantity: Quantity): (value: number) => string {
  const colours = dark.matches ? DARK : LIGHT;
  return scaleLinear<string>()
    .domain([-(reach || 1), 0, reach || 1])
    .range([colours.negative, colours.paper, colours[quantity]])
    .clamp(true);
}

/** Black or white, whichever has more contrast on this colour (at least 4.58 : 1). */
export function textOn(colour: string): string {
  return luminance(parse(colour)) > 0.179 ? "#000000" : "#ffffff";
}

/** The style of a word with this weight; none below 0.005. */
export function tint(weight: number): string {
  if (!(weight >= 0.005)) return "";
  const colour = weightScale()(weight);
  // The page's text colour has the best contrast on pale colours.
  return `background:${colour};color:${weight < 0.2 ? "var(--ink)" : textOn(colour)}`;
}

/** The colours of a legend, from 0 to 1. */
export function legendRamp(scale = weightScale()): string {
  return `background:linear-gradient(90deg,${Array.from({ length: 17 }, (_, i) => scale(i / 16)).join()})`;
}

export function parse(colour: string): Rgb {
  const hex = /^#(..)(..)(..)$/.exec(colour);
  if (hex) return hex.slice(1).map((part) => Number.parseInt(part, 16)) as Rgb;
  return (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number) as Rgb;
}

/** Relative luminance as defined by WCAG. */
function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
