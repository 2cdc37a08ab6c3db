// The matrix view: a row for each query, a column for each position attended to.
import { html, nothing, type TemplateResult } from "lit";
import type { Chart } from "./chart";
import { legendRamp } from "./colour";
import { caption, controls, options } from "./controls";
import { describeRow, number, token } from "./describe";
import { renderGrid } from "./grid";
import { focusedCell, type Grid, layout } from "./layout";
import { highest } from "./math";
import { noAttention } from "./placeholder";
import { saveButtons } from "./save";
import { selectedChart, type ViewState } from "./state";

export function matrix(state: ViewState): TemplateResult {
  const chart = selectedChart(state);
  if (!chart) return noAttention(state.record);
  const grid = layout(state, chart);
  const specialTokens = html`<label class="inline"><input type="checkbox" data-testid="special-tokens"
    .checked=${state.selection.specialTokens}
    @change=${() => state.change({ specialTokens: !state.selection.specialTokens })}> special tokens</label>`;
  return html`${summary(state, grid)} ${renderGrid(state, grid)} ${hiddenTokens(state, chart)}
    ${legend(state)} ${options(state, controls(state, [specialTokens, saveButtons(grid)]))} ${caption(state)}`;
}

function summary(state: ViewState, grid: Grid): TemplateResult {
  const { chart, rows, columns, at } = grid;
  if (!rows.length || !columns.length)
    return html`<p class="summary">There are only special tokens, which are hidden.</p>`;
  const [row, column] = focusedCell(state, grid);
  if (Number.isNaN(at(row, column)))
    return html`<p class="summary" data-testid="summary">${describeRow(chart, rows[row])}</p>`;
  const best = highest(columns.map((_, c) => at(row, c)));
  const more =
    best === column
      ? "the highest of the row"
      : html`the highest of the row is ${token(chart.columns.units[columns[best]].label)} ${number(at(row, best))}`;
  return html`<p class="summary" data-testid="summary">
    ${token(chart.rows.units[rows[row]].label)} ← ${token(chart.columns.units[columns[column]].label)}
    ${number(at(row, column))}, ${more}</p>`;
}

function hiddenTokens({ selection }: ViewState, chart: Chart) {
  if (selection.specialTokens) return nothing;
  const special = chart.columns.units.flatMap((unit, c) => (unit.special ? [c] : []));
  const hidden = chart.rows.units.flatMap((unit, r) =>
    unit.special ? [] : [special.reduce((sum, c) => sum + (chart.row(r)[c] || 0), 0)],
  );
  const mean = hidden.reduce((a, b) => a + b, 0) / Math.max(1, hidden.length);
  return html`<p class="note" data-testid="hidden-tokens">Special tokens are hidden. They have a mean
    weight of ${number(mean)} in each row, so rows sum to less than 1.</p>`;
}

function legend({ record }: ViewState): TemplateResult {
  return html`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${legendRamp()}></i> 1</span>
    ${record.links.length ? html`<span><i class="key"><i class="link"></i></i> link of the alignment head</span>` : nothing}
    ${record.gold ? html`<span><i class="key"><i class="gold"></i></i> gold link</span>` : nothing}
    <span>Page Up: highest of the row; Page Down: highest of the column</span>
  </p>`;
}
