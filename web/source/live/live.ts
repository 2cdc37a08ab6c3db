// <regard-live>: the editor above a viewer. The sentence is translated while one types, by the
// engine in a Worker, and the viewer shows the new record.
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { LiveEngine } from "../engine/client";
import type { Explanation } from "../record";
import { shared } from "../style";
import type { RegardView } from "../view";
import { readAddress, writeAddress } from "./address";
import { controls, style as controlsStyle } from "./controls";
import { race, style as raceStyle } from "./race";
import { isUnchanged, LiveSession } from "./session";

/** What the page says about its models. */
interface Settings {
  text: string; // the first sentence
  names: string[]; // of the models
  examples: string[];
  race: [source: string, reference: string][]; // sentences of growing length; none: no race
}

const MOST = 400; // characters of a sentence

export class RegardLive extends LitElement {
  static override styles = [shared, controlsStyle, raceStyle, style()];

  #session: LiveSession | null = null;
  #settings: Settings = { text: "", names: [], examples: [], race: [] };
  #failure = "";
  #copied = false;

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.#session || this.#failure) return;
    const content = (type: string) =>
      Array.from(
        this.querySelectorAll(`:scope > script[type="${type}"]`),
        (script) => script.textContent ?? "",
      );
    const [settings] = content("application/json");
    const [program] = content("text/plain");
    this.#settings = { ...this.#settings, ...JSON.parse(settings ?? "{}") };
    this.#start(program, content("application/vnd.regard.model+json"));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#session?.engine.close();
  }

  async #start(program: string, models: string[]): Promise<void> {
    try {
      const engine = new LiveEngine(program, models);
      const { text, edits } = readAddress();
      const session = new LiveSession(
        engine,
        models.length,
        text ?? this.#settings.text,
        (record, model) => this.#show(record, model),
      );
      if (edits) session.edits = edits;
      await engine.ready;
      this.#session = session;
      await session.translate();
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
    }
    this.requestUpdate();
    await this.updateComplete;
    performance.mark("regard-live");
    this.dispatchEvent(new Event("regard-live"));
  }

  #show(record: Explanation, model: number): void {
    this.querySelector<RegardView>("regard-view")?.replace(record, model);
    this.requestUpdate();
  }

  protected override updated(_: PropertyValues): void {
    if (this.#session) writeAddress(this.#session, this.#settings.text);
  }

  protected override render(): TemplateResult {
    return html`<section aria-label="sentence">${this.#failure ? this.#problem(this.#failure) : this.#editor()}</section>
      <slot></slot>`;
  }

  #problem(text: string): TemplateResult {
    return html`<p class="placeholder" role="alert">${text}</p>`;
  }

  #editor(): TemplateResult {
    const session = this.#session;
    if (!session) return html`<p class="soft">The model is being read.</p>`;
    return html`${
      this.#settings.race.length && session.models > 1
        ? race(
            session.engine,
            this.#settings,
            (text) => this.#use(text),
            () => this.requestUpdate(),
          )
        : nothing
    }
    <label class="source"><span class="soft">Type a sentence</span>
      <textarea rows="1" maxlength=${MOST} dir="auto" spellcheck="false" data-testid="live-source"
        .value=${session.text} @input=${this.#onInput}></textarea></label>
    ${this.#settings.examples.length ? this.#examples() : nothing}
    <div class="outputs">${this.#settings.names.map((name, i) => this.#output(name, i))}</div>
    ${session.error ? this.#problem(session.error) : nothing}
    ${controls(session, () => this.requestUpdate())}
    <p><button data-testid="share" @click=${this.#copy}>${this.#copied ? "Copied" : "Copy a link to this"}</button></p>`;
  }

  #examples(): TemplateResult {
    return html`<p class="examples">${this.#settings.examples.map(
      (text) =>
        html`<button data-testid="example" @click=${() => this.#use(text)}>${text}</button>`,
    )}</p>`;
  }

  #output(name: string, model: number): TemplateResult {
    const session = this.#session as LiveSession;
    const record = session.explanations[model];
    const original = session.originals[model];
    const changed =
      !isUnchanged(session.edits) &&
      original !== null &&
      record?.target.text !== original.target.text;
    return html`<p class="output" data-testid="live-output" data-model=${model}>
      ${session.models > 1 ? html`<span class="soft">${name}</span> ` : nothing}
      <span dir="auto" aria-live="polite">${record?.target.text ?? ""}</span>
      ${changed ? html`<br><span class="soft small">without changes: <span dir="auto">${original.target.text}</span></span>` : nothing}
    </p>`;
  }

  #use(text: string): void {
    this.#session?.setText(text);
    this.requestUpdate();
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

function style() {
  return css`
    section { display: grid; gap: 0.75rem; margin-bottom: 1.25rem; }
    .source { display: grid; gap: 0.25rem; }
    textarea {
      font: inherit; font-size: 1.35rem; padding: 0.5rem 0.75rem; border: 1px solid var(--line);
      border-radius: 8px; background: var(--paper); color: var(--ink); resize: vertical;
      field-sizing: content; width: 100%;
    }
    .outputs { display: grid; gap: 0.25rem; }
    .output { font-size: 1.35rem; min-height: 2rem; }
    .output .soft { font-size: 0.9375rem; }
    .examples { display: flex; flex-wrap: wrap; gap: 0.35rem; }
    .examples button { font-size: 0.9375rem; }
  `;
}
