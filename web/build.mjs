// Bundles the viewer and the server's page into files of the Python package, reproducibly.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const licences = readFileSync(here("licences.txt"), "utf8").trim();

/** `limit`: bytes, gzipped. */
async function bundle(entry, target, limit) {
  const { outputFiles } = await build({
    entryPoints: [here(entry)],
    absWorkingDir: here("."),
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    charset: "utf8", // modules are always UTF-8
    legalComments: "none", // web/README.md lists the licences of bundled packages
    write: false,
  });
  // "</script" would end the script element of a page
  const text = `/*! ${licences} */\n${outputFiles[0].text.replaceAll("</script", "<\\/script")}`;
  const size = gzipSync(text, { level: 9 }).length;
  if (size > limit) throw new Error(`${target} has ${size} bytes gzipped; the limit is ${limit}`);
  writeFileSync(here(`../src/regard/${target}`), text);
  console.log(`${target}: ${text.length} bytes, ${size} gzipped`);
}

await bundle("source/main.ts", "explain/view.js", 70 * 1024); // a part of every saved explanation
await bundle("source/engine/worker.ts", "explain/engine.js", 20 * 1024); // of pages with a model
await bundle("source/page/main.ts", "serve/page.js", 25 * 1024);
