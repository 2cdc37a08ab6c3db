// Colours of weights and of signed numbers. The luminance of weights is monotone, so that they are
// readable for colour-blind readers and in greyscale print.
import { scaleDiverging, scaleLinear, scaleSequential } from "d3-scale";
import { interpolateCividis, interpolatePuOr } from "d3-scale-chromatic";

type Rgb = [red: number, green: number, blue: number];

/** From 0 to 1, for cells. */
export const cividis = scaleSequential(interpolateCividis).clamp(true);

const dark = matchMedia("(prefers-color-scheme: dark)");

// For words on the page: the background at 0, the contrasting end of cividis at 1.
const inks = [
  scaleLinear<string>().domain([0, 1]).range(["#ffffff", "#00306f"]).clamp(true),
  scaleLinear<string>().domain([0, 1]).range(["#14181e", "#f2dc4a"]).clamp(true),
];

export function ink(weight: number): string {
  return inks[dark.matches ? 1 : 0](weight);
}

/** Orange below zero, purple above; zero is close to the background. */
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

/** Black or white, whichever has more contrast on this colour (at least 4.58 : 1). */
export function textOn(colour: string): string {
  return luminance(parse(colour)) > 0.179 ? "#000000" : "#ffffff";
}

/** The style of a word with this weight; none below 0.005. */
export function tint(weight: number): string {
  if (!(weight >= 0.005)) return "";
  const colour = ink(weight);
  // The page's text colour has the best contrast on pale colours.
  return `background:${colour};color:${weight < 0.3 ? "var(--ink)" : textOn(colour)}`;
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
