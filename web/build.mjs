// Bundles the viewer into one file of the Python package. The build is reproducible.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const LIMIT = 60 * 1024; // bytes, gzipped: every saved explanation contains the viewer

const { outputFiles } = await build({
  entryPoints: [here("source/main.ts")],
  absWorkingDir: here("."),
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "utf8", // modules are always UTF-8
  legalComments: "none", // web/README.md lists the licences of bundled packages
  write: false,
});
const licences = readFileSync(here("licences.txt"), "utf8").trim();
// "</script" would end the script element of the page
const text = `/*! ${licences} */\n${outputFiles[0].text.replaceAll("</script", "<\\/script")}`;
const size = gzipSync(text, { level: 9 }).length;
if (size > LIMIT) throw new Error(`view.js has ${size} bytes gzipped; the limit is ${LIMIT}`);
writeFileSync(here("../src/regard/explain/view.js"), text);
console.log(`view.js: ${text.length} bytes, ${size} gzipped`);
