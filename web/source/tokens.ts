// The colours of all pages. A hue has one meaning: query, key, value, weight, context or output.
import { type CSSResult, unsafeCSS } from "lit";

interface Tokens {
  ink: string;
  soft: string;
  line: string;
  paper: string;
  card: string;
  accent: string; // selection and focus
  accentSoft: string;
  mark: string; // warnings
  negative: string; // negative numbers of a vector; positive ones have the hue of the vector
  query: string;
  key: string;
  value: string;
  weight: string;
  context: string;
  output: string;
}

export const LIGHT: Tokens = {
  ink: "#1c2430",
  soft: "#566170",
  line: "#dfe4ea",
  paper: "#ffffff",
  card: "#f6f8fa",
  accent: "#33475f",
  accentSoft: "#e6ebf2",
  mark: "#b3261e",
  negative: "#4a5360",
  query: "#6f3fa8",
  key: "#00756c",
  value: "#9a5a00",
  weight: "#1c5fb0",
  context: "#a8236b",
  output: "#2b7320",
};

export const DARK: Tokens = {
  ink: "#e6eaf0",
  soft: "#a3aebc",
  line: "#323b47",
  paper: "#14181e",
  card: "#1c222a",
  accent: "#b4c4d8",
  accentSoft: "#2a3543",
  mark: "#f59b93",
  negative: "#9aa5b4",
  query: "#c7acf5",
  key: "#5fd0c5",
  value: "#f2b45a",
  weight: "#7db4f5",
  context: "#f28fc0",
  output: "#8fd47e",
};

/** The weights 0, ½ and 1. The more weight, the more a colour differs from the page. */
export const WEIGHTS = {
  light: [LIGHT.paper, "#6ba4de", "#06285e"],
  dark: [DARK.paper, "#2b69b0", "#d3e8ff"],
};

function declarations(tokens: Tokens): string {
  const kebab = (name: string) => name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
  return Object.entries(tokens)
    .map(([name, colour]) => `--${kebab(name)}:${colour};`)
    .join("");
}

export const tokens: CSSResult = unsafeCSS(
  `:host{${declarations(LIGHT)}}` +
    `@media (prefers-color-scheme:dark){:host{${declarations(DARK)}}}`,
);
