// The matrix: colours on a canvas, and over it accessible cells that can have the focus.
import { css, html, type TemplateResult } from "lit";
import { textOn, weightScale } from "./colour";
import { rounded } from "./describe";
import { focusedCell, type Grid, LABEL, SUM } from "./layout";
import { linkOutlines } from "./links";
import { highest } from "./math";
import { cells } from "./pixels";
import type { ViewState } from "./state";

const HEAD = 120; // largest height of column labels
const NUMBERED = 36; // smallest cell that shows its number
const MANY = 2500; // with more cells only those of the focused row are in the document

export function renderGrid(state: ViewState, grid: Grid): TemplateResult {
  const { chart, rows, columns, cell, at } = grid;
  const [row, column] = focusedCell(state, grid);
  const scale = weightScale();
  const values = rows.flatMap((_, r) => columns.map((_, c) => at(r, c)));
  const sums = columns.map((_, c) => rows.reduce((sum, _, r) => sum + (at(r, c) || 0), 0));
  const complete = rows.length * columns.length <= MANY;
  const select = (r: number, c: number, focus = true) => {
    const to = {
      row: chart.rows.units[rows[r]].positions[0] ?? 0,
      column: chart.columns.units[columns[c]].positions[0] ?? 0,
    };
    state.change(to, focus ? `[data-row="${r}"][data-column="${c}"]` : undefined);
  };
  const onKey = (event: KeyboardEvent) => {
    const to = nextCell(event, row, column, grid);
    if (!to) return;
    event.preventDefault();
    select(...to);
  };
  const onPointer = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const c = Math.floor((event.clientX - box.left) / cell);
    const r = Math.floor((event.clientY - box.top) / cell);
    const inside = r >= 0 && c >= 0 && r < rows.length && c < columns.length;
    if (inside && (r !== row || c !== column)) select(r, c, event.type === "click");
  };
  const cellAt = (r: number, c: number) => {
    const value = at(r, c);
    const text = cell >= NUMBERED && value >= 0.005 ? rounded(value) : "";
    return html`<span role="gridcell" data-testid="cell" data-row=${r} data-column=${c}
      data-value=${value} aria-colindex=${c + 2} tabindex=${r === row && c === column ? 0 : -1}
      aria-label=${cellName(grid, r, c)} .style=${text ? `color:${textOn(scale(value))}` : ""}
      >${text}</span>`;
  };
  const heads = columns.map((unit, c) => {
    const { label, special } = chart.columns.units[unit];
    return html`<span role="columnheader" class="top ${c === column ? "here" : ""}"
      aria-colindex=${c + 2} title=${label} ?data-special=${special}><bdi dir="auto">${label}</bdi></span>`;
  });
  const lines = rows.map((unit, r) => {
    const { label, special } = chart.rows.units[unit];
    const total = columns.reduce((sum, _, c) => sum + at(r, c), 0);
    return html`<div role="row" class="line" aria-rowindex=${r + 2}>
      <span role="rowheader" class="side ${r === row ? "here" : ""}" aria-colindex="1" title=${label}
        ?data-special=${special}><bdi dir="auto">${label}</bdi></span>
      ${
        complete || r === row
          ? columns.map((_, c) => cellAt(r, c))
          : html`<span role="presentation" .style=${`grid-column:span ${columns.length}`}></span>`
      }
      <span role="gridcell" class="sum" data-testid="row-sum" data-value=${total}
        aria-colindex=${columns.length + 2} aria-label=${`sum ${rounded(total)}`}>${rounded(total)}</span>
    </div>`;
  });
  const longest = Math.max(...columns.map((unit) => chart.columns.units[unit].label.length), 4);
  const head = Math.min(HEAD, 20 + 9 * longest);
  const sizes = `--head:${head}px;--cell:${cell}px;--label:${LABEL}px;--sum:${SUM}px`;
  const tracks = `${sizes};--columns:${columns.length}`;
  return html`<div class="scroll matrix ${complete ? "" : "boxed"}" .style=${tracks} data-testid="matrix">
    <div class="sheet">
      <div class="cells" aria-hidden="true" @pointermove=${onPointer} @click=${onPointer}>
        <canvas data-testid="cells" ${cells(columns.length, values, scale)}></canvas>
        ${linkOutlines(state, grid, state.record.links, "link")}
        ${linkOutlines(state, grid, state.record.gold ?? [], "gold")}
        <i class="cursor" .style=${`left:${column * cell}px;top:${row * cell}px`}></i>
      </div>
      <div role="grid" aria-label="attention weights"
        aria-rowcount=${rows.length + 2} aria-colcount=${columns.length + 2} @keydown=${onKey}>
        <div role="row" class="line heads" aria-rowindex="1">
          <span role="columnheader" class="corner" aria-colindex="1">
            <span>${chart.rows.name} ↓</span> <span>${chart.columns.name} →</span></span>
          ${heads}
          <span role="columnheader" class="sum" aria-colindex=${columns.length + 2}>sum</span>
        </div>
        ${lines}
        <div role="row" class="line foot" aria-rowindex=${rows.length + 2}>
          <span role="rowheader" class="side" aria-colindex="1" 
            title="sum of each column">coverage</span>
          ${sums.map(
            (sum, c) => html`<span role="gridcell" data-testid="coverage" data-value=${sum}
              aria-colindex=${c + 2} aria-label=${`coverage ${rounded(sum)}`} title=${rounded(sum)}
              ><i .style=${`height:${(1.5 * sum) / Math.max(...sums, 1)}rem`}></i
              ><b>${cell >= NUMBERED ? rounded(sum) : ""}</b></span>`,
          )}
          <span role="gridcell" aria-label="no sum"></span>
        </div>
      </div>
    </div>
  </div>`;
}

