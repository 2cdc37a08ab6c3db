// The sentence and the changes in the fragment of the address, after what the viewer has there:
// #stage/3&text=…&edits=…
import { type Edits, isUnchanged, type LiveSession, UNCHANGED } from "./session";

/** What a shared address says; nothing of a damaged one. */
export function readAddress(): { text: string | null; edits: Edits | null } {
  const fields = parameters(location.hash);
  const edits = fields.get("edits");
  try {
    return {
      text: fields.get("text"),
      edits: edits === null ? null : checked(JSON.parse(edits)),
    };
  } catch {
    return { text: fields.get("text"), edits: null };
  }
}

/** Writes the sentence and the changes, where they differ from those of the page. */
export function writeAddress({ text, edits }: LiveSession, original: string): void {
  const fields = parameters(location.hash);
  fields.delete("text");
  fields.delete("edits");
  if (text !== original) fields.set("text", text);
  if (!isUnchanged(edits)) fields.set("edits", JSON.stringify(edits));
  const [view] = location.hash.slice(1).split("&");
  const rest = fields.toString();
  const hash = view || rest ? `#${view}${rest ? `&${rest}` : ""}` : "";
  if (location.protocol !== "about:" && location.hash !== hash)
    history.replaceState(null, "", hash || location.pathname + location.search);
}

function parameters(hash: string): URLSearchParams {
  const at = hash.indexOf("&");
  return new URLSearchParams(at < 0 ? "" : hash.slice(at + 1));
}

function checked(value: Partial<Edits>): Edits {
  const edits = { ...UNCHANGED, ...value };
  const numbers = (list: unknown) =>
    Array.isArray(list) && list.every((item) => Number.isInteger(item) && item >= 0);
  const fixed = edits.fixed;
  const right =
    numbers(edits.hidden) &&
    numbers(edits.removed) &&
    Array.isArray(edits.off) &&
    edits.off.every((name) => typeof name === "string") &&
    (fixed === null || (Number.isInteger(fixed.word) && fixed.weights.every(Number.isFinite))) &&
    typeof edits.uniform === "boolean" &&
    edits.temperature > 0 &&
    edits.temperature < 1000;
  return right ? edits : UNCHANGED;
}
