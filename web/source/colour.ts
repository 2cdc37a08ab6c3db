// Colours of weights and of signed numbers. Weights are told by luminance, which never turns back:
// they can be read by those who see few colours, and in grey print.
import { scaleDiverging, scaleLinear, scaleSequential } from "d3-scale";
import { interpolateCividis, interpolatePuOr } from "d3-scale-chromatic";

type Rgb = [red: number, green: number, blue: number];

/** From 0 to 1, for cells. */
export const cividis = scaleSequential(interpolateCividis).clamp(true);

const dark = matchMedia("(prefers-color-scheme: dark)");

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

/** A style for a word with this weight; less than what is printed as 0.01 leaves it bare. */
export function tint(weight: number): string {
  if (!(weight >= 0.005)) return "";
  const colour = ink(weight);
  // on a pale tint the page's own ink reads best
  return `background:${colour};color:${weight < 0.3 ? "var(--ink)" : textOn(colour)}`;
}

export function parse(colour: string): Rgb {
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