/** «target accord ← source agreement 0.71, highest of 11». */
function cellName({ chart, rows, columns, at }: Grid, r: number, c: number): string {
  const value = at(r, c);
  const above = columns.filter((_, other) => at(r, other) > value).length;
  const rank = above ? `number ${above + 1}` : "highest";
  const [row, column] = [chart.rows, chart.columns];
  return `${row.name} ${row.units[rows[r]].label} ← ${column.name} ${
    column.units[columns[c]].label
  } ${rounded(value)}, ${Number.isNaN(value) ? "no weights" : rank} of ${columns.length}`;
}

function nextCell(event: KeyboardEvent, row: number, column: number, grid: Grid) {
  const { rows, columns, at } = grid;
  const keys: Record<string, [number, number]> = {
    ArrowRight: [row, column + 1],
    ArrowLeft: [row, column - 1],
    ArrowDown: [row + 1, column],
    ArrowUp: [row - 1, column],
    Home: [event.ctrlKey ? 0 : row, 0],
    End: [event.ctrlKey ? rows.length - 1 : row, columns.length - 1],
    PageUp: [row, highest(columns.map((_, c) => at(row, c)))],
    PageDown: [highest(rows.map((_, r) => at(r, column))), column],
  };
  const to = keys[event.key];
  const inside = to?.[0] >= 0 && to[1] >= 0 && to[0] < rows.length && to[1] < columns.length;
  return inside ? to : null;
}

export const style = css`
  .boxed { max-height: min(80vh, 60rem); }
  .sheet { position: relative; width: max-content; padding-bottom: 2px; }
  .line {
    display: grid;
    grid-template-columns: var(--label) repeat(var(--columns), var(--cell)) var(--sum);
    height: var(--cell);
  }
  .line > * { min-width: 0; overflow: hidden; position: relative; }
  .line > [data-row] {
    display: grid; place-items: center; font-size: var(--tiny); line-height: 1; pointer-events: none;
    scroll-margin: var(--head) var(--sum) 0 var(--label);
  }
  .line > [data-row]:focus-visible { outline-offset: -2px; }
  .heads { height: var(--head); position: sticky; top: 0; z-index: 3; background: var(--paper); }
  .top {
    writing-mode: vertical-rl; text-orientation: sideways; transform: rotate(180deg);
    display: flex; align-items: center; padding: 0.35rem 0;
    font-size: min(var(--small), calc(var(--cell) * 0.75));
    line-height: 1;
  }
  .top bdi, .side bdi {
    line-height: 1.3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    max-height: 100%;
  }
  .side {
    display: flex; align-items: center; justify-content: end; padding-inline: 0.25rem 0.6rem;
    position: sticky !important;
    left: 0; z-index: 2; background: var(--paper);
    font-size: min(var(--small), calc(var(--cell) * 0.75)); line-height: 1.2;
  }
  .line .here { font-weight: 700; color: var(--accent); }
  .line [data-special] { color: var(--soft); font-size: min(var(--small), calc(var(--cell) * 0.75)); }
  .corner {
    display: flex; flex-direction: column; justify-content: end; align-items: end;
    padding: 0.35rem 0.6rem;
    font-size: var(--tiny); color: var(--soft); position: sticky !important; left: 0; z-index: 4;
    background: var(--paper);
  }
  .sum {
    display: flex; align-items: end; padding-inline-start: 0.6rem;
    font-size: min(var(--small), calc(var(--cell) * 0.75)); color: var(--soft); line-height: 1.2;
  }
  .line:not(.heads) .sum { align-items: center; }
  .foot { height: 3.2rem; padding-top: 2px; }
  .foot .side { font-size: var(--tiny); color: var(--soft); align-items: start; line-height: 1.5rem; }
  .foot [role="gridcell"] {
    display: flex; flex-direction: column; align-items: center; justify-content: space-between;
  }
  .foot i { width: 70%; max-height: 1.5rem; background: var(--line); border-radius: 0 0 2px 2px; }
  .foot b { font-size: var(--tiny); font-weight: 500; color: var(--soft); line-height: 1.4; }
  .cells {
    position: absolute; left: var(--label); top: var(--head); z-index: 0; overflow: hidden;
    width: calc(var(--columns) * var(--cell)); border-radius: 3px;
  }
  .cells canvas { width: 100%; height: auto; }
  .cells::after {
    content: ""; position: absolute; inset: 0; pointer-events: none; opacity: 0.6;
    box-shadow: inset 0 0 0 1px var(--line);
    background: linear-gradient(var(--line) 1px, transparent 1px) 0 -1px / 100% var(--cell),
      linear-gradient(90deg, var(--line) 1px, transparent 1px) -1px 0 / var(--cell) 100%;
  }
  .cells i { position: absolute; pointer-events: none; }
  .cells .cursor {
    width: var(--cell); height: var(--cell); box-shadow: inset 0 0 0 2px #fff, inset 0 0 0 3px #000;
  }
`;
