// <regard-live>: the editor above a viewer. The sentence is translated while one types, by the
// engine in a Worker, and the viewer shows the new record.
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { type Engine, LiveEngine } from "../engine/client";
import type { Explanation } from "../record";
import { shared } from "../style";
import type { RegardView } from "../view";
import { readAddress, writeAddress } from "./address";
import { controls, style as controlsStyle } from "./controls";
import { isUnchanged, LiveSession } from "./session";

/** What the page says about its models. */
export interface Settings {
  text: string; // the first sentence
  names: string[]; // of the models
  examples: string[];
}

const MOST = 400; // characters of a sentence

export class RegardLive extends LitElement {
  static override styles = [shared, controlsStyle, style()];

  /** The engine with all models, when they are read. */
  engine: Promise<Engine> | null = null;

  #session: LiveSession | null = null;
  #settings: Settings = { text: "", names: [], examples: [] };
  #failure = "";
  #copied = false;
  #height = 0;

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.engine) return;
    const contents = (type: string) =>
      Array.from(
        this.querySelectorAll(`:scope > script[type="${type}"]`),
        (script) => script.textContent ?? "",
      );
    const [settings] = contents("application/json");
    const [program] = contents("text/plain");
    const models = contents("application/vnd.regard.model+json");
    const engine = new LiveEngine(program, models);
    this.engine = engine.ready.then(() => engine);
    this.#settings = JSON.parse(settings ?? "{}");
    this.#start(this.engine);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.engine?.then(
      (engine) => engine.close(),
      () => {},
    );
  }

  /** Translates another sentence. */
  use(text: string): void {
    this.#session?.setText(text);
    this.requestUpdate();
    this.#view?.scrollIntoView({ block: "start", behavior: "smooth" });
  }

  get #view(): RegardView | null {
    return this.closest("regard-view");
  }

  /** Uses an engine that is not in the page, before the element is added to it. */
  connect(engine: Engine, settings: Settings): void {
    this.engine = Promise.resolve(engine);
    this.#settings = settings;
    this.#start(this.engine);
  }

  async #start(ready: Promise<Engine>): Promise<void> {
    try {
      const engine = await ready;
      const view = this.#view;
      if (view && !view.records.length)
        await new Promise((resolve) =>
          view.addEventListener("regard-ready", resolve, { once: true }),
        );
      const { text, edits } = readAddress();
      const { names, text: first } = this.#settings;
      const session = new LiveSession(engine, names.length, text ?? first, this);
      if (edits) session.edits = edits;
      this.#session = session;
      if (engine.rounds || text !== null || edits) await session.translate();
      else session.begin(view?.records ?? []);
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
    }
    this.requestUpdate();
  }

  /** Shows a new translation. */
  replace(record: Explanation, model: number): void {
    this.#view?.replace(record, model);
    this.requestUpdate();
  }

  extend(record: Explanation, model: number): void {
    this.#view?.extend(record, model);
  }

  fail(): void {
    this.requestUpdate();
  }

  protected override updated(_: PropertyValues): void {
    const height = this.getBoundingClientRect().height;
    if (height !== this.#height) this.#view?.requestUpdate(); // the stage fills the rest of the window
    this.#height = height;
    this.toggleAttribute("present", this.#view?.hasAttribute("present") ?? false);
    if (this.#session) writeAddress(this.#session, this.#settings.text);
  }

  protected override render(): TemplateResult {
    const session = this.#session;
    if (this.#failure) return problem(this.#failure);
    if (!session) return html`<p class="soft">The model is being read.</p>`;
    return html`<section aria-label="the sentence and its changes">
      <div class="line">
        <textarea rows="1" maxlength=${MOST} dir="auto" spellcheck="false" data-testid="live-source"
          aria-label="sentence to translate" placeholder="Type a sentence" .value=${session.text}
          @input=${this.#onInput}></textarea>
        ${this.#settings.examples.length ? this.#examples() : nothing}
        <button data-testid="share" @click=${this.#copy}>${this.#copied ? "Copied" : "Copy link"}</button>
      </div>
      ${session.error ? problem(session.error) : nothing}
      ${controls(session, () => this.requestUpdate())}
      ${this.#settings.names.map((name, model) => this.#output(session, name, model))}
    </section>`;
  }

  #examples(): TemplateResult {
    const choose = (event: Event) => {
      const menu = event.target as HTMLSelectElement;
      this.use(menu.value);
      menu.selectedIndex = 0;
    };
    return html`<select aria-label="Examples" data-testid="examples" @change=${choose}>
      <option value="" disabled selected>Examples</option>
      ${this.#settings.examples.map((text) => html`<option value=${text}>${text}</option>`)}</select>`;
  }

  /** The translation for screen readers, and where it was changed also what it was before. */
  #output(session: LiveSession, name: string, model: number): TemplateResult {
    const text = session.explanations[model]?.target.text ?? "";
    const before = session.originals[model]?.target.text ?? "";
    const changed = !isUnchanged(session.edits) && text !== before;
    const label = session.models > 1 ? `${name}: ` : "";
    return html`<p class="output" data-testid="live-output" data-model=${model} data-changed=${changed}>
      <span class=${changed ? "" : "hidden"} aria-live="polite">${label}<span dir="auto"
        data-testid="live-translation">${text}</span></span>
      ${changed ? html`<span class="soft">before: <span dir="auto">${before}</span></span>` : nothing}
    </p>`;
  }

  #onInput(event: Event): void {
    this.#session?.setText((event.target as HTMLTextAreaElement).value);
  }

  async #copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(location.href);
      this.#copied = true;
      setTimeout(() => {
        this.#copied = false;
        this.requestUpdate();
      }, 2000);
    } catch {
      if (this.#session)
        this.#session.error = "The browser does not allow copying. Copy the address of the page.";
    }
    this.requestUpdate();
  }
}

function problem(text: string): TemplateResult {
  return html`<p class="placeholder" role="alert">${text}</p>`;
}

function style() {
  return css`
    section { display: grid; gap: 0.5rem; margin: 0.5rem 0; }
    .line { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: start; }
    textarea {
      font: inherit; font-size: 1.2rem; padding: 0.3rem 0.6rem; border: 1px solid var(--line);
      border-radius: 8px; background: var(--paper); color: var(--ink); resize: none;
      field-sizing: content; flex: 1; min-width: min(20rem, 100%);
    }
    .line select { max-width: 8rem; }
    :host([present]) :is(textarea, button, select, label, summary, legend, p, span) { font-size: 1.5rem; }
    :host([present]) :is(.line select, .line button) { display: none; }
    .output { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; font-size: 1.1rem; }
  `;
}
