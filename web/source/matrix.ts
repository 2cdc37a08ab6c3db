// The matrix: a row for each word that looks, a column for each that is looked at.
import { html, nothing, type TemplateResult } from "lit";
import type { Chart } from "./chart";
import { cividis } from "./colour";
import { caption, controls } from "./controls";
import { noAttention } from "./empty";
import { drawn } from "./grid";
import { focused, type Grid, laid } from "./laid";
import { highest } from "./math";
import { saveButton } from "./save";
import { type Scene, shown } from "./scene";
import { looked, number, token } from "./words";

export function matrix(scene: Scene): TemplateResult {
  const chart = shown(scene);
  if (!chart) return noAttention(scene.record);
  const grid = laid(scene, chart);
  const marks = html`<label class="inline"><input type="checkbox" data-testid="ends"
    .checked=${scene.choice.ends}
    @change=${() => scene.change({ ends: !scene.choice.ends })}> start and end marks</label>`;
  return html`${controls(scene, [marks, saveButton(grid)])} ${drawn(scene, grid)} ${spoken(scene, grid)}
    ${hiddenMarks(scene, chart)} ${legend(scene)} ${caption(scene)}`;
}

function spoken(scene: Scene, grid: Grid): TemplateResult {
  const { chart, rows, columns, at } = grid;
  if (!rows.length || !columns.length)
    return html`<p class="said">Only marks, and they are hidden.</p>`;
  const [row, column] = focused(scene, grid);
  if (Number.isNaN(at(row, column)))
    return html`<p class="said" data-testid="said">${looked(chart, rows[row])}</p>`;
  const best = highest(columns.map((_, c) => at(row, c)));
  const more =
    best === column
      ? "its highest"
      : html`its highest is ${token(chart.columns.units[columns[best]].label)} ${number(at(row, best))}`;
  return html`<p class="said" data-testid="said">
    ${token(chart.rows.units[rows[row]].label)} ← ${token(chart.columns.units[columns[column]].label)}
    ${number(at(row, column))}, ${more}</p>`;
}

function hiddenMarks({ choice }: Scene, chart: Chart) {
  if (choice.ends) return nothing;
  const marks = chart.columns.units.flatMap((unit, c) => (unit.mark ? [c] : []));
  const taken = chart.rows.units.flatMap((unit, r) =>
    unit.mark ? [] : [marks.reduce((sum, c) => sum + (chart.row(r)[c] || 0), 0)],
  );
  const mean = taken.reduce((a, b) => a + b, 0) / Math.max(1, taken.length);
  return html`<p class="note" data-testid="hidden-marks">Marks are hidden. They took
    ${number(mean)} of the look of a row on average, so rows sum to less than 1.</p>`;
}

function legend({ record }: Scene): TemplateResult {
  const steps = Array.from({ length: 17 }, (_, i) => cividis(i / 16));
  return html`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${`background:linear-gradient(90deg,${steps.join()})`}></i> 1</span>
    ${record.links.length ? html`<span><i class="key"><i class="link"></i></i> linked by the best look</span>` : nothing}
    ${record.gold ? html`<span><i class="key"><i class="gold"></i></i> linked by hand (gold)</span>` : nothing}
    <span>Page Up: the row’s highest; Page Down: the column’s</span>
  </p>`;
}
