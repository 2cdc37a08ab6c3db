// Bundles the viewer into the one file that ships with the Python package; same sources, same bytes.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const LIMIT = 60 * 1024; // bytes, gzipped: every saved explanation carries them

const { outputFiles } = await build({
  entryPoints: [here("source/main.ts")],
  absWorkingDir: here("."),
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "utf8", // modules are UTF-8 whatever the page is
  legalComments: "none", // the licences of what is bundled stand in web/README.md
  write: false,
});
const licences = readFileSync(here("licences.txt"), "utf8").trim();
// "</script" inside the file would end the page's own script element
const text = `/*! ${licences} */\n${outputFiles[0].text.replaceAll("</script", "<\\/script")}`;
const size = gzipSync(text, { level: 9 }).length;
if (size > LIMIT) throw new Error(`view.js has ${size} bytes gzipped; ${LIMIT} are allowed`);
writeFileSync(here("../src/regard/explain/view.js"), text);
console.log(`view.js: ${text.length} bytes, ${size} gzipped`);
