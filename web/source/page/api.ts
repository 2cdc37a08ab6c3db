// The server's interface, as docs/guides/serving.md describes it.

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
  model: string,
  texts: string[],
  options: Options,
  signal: AbortSignal,
): Promise<Answer> {
  return request("v1/translate", { model, texts, ...options }, signal);
}

/** The record of a translation, as JSON; without `target`, of the model's own. */
export async function explain(
  model: string,
  source: string,
  target: string | null,
  signal: AbortSignal,
): Promise<string> {
  const body = { model, source, target };
  return JSON.stringify((await request<{ record: unknown }>("v1/explain", body, signal)).record);
}

/** The paths are relative, so that the server can be behind a proxy with a prefix. */
async function request<T>(path: string, body?: object, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = key.get() ? { Authorization: `Bearer ${key.get()}` } : {};
  const options: RequestInit = { headers, cache: "no-store", signal: signal ?? null };
  if (body) {
    headers["Content-Type"] = "application/json";
    Object.assign(options, { method: "POST", body: JSON.stringify(body) });
  }
  let answer: Response;
  try {
    answer = await fetch(path, options);
    if (answer.ok) return await answer.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new RequestFailure("The server does not answer. Check that it is running.", 0, 0);
  }
  const content = await answer.json().catch(() => ({}));
  const message = content.error ?? `The server answered with status ${answer.status}.`;
  const retryAfter = Number(answer.headers.get("Retry-After")) || 0;
  throw new RequestFailure(message, answer.status, retryAfter);
}
