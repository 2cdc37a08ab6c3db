// The engine of a model that stays on the server.
import type { Engine } from "../engine/client";
import type { Request } from "../engine/worker";
import { decode, type Explanation } from "../record";
import { explain, intervene, type Model } from "./api";

const PAUSE = 250; // milliseconds without a newer request, after which one is sent

export class ServerEngine implements Engine {
  readonly rounds = false;
  readonly #requests = new Map<string, AbortController>();

  constructor(readonly model: Model) {}

  async explain({ purpose, text, options }: Omit<Request, "number">): Promise<Explanation | null> {
    this.#requests.get(purpose)?.abort();
    const request = new AbortController();
    this.#requests.set(purpose, request);
    const { signal } = request;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (signal.aborted) return null;
    try {
      const { changes } = options;
      const record = changes
        ? await intervene(this.model, text, changes, signal)
        : await explain(this.model, text, null, signal);
      return await decode(record);
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  close(): void {
    for (const request of this.#requests.values()) request.abort();
  }
}
