// The matrix as a picture: an SVG text, and a PNG of it.
import { printedScale, textOn } from "./colour";
import { rounded } from "./describe";
import type { Grid } from "./layout";

const CELL = 40; // pixels
const LABEL = 120; // for the labels of rows, and for those of columns
const SCALE = 2; // pixels of the PNG for each unit
const FONT = "14px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif";

/** The matrix on white, with the labels of its rows and columns. */
export function picture({ chart, rows, columns, at }: Grid): string {
  const [width, height] = [LABEL + columns.length * CELL + 8, LABEL + rows.length * CELL + 8];
  const cells = rows.flatMap((_, r) =>
    columns.map((_, c) => {
      const value = at(r, c);
      const [x, y] = [LABEL + c * CELL, LABEL + r * CELL];
      const fill = Number.isNaN(value) ? "#fff" : printedScale(value);
      const number =
        value >= 0.005
          ? `<text x="${x + CELL / 2}" y="${y + CELL / 2 + 4}" text-anchor="middle" font-size="11" fill="${textOn(fill)}">${rounded(value)}</text>`
          : "";
      return `<rect x="${x}" y="${y}" width="${CELL}" height="${CELL}" fill="${fill}"/>${number}`;
    }),
  );
  const side = rows.map(
    (unit, r) =>
      `<text x="${LABEL - 8}" y="${LABEL + (r + 0.5) * CELL + 5}" text-anchor="end">${label(chart.rows.units[unit].label)}</text>`,
  );
  const top = columns.map((unit, c) => {
    const [x, y] = [LABEL + (c + 0.5) * CELL + 5, LABEL - 8];
    return `<text x="${x}" y="${y}" transform="rotate(-55 ${x} ${y})">${label(chart.columns.units[unit].label)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" style="font:${FONT}"><rect width="100%" height="100%" fill="#fff"/>${[...cells, ...side, ...top].join("")}</svg>`;
}

/** A PNG of an SVG text. */
export async function png(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * SCALE;
  canvas.height = image.height * SCALE;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture")))),
  );
}

/** A label of at most 14 characters, escaped, without characters that XML does not allow. */
function label(text: string): string {
  const characters = [...text].filter((each) => /[^\p{C}]/u.test(each));
  const short =
    characters.length > 14 ? `${characters.slice(0, 13).join("")}…` : characters.join("");
  return short.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
