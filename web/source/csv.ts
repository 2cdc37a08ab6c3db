// The shown matrix as CSV.
import type { Grid } from "./layout";

/** One line for each row of the matrix; all texts are quoted. */
export function csv({ chart, rows, columns, at }: Grid): string {
  const head = columns.map((unit) => quoted(chart.columns.units[unit].label));
  const lines = rows.map((unit, r) => [
    quoted(chart.rows.units[unit].label),
    ...columns.map((_, c) => (Number.isNaN(at(r, c)) ? "" : String(at(r, c)))),
  ]);
  return [['""', ...head], ...lines].map((line) => `${line.join(",")}\r\n`).join("");
}

/** Spreadsheets run text that starts like a formula, so it gets an apostrophe. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
