// The server's interface, as docs/guides/serving.md describes it.

import type { Changes } from "../engine/changes";

export type Span = [start: number, end: number];

export interface Alignment {
  source: Span[]; // in code points, as all spans of the interface
  target: Span[];
  links: [source: number, target: number][];
}

export interface Ranked {
  text: string;
  alignment: Alignment | null;
}

export interface Translation extends Ranked {
  warnings: string[];
  unaligned: Span[];
  n_best: Ranked[];
}

/** A pair of languages of a model; the languages of some models are not known. */
export interface Model {
  name: string;
  source_language: string | null;
  target_language: string | null;
  alignments: boolean;
  quality: boolean;
}

export interface Answer {
  version: string;
  translations: Translation[];
}

export interface Options {
  n_best?: number;
  alignments?: boolean;
  quality?: boolean;
}

export interface TranslatedDocument {
  document: string; // base64
  report: {
    segments: { place: string; source: string; notes: string[] }[];
    to_check: number;
  };
}

/** An answer other than 200, or none (status 0). */
export class RequestFailure extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly retryAfter: number, // seconds; 0: not given
  ) {
    super(message);
  }
}

const KEY = "regard-key";

/** The key, which is kept until the tab is closed. */
export const key = {
  get: (): string => sessionStorage.getItem(KEY) ?? "",
  set: (value: string): void => sessionStorage.setItem(KEY, value),
};

export async function listModels(): Promise<Model[]> {
  return (await request<{ models: Model[] }>("v1/models")).models;
}

export function translate(
  model: Model,
  texts: string[],
  options: Options,
  signal: AbortSignal,
): Promise<Answer> {
  return request("v1/translate", { ...selected(model), texts, ...options }, signal);
}

/** The record of a translation, as JSON; without `target`, of the model's own. */
export async function explain(
  model: Model,
  source: string,
  target: string | null,
  signal: AbortSignal,
): Promise<string> {
  const body = { ...selected(model), source, target };
  return JSON.stringify((await request<{ record: unknown }>("v1/explain", body, signal)).record);
}

/** The record of a translation with changed attention, as JSON. */
export async function intervene(
  model: Model,
  source: string,
  changes: Changes,
  signal: AbortSignal,
): Promise<string> {
  const body = { ...selected(model), source, changes };
  return JSON.stringify((await request<{ record: unknown }>("v1/intervene", body, signal)).record);
}

/** Translates a file; `progress` is called with the translated texts and all. */
export async function translateDocument(
  file: File,
  model: Model,
  signal: AbortSignal,
  progress: (done: number, total: number) => void,
): Promise<TranslatedDocument> {
  const query = new URLSearchParams({ name: file.name, ...selected(model) });
  const headers = { "Content-Type": "application/octet-stream", Accept: "text/event-stream" };
  const answer = await send(`v1/documents?${query}`, {
    method: "POST",
    body: file,
    headers,
    signal,
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const part = await reader?.read().catch(() => undefined);
    if (!part || part.done) break;
    text += part.value;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const each of events) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/su.exec(each) ?? [];
      const values = data ? JSON.parse(data) : {};
      if (name === "progress") progress(values.done, values.total);
      if (name === "error") throw new RequestFailure(values.error, values.status, 0);
      if (name === "done") return values;
    }
  }
  throw new RequestFailure("The connection was lost. Try again.", 0, 0);
}

function selected(model: Model): Record<string, string> {
  const language = model.target_language;
  return { model: model.name, ...(language && { target_language: language }) };
}

async function request<T>(path: string, body?: object, signal?: AbortSignal): Promise<T> {
  const options: RequestInit = { signal: signal ?? null };
  if (body) {
    const headers = { "Content-Type": "application/json" };
    Object.assign(options, { method: "POST", body: JSON.stringify(body), headers });
  }
  const answer = await send(path, options);
  return await answer.json().catch((error) => {
    throw signal?.aborted ? error : unreachable();
  });
}

function unreachable(): RequestFailure {
  return new RequestFailure("The server does not answer. Check that it is running.", 0, 0);
}

/** The paths are relative, so that the server can be behind a proxy with a prefix. */
async function send(path: string, options: RequestInit): Promise<Response> {
  const headers = new Headers(options.headers);
  if (key.get()) headers.set("Authorization", `Bearer ${key.get()}`);
  let answer: Response;
  try {
    answer = await fetch(path, { ...options, headers, cache: "no-store" });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw unreachable();
  }
  if (answer.ok) return answer;
  const content = await answer.json().catch(() => ({}));
  const message = content.error ?? `The server answered with status ${answer.status}.`;
  const retryAfter = Number(answer.headers.get("Retry-After")) || 0;
  throw new RequestFailure(message, answer.status, retryAfter);
}
