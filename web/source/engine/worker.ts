// The engine in a Worker, so that typing never waits for it.
//
//   page → worker: { models } once, then { number, model, text, options }
//   worker → page: { ready }, then { number, record } or { number, error }
//
// Of several requests that wait for the same model and purpose, only the last is answered.
import { type Options, type PlainRecord, Translator } from "./explanation";
import { readModel } from "./model";

export interface Request {
  number: number;
  model: number; // index
  purpose: string;
  text: string;
  options: Options;
}

export type Reply =
  | { ready: true }
  | { number: number; record: PlainRecord }
  | { number: number; record: null } // a newer request replaces it
  | { number: number; error: string };

const scope = self as unknown as {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(reply: Reply, transfer?: Transferable[]): void;
};

let translators: Promise<Translator[]> = Promise.resolve([]);
const waiting = new Map<string, Request>(); // the last of each model and purpose

scope.onmessage = async ({ data }: MessageEvent<{ models: string[] } | Request>) => {
  if ("models" in data) {
    translators = Promise.all(data.models.map(readModel)).then((models) =>
      models.map((model) => new Translator(model)),
    );
    translators.then(
      () => scope.postMessage({ ready: true }),
      (error) => scope.postMessage({ number: -1, error: describe(error) }),
    );
    return;
  }
  const idle = waiting.size === 0;
  const key = `${data.model} ${data.purpose}`;
  const older = waiting.get(key);
  if (older) scope.postMessage({ number: older.number, record: null });
  waiting.set(key, data);
  if (idle) setTimeout(answer); // messages that have arrived already come first
};

async function answer(): Promise<void> {
  const loaded = await translators;
  const requests = [...waiting.values()];
  waiting.clear();
  for (const { number, model, text, options } of requests) {
    try {
      const record = loaded[model].explain(text, options);
      const buffers = new Set(record.arrays.map(({ buffer }) => buffer as ArrayBuffer));
      scope.postMessage({ number, record }, [...buffers]);
    } catch (error) {
      scope.postMessage({ number, error: describe(error) });
    }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
