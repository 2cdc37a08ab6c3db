// Runs the engine in Node.js: a request is a line of JSON on stdin, its answer a line on stdout.
//
//   {"do": "load", "path": FILE}                     reads a model regard.live/1
//   {"do": "greedy" | "beam", "sources": [ids, …], "changes": …, "size": …}
//   {"do": "trace", "source": ids, "target": ids, "changes": …, "traced": …}
//   {"do": "time", "source": ids, "runs": N, "maxLength": N}   processor time of greedy translations, ms
//
// Float32Arrays of an answer are base64. An error is {"error": message}.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL("source/engine/main.ts", import.meta.url))],
  bundle: true,
  format: "esm",
  target: "es2022",
  write: false,
});
const script = Buffer.from(outputFiles[0].contents).toString("base64");
const engine = await import(`data:text/javascript;base64,${script}`);

let model;

const answers = {
  async load({ path }) {
    const begin = performance.now();
    model = await engine.readModel(readFileSync(path, "utf8"));
    return { milliseconds: performance.now() - begin };
  },
  greedy: ({ sources, ...options }) =>
    sources.map((ids) => engine.greedy(model, model.encode(ids), options)),
  beam: ({ sources, ...options }) =>
    sources.map((ids) => engine.beam(model, model.encode(ids), options)),
  trace: ({ source, target, changes, traced }) =>
    engine.trace(model, source, target, changes, traced),
  time: ({ source, runs, maxLength }) =>
    Array.from({ length: runs }, () => {
      const begin = process.cpuUsage();
      engine.greedy(model, model.encode(source), { maxLength });
      const { user, system } = process.cpuUsage(begin);
      return (user + system) / 1000;
    }),
};

function pack(_key, value) {
  if (!(value instanceof Float32Array)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
}

for await (const line of createInterface({ input: process.stdin })) {
  const { do: name, ...request } = JSON.parse(line);
  let answer;
  try {
    answer = await answers[name](request);
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(`${JSON.stringify(answer, pack)}\n`);
}
