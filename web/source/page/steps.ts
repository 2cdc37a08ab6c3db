// <regard-steps>: a dialog with the viewer. It loads the viewer's script when it is first opened.
import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import type { RegardLive } from "../live/live";
import { shared } from "../style";
import type { RegardView } from "../view";
import { cross } from "./alternatives";
import { explain, type Model } from "./api";
import { ServerEngine } from "./engine";

const left = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M10 3L5 8l5 5"/></svg>`;
const right = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M6 3l5 5-5 5"/></svg>`;

export interface Explained {
  source: string;
  target: string | null; // null: the model's own translation
}

export class RegardSteps extends LitElement {
  #model: Model | null = null;
  #viewer = "";
  #sentences: Explained[] = [];
  #at = 0;
  #message = "";
  #request = new AbortController();

  /** Opens the dialog at one of the sentences. `viewer` is the address of the viewer's script. */
  async open(viewer: string, model: Model, sentences: Explained[], at: number): Promise<void> {
    [this.#viewer, this.#model, this.#sentences] = [viewer, model, sentences];
    this.requestUpdate();
    await this.updateComplete;
    this.renderRoot.querySelector("dialog")?.showModal();
    await this.#show(at);
  }

  async #show(at: number): Promise<void> {
    this.#at = at;
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    this.#say("Recording the computation…");
    const { source, target } = this.#sentences[at];
    if (!this.#model) return;
    try {
      const [record] = await Promise.all([
        explain(this.#model, source, target, signal),
        import(new URL(this.#viewer, document.baseURI).href),
      ]);
      if (signal.aborted) return;
      // The viewer begins with the view in the address.
      history.replaceState(null, "", location.hash.split(/[/&]/)[0] || "#stage");
      const view = document.createElement("regard-view") as RegardView;
      view.style.setProperty("--below", "4.75rem"); // of the stage: the dialog below the viewer
      view.show([record]);
      const editor = document.createElement("regard-live") as RegardLive;
      editor.slot = "editor";
      editor.connect(new ServerEngine(this.#model), { text: source, names: [""], examples: [] });
      view.append(editor);
      this.replaceChildren(view);
      this.#say("");
    } catch (error) {
      if (!signal.aborted) this.#say(error instanceof Error ? error.message : String(error));
    }
  }

  #say(message: string): void {
    this.#message = message;
    if (message) this.replaceChildren();
    this.requestUpdate();
  }

  #close(): void {
    this.#request.abort();
    this.replaceChildren();
    history.replaceState(null, "", location.pathname + location.search);
  }

  protected override render(): TemplateResult {
    const last = this.#sentences.length - 1;
    const dialog = () => this.renderRoot.querySelector("dialog");
    return html`<dialog aria-label="How a sentence was translated" data-testid="steps"
        @close=${() => this.#close()}>
      <div class="head">
        <h2>${last > 0 ? `Sentence ${this.#at + 1} of ${last + 1}` : "How it was translated"}</h2>
        ${
          last > 0
            ? html`<button class="plain" aria-label="Previous sentence" ?disabled=${this.#at === 0}
                data-testid="previous-sentence" @click=${() => this.#show(this.#at - 1)}>${left}</button>
              <button class="plain" aria-label="Next sentence" ?disabled=${this.#at === last}
                data-testid="next-sentence" @click=${() => this.#show(this.#at + 1)}>${right}</button>`
            : nothing
        }
        <button class="plain" aria-label="Close" data-testid="close-steps"
          @click=${() => dialog()?.close()}>${cross}</button>
      </div>
      <section class="body" aria-label="steps of the translation">
        ${this.#message ? html`<p class="soft" role="status">${this.#message}</p>` : nothing}
        <slot></slot>
      </section>
    </dialog>`;
  }

  static override styles = [
    shared,
    css`
      :host { display: contents; }
      dialog {
        width: min(76rem, 100vw - 3rem); height: calc(100dvh - 3rem); max-width: none;
        max-height: none; padding: 0; border: 1px solid var(--line); border-radius: 12px;
        background: var(--paper); color: var(--ink); overflow: hidden;
      }
      dialog::backdrop { background: rgb(0 0 0 / 45%); }
      dialog[open] { display: grid; grid-template-rows: auto 1fr; }
      .head {
        display: flex; align-items: center; gap: 0.5rem; padding: 0.75rem 0.75rem 0.75rem 1.5rem;
        border-bottom: 1px solid var(--line);
      }
      .head h2 { margin-inline-end: auto; }
      .head button { min-height: 2.75rem; }
      .plain { border-color: transparent; min-width: 2.75rem; padding: 0; }
      .plain:disabled { opacity: 0.4; }
      svg {
        width: 1rem; height: 1rem; fill: none; stroke: currentcolor; stroke-width: 1.75;
        stroke-linecap: round; vertical-align: -0.1rem;
      }
      .body { overflow: auto; padding: 1.25rem 1.5rem; overscroll-behavior: contain; }
      @media (max-width: 46rem) {
        dialog { width: 100vw; height: 100dvh; border: 0; border-radius: 0; }
        .head { padding-inline: 1rem 0.5rem; }
        .body { padding: 1rem; }
      }
    `,
  ];
}
