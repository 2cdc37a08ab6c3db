// Bundles the tests and runs them with the test runner of Node.js.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const tests = readdirSync(here("tests")).filter((name) => name.endsWith(".test.ts"));
rmSync(here("build"), { recursive: true, force: true });
await build({
  entryPoints: tests.map((name) => here(`tests/${name}`)),
  outdir: here("build"),
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
});
const files = readdirSync(here("build")).map((name) => here(`build/${name}`));
process.exitCode = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status;
