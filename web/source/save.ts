// Saves the shown matrix as a CSV file or as a picture.
import { html, nothing, type TemplateResult } from "lit";
import { csv } from "./csv";
import type { Grid } from "./layout";
import { picture, png } from "./picture";

export function saveButtons(grid: Grid): TemplateResult | typeof nothing {
  if (location.protocol === "about:") return nothing; // a sandboxed notebook frame cannot save files
  const saveCsv = () => save(new Blob([csv(grid)], { type: "text/csv" }), "weights.csv");
  const savePicture = async () => save(await png(picture(grid)), "attention.png");
  return html`<button data-testid="csv" @click=${saveCsv}>Save as CSV</button>
    <button data-testid="picture" @click=${savePicture}>Save picture</button>`;
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
