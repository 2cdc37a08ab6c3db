// Word links, drawn over the cells of the matrix.
import { css, html, nothing } from "lit";
import type { Unit } from "./chart";
import type { Grid } from "./layout";
import type { Link } from "./record";
import { findAttention, type ViewState } from "./state";

/** Outlines the cells of the two words of each link. */
export function linkOutlines(state: ViewState, grid: Grid, links: Link[], name: string) {
  const { record } = state;
  const attention = findAttention(record, state.selection.attention);
  if (attention?.kind !== "cross" || record.source?.kind !== "text") return nothing;
  const { source, target } = { source: record.source, target: record.target };
  const { chart, cell } = grid;
  const range = (shown: number[], units: Unit[], pieces: number[]) => {
    const cells = shown.flatMap((unit, i) =>
      units[unit].positions.some((p) => pieces.includes(p)) ? [i] : [],
    );
    return [cells[0], cells.length];
  };
  return links.map(([i, j]) => {
    const [left, wide] = range(grid.columns, chart.columns.units, source.word_pieces[i]);
    const [top, high] = range(grid.rows, chart.rows.units, target.word_pieces[j]);
    if (!wide || !high) return nothing;
    const corner = `left:${left * cell}px;top:${top * cell}px`;
    const size = `width:${wide * cell}px;height:${high * cell}px`;
    return html`<i class=${name} data-testid=${name} data-link=${`${i}-${j}`}
      .style=${`${corner};${size}`}></i>`;
  });
}

export const style = css`
  .gold { box-shadow: inset 0 0 0 2px var(--ink), inset 0 0 0 3px var(--paper); }
  .link::after {
    content: ""; position: absolute; top: 3px; right: 3px; width: 6px; height: 6px;
    border-radius: 50%;
    background: #fff; border: 1px solid #000;
  }
  .key {
    position: relative; width: 1.1rem; height: 1.1rem; background: color-mix(in srgb, var(--weight) 40%, var(--paper)); border-radius: 2px;
  }
  .key i { position: absolute; inset: 0; }
`;
