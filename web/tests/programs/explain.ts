// Explains texts with models, for tests/live/test_explanations.py.
import { readFileSync } from "node:fs";
import { Translator } from "../../source/engine/explanation";
import { readModel } from "../../source/engine/model";

const { model, requests } = JSON.parse(readFileSync(0, "utf8"));
const translator = new Translator(await readModel(model));
const records = requests.map(({ text, options }: { text: string; options: object }) => {
  const { header, arrays } = translator.explain(text, options);
  return { header, arrays: arrays.map((numbers) => Array.from(numbers, finite)) };
});
console.log(JSON.stringify(records));

/** JSON has no infinity. */
function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}
