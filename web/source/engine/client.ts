// The page's side of the Worker.
import type { Explanation } from "../record";
import { fromPlain } from "./explanation";
import type { Reply, Request } from "./worker";

/** What translates the sentences of an editor: a Worker of the page, or a server. */
export interface Engine {
  /** Whether it rounds weights, so that its translations may differ from the records of the page. */
  readonly rounds: boolean;
  /** The explanation of a request; null if a newer one for the same model and purpose replaces it. */
  explain(request: Omit<Request, "number">): Promise<Explanation | null>;
  close(): void;
}

/** The engine of a page. */
export class LiveEngine implements Engine {
  readonly rounds = true;
  readonly #worker: Worker;
  readonly #pending = new Map<number, (reply: Reply) => void>();
  #number = 0;
  readonly ready: Promise<void>;

  /** `script`: the program of the Worker; `models`: in the format regard.live/1. */
  constructor(script: string, models: string[]) {
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.#worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.ready = new Promise((resolve, reject) => {
      this.#pending.set(-1, (reply) =>
        "error" in reply ? reject(new Error(reply.error)) : resolve(),
      );
    });
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      const number = "number" in data ? data.number : -1;
      this.#pending.get(number)?.(data);
      this.#pending.delete(number);
    };
    this.#worker.postMessage({ models });
  }

  explain(request: Omit<Request, "number">): Promise<Explanation | null> {
    const number = this.#number++;
    return new Promise((resolve, reject) => {
      this.#pending.set(number, (reply) => {
        if ("record" in reply) resolve(reply.record && fromPlain(reply.record));
        else reject(new Error("error" in reply ? reply.error : "The engine did not answer."));
      });
      this.#worker.postMessage({ number, ...request });
    });
  }

  close(): void {
    this.#worker.terminate();
  }
}
