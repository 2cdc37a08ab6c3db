// <regard-translator>: the page of the server. It translates while one types.
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { nextUnit } from "../sentence";
import { shared } from "../style";
import { counterparts, linked, wordsAt } from "./alignment";
import { alternatives } from "./alternatives";
import type { Ranked } from "./api";
import type { RegardDocument } from "./document";
import { beginning, languageName, modelKey, modelLabel, plainWarning } from "./messages";
import { type Row, Session } from "./session";
import type { RegardSteps } from "./steps";
import { style } from "./style";
import {
  mirror,
  type Place,
  placeOf,
  result,
  selectorOf,
  wordAtOffset,
  wordAtPoint,
} from "./texts";

const READ_OUT = 500; // characters that a screen reader reads at once
const MOVES = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];

const swapIcon = html`<svg viewBox="0 0 20 20" aria-hidden="true">
  <path d="M4 7h12m-3.5-3.5L16 7l-3.5 3.5M16 13H4m3.5-3.5L4 13l3.5 3.5"/></svg>`;

export class RegardTranslator extends LitElement {
  static override styles = [shared, style];

  readonly #session = new Session(
    {
      characters: Number(this.dataset.maxCharacters),
      texts: Number(this.dataset.maxTexts),
      beam: Number(this.dataset.maxBeamSize),
    },
    () => this.requestUpdate(),
  );
  #current: Place = { side: "target", row: 0, word: 0 }; // the word that can have the focus
  #active: Place | null = null; // the word whose counterparts are marked
  #marked: Element[] = [];
  #open: (Place & { failure: string; position: string }) | null = null; // its alternatives
  #copied = 0; // timer
  #focus = ""; // selector of the element to focus after rendering
  readonly #onPointerDown = (event: Event) => {
    const path = event.composedPath() as Element[];
    if (!path.some((each) => each.matches?.(".alternatives, .result"))) this.#close();
  };

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener("pointerdown", this.#onPointerDown);
    this.#session.open();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener("pointerdown", this.#onPointerDown);
  }

  protected override render(): TemplateResult {
    const { model, models, reverse, text, rows } = this.#session;
    const source = languageName(model?.source_language ?? null);
    const target = languageName(model?.target_language ?? null);
    return html`<header>
        <h1>regard</h1><p>Translations that show where every word came from</p>
        ${
          models.length > 1
            ? html`<select aria-label="Languages" data-testid="model" @change=${(event: Event) =>
                this.#setModel((event.target as HTMLSelectElement).value)}>${models.map(
                (each) => html`<option value=${modelKey(each, models)} ?selected=${each === model}
                  >${modelLabel(each, models)}</option>`,
              )}</select>`
            : nothing
        }
        <a href="openapi.json">API</a>
      </header>
      <main @dragover=${this.#onDrag} @dragleave=${this.#onDrag} @drop=${this.#onDrop}>
        <section class="side source" aria-label="text to translate">
          <div class="head"><h2>${source || "Text"}</h2>
            ${
              model?.alignments
                ? html`<button class="plain" data-testid="choose-file" @click=${() =>
                    this.#fileInput?.click()}>Translate a file</button>
                    <input type="file" hidden aria-label="File to translate" data-testid="file"
                      @change=${this.#onFileChosen}>`
                : nothing
            }
            ${
              reverse
                ? html`<button class="plain icon" aria-label="Swap languages" title="Swap languages"
                    data-testid="swap" @click=${() => this.#swap()}>${swapIcon}</button>`
                : nothing
            }</div>
          <div class="editor" @pointermove=${this.#onPointerMove} @pointerleave=${() =>
            this.#activate(null)}>
            ${mirror(this.#session)}
            <textarea aria-label=${source ? `${source} text` : "Text"} data-testid="source" dir="auto"
              lang=${model?.source_language ?? nothing} spellcheck="true" .value=${text}
              placeholder="Type or paste text" @input=${this.#onInput} @click=${this.#onCaret}
              @keyup=${this.#onCaret}></textarea>
          </div>
          <div class="foot">${this.#count()}
            <button class="plain" ?hidden=${!text} data-testid="clear" @click=${() => this.#clear()}
              >Clear</button></div>
        </section>
        <section class="side target" aria-label="translation and what is known about it">
          <div class="head"><h2>${target || "Translation"}</h2>${this.#progress()}</div>
          <div class="output" @pointerover=${this.#onHover} @pointerleave=${() => this.#activate(null)}
            @focusin=${this.#onFocus} @click=${this.#onSelect} @keydown=${this.#onKey}>
            ${this.#problem()}
            ${rows.length ? result(this.#session, this.#current, this.#open) : this.#empty()}
            ${this.#alternatives()}
          </div>
          <div class="foot"><p class="link small soft" aria-live="polite" data-testid="link"
              dir="auto">${this.#description()}</p>
            <button class="plain" ?hidden=${!rows.length} data-testid="show-steps"
              @click=${() => this.#showSteps(this.#current.row)}>Show how</button>
            <button class="plain" ?hidden=${!rows.length} data-testid="copy"
              @click=${() => this.#copy()}>${this.#copied ? "Copied" : "Copy"}</button></div>
        </section>
      </main>
      <regard-document></regard-document>
      ${this.#warnings()}
      <footer class="small soft"><p>The text is sent to this server only, and is not written to its
        disk.</p></footer>
      <p class="hidden" role="status" data-testid="live">${this.#announcement()}</p>`;
  }

  protected override updated(_: PropertyValues): void {
    this.#mark();
    if (!this.#focus) return;
    const element = this.renderRoot.querySelector<HTMLElement>(this.#focus);
    this.#focus = "";
    element?.focus();
  }

  #count(): TemplateResult {
    const { characters, limits } = this.#session;
    const [used, limit] = [characters, limits.characters].map((each) => each.toLocaleString("en"));
    return html`<p class="small soft" data-testid="count" ?data-over=${characters > limits.characters}>
      ${used} <span class="limit">/ ${limit}</span></p>`;
  }

  #progress(): TemplateResult | typeof nothing {
    return this.#session.state.kind === "translating"
      ? html`<span class="small soft progress" data-testid="progress">Translating…</span>`
      : nothing;
  }

  #empty(): TemplateResult | typeof nothing {
    const { state, model } = this.#session;
    if (state.kind === "failed" || state.kind === "no-key") return nothing;
    return html`<div class="empty soft" data-testid="empty">
      <p>The translation appears here as you type.</p>
      ${
        model?.alignments
          ? html`<p class="small">Point at a word to see where it came from. Select it to see other
              translations.</p>`
          : nothing
      }</div>`;
  }

  /** What went wrong, and what to do. */
  #problem(): TemplateResult | typeof nothing {
    const { state, limits } = this.#session;
    const retry = html`<button data-testid="retry" @click=${() => this.#session.retry()}>Try
      again</button>`;
    switch (state.kind) {
      case "no-key":
        return html`<form class="problem" data-testid="key-form" @submit=${this.#onKeyEntered}>
          <label for="key">${
            state.refused ? "The server does not accept this key." : "This server needs a key."
          }</label>
          <div class="field-row"><input id="key" type="password" autocomplete="off" required
            aria-describedby="key-note" data-testid="key"><button data-testid="use-key">Use
            key</button></div>
          <p class="small soft" id="key-note">The administrator of the server makes keys. This tab
            keeps the key until it is closed.</p></form>`;
      case "waiting":
        return html`<p class="problem" role="alert" data-testid="problem">${state.message} The page
          tries again in ${state.seconds} s.</p>`;
      case "failed":
        return html`<div class="problem" role="alert" data-testid="problem"><p>${state.message}</p>
          ${retry}</div>`;
      case "too-long":
        return html`<p class="problem" role="alert" data-testid="problem">The text has more than
          ${limits.characters.toLocaleString("en")} characters. Shorten it, or translate it in parts.</p>`;
      default:
        return nothing;
    }
  }

  /** Where the active word came from, or what it became. */
  #description(): unknown {
    const place = this.#active;
    const row = place && this.#session.rows[place.row];
    const shown = row?.translated?.shown;
    if (!place || !row || !shown?.alignment) return nothing;
    const pair = linked(row.source, shown);
    const fromSource = place.side === "source";
    const [text, spans] = fromSource ? [row.source, pair.source] : [shown.text, pair.target];
    const [other, others] = fromSource ? [shown.text, pair.target] : [row.source, pair.source];
    const word = wordsAt(text, spans, [place.word]);
    const found = wordsAt(other, others, counterparts(pair, place.side, place.word));
    if (!found) return html`<bdi>${word}</bdi> has no counterpart`;
    return html`<bdi>${word}</bdi> ${fromSource ? "became" : "comes from"} <bdi class="word">${found}</bdi>`;
  }

  #warnings(): TemplateResult | typeof nothing {
    const { rows } = this.#session;
    const checked = rows.flatMap(({ source, translated }) =>
      translated?.warnings.length && translated.shown === translated.best
        ? [{ source, warnings: translated.warnings, underlined: translated.unaligned.length > 0 }]
        : [],
    );
    if (!checked.length) return nothing;
    return html`<section class="warnings" aria-label="warnings" data-testid="warnings">
      <h2>Check the translation</h2>
      <ul>${checked.map(
        ({ source, warnings }) =>
          html`<li>${
            rows.length > 1 ? html`<strong><bdi>${beginning(source)}</bdi></strong> ` : nothing
          }${warnings.map((each) => html`<bdi>${plainWarning(each)}</bdi> `)}</li>`,
      )}</ul>
      ${
        checked.some(({ underlined }) => underlined)
          ? html`<p class="small soft" data-testid="legend"><span class="sample">underlined</span> in
              the text: has no counterpart in the translation</p>`
          : nothing
      }</section>`;
  }

  /** For screen readers: the translation when it is complete. */
  #announcement(): string {
    const { state, rows, translation } = this.#session;
    const complete = state.kind === "ready" && rows.every((row) => row.translated);
    if (!complete) return "";
    return translation.length > READ_OUT ? `${rows.length} sentences are translated` : translation;
  }

  #alternatives(): TemplateResult | typeof nothing {
    const open = this.#open;
    const row = open && this.#session.rows[open.row];
    if (!row) return nothing;
    return alternatives({
      row,
      word: open.word,
      failure: open.failure,
      position: open.position,
      select: (hypothesis) => this.#choose(row, hypothesis),
      showSteps: () => this.#showSteps(open.row),
      close: (refocus) => this.#close(refocus),
    });
  }

  #setModel(key: string): void {
    this.#reset();
    this.#session.setModel(key);
  }

  #swap(): void {
    this.#reset();
    this.#session.swap();
  }

  #clear(): void {
    this.#reset();
    this.#session.setText("");
    this.#focus = "textarea";
  }

  #reset(): void {
    this.#current = { side: "target", row: 0, word: 0 };
    this.#active = this.#open = null;
  }

  async #copy(): Promise<void> {
    const { translation } = this.#session;
    try {
      await navigator.clipboard.writeText(translation);
    } catch {
      copyBySelection(translation); // browsers have no clipboard for plain HTTP
    }
    clearTimeout(this.#copied);
    this.#copied = window.setTimeout(() => {
      this.#copied = 0;
      this.requestUpdate();
    }, 2000);
    this.requestUpdate();
  }

  #showSteps(at: number): void {
    const { rows, model } = this.#session;
    if (!model) return;
    this.#close();
    const sentences = rows.map(({ source, translated }) => ({
      source,
      target: translated && translated.shown !== translated.best ? translated.shown.text : null,
    }));
    const known = document.querySelector<RegardSteps>("regard-steps");
    const steps = known ?? (document.createElement("regard-steps") as RegardSteps);
    if (!known) document.body.append(steps);
    steps.open(this.dataset.viewer ?? "", model, sentences, Math.min(at, rows.length - 1));
  }

  #choose(row: Row, hypothesis: Ranked): void {
    const current = this.#current;
    this.#session.select(row, hypothesis);
    const last = linked(row.source, hypothesis).target.length - 1;
    this.#current = { ...current, word: Math.max(0, Math.min(current.word, last)) };
    this.#close(true);
  }

  #close(refocus = false): void {
    if (!this.#open) return;
    this.#open = null;
    this.#active = null;
    if (refocus) this.#focus = selectorOf(this.#current);
    this.requestUpdate();
  }

  /** Marks the counterparts of a word. */
  #activate(place: Place | null): void {
    const next = place ?? this.#open;
    const same = next && this.#active && selectorOf(next) === selectorOf(this.#active);
    if (same || next === this.#active) return;
    this.#active = next;
    this.requestUpdate();
  }

  #mark(): void {
    for (const element of this.#marked) element.removeAttribute("data-marked");
    this.#marked = [];
    const place = this.#active;
    const row = place && this.#session.rows[place.row];
    if (!place || !row?.translated) return;
    const side = place.side === "source" ? "target" : "source";
    const others = counterparts(linked(row.source, row.translated.shown), place.side, place.word);
    const add = (each: Place, kind: string) => {
      const element = this.renderRoot.querySelector(selectorOf(each));
      element?.setAttribute("data-marked", kind);
      if (element) this.#marked.push(element);
    };
    add(place, "word");
    for (const word of others) add({ side, row: place.row, word }, "counterpart");
  }

  get #fileInput(): HTMLInputElement | null {
    return this.renderRoot.querySelector("input[type=file]");
  }

  #translateFile(file: File | undefined): void {
    const { model } = this.#session;
    const element = this.renderRoot.querySelector<RegardDocument>("regard-document");
    if (file && model?.alignments) element?.open(file, model);
  }

  #onFileChosen(event: Event): void {
    const input = event.target as HTMLInputElement;
    this.#translateFile(input.files?.[0]);
    input.value = ""; // so that the same file can be chosen again
  }

  #onDrag(event: DragEvent): void {
    if (!event.dataTransfer?.types.includes("Files")) return; // text is dropped into the editor
    event.preventDefault();
    const over = event.type === "dragover";
    (event.currentTarget as HTMLElement).toggleAttribute("data-dropping", over);
  }

  #onDrop(event: DragEvent): void {
    this.#onDrag(event);
    this.#translateFile(event.dataTransfer?.files[0]);
  }

  #onInput(event: Event): void {
    this.#active = this.#open = null;
    this.#session.setText((event.target as HTMLTextAreaElement).value);
    const { rows } = this.#session;
    if (this.#current.row >= rows.length) this.#current = { side: "target", row: 0, word: 0 };
  }

  /** The caret selects a word of the source, as focus selects one of the translation. */
  #onCaret(event: Event): void {
    if (event instanceof KeyboardEvent && !MOVES.includes(event.key)) return;
    const { selectionStart, selectionEnd } = event.target as HTMLTextAreaElement;
    if (selectionStart === selectionEnd)
      this.#activate(wordAtOffset(this.#session, selectionStart));
  }

  #onPointerMove(event: PointerEvent): void {
    if (event.pointerType === "mouse")
      this.#activate(wordAtPoint(this.renderRoot, event.clientX, event.clientY));
  }

  #onHover(event: PointerEvent): void {
    if (event.pointerType === "mouse" && !this.#open) this.#activate(placeOf(event.target));
  }

  #onFocus(event: FocusEvent): void {
    const place = placeOf(event.target);
    if (!place) return;
    this.#current = place;
    this.#activate(place);
    this.requestUpdate();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === "Escape" && this.#open) {
      event.preventDefault();
      this.#close(true);
      return;
    }
    const place = placeOf(event.target);
    if (!place) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#openAlternatives(place);
      return;
    }
    const places = this.#session.rows.flatMap((row, r) =>
      row.translated
        ? linked(row.source, row.translated.shown).target.map((_, word) => ({ row: r, word }))
        : [],
    );
    const at = places.findIndex(({ row, word }) => row === place.row && word === place.word);
    const rightToLeft = getComputedStyle(event.target as Element).direction === "rtl";
    const next = nextUnit(event.key, at, places.length - 1, rightToLeft);
    if (next === null) return;
    event.preventDefault();
    this.#current = { side: "target", ...places[next] };
    this.#focus = selectorOf(this.#current);
    this.requestUpdate();
  }

  #onSelect(event: Event): void {
    const place = placeOf(event.target);
    if (place) this.#openAlternatives(place);
  }

  async #openAlternatives(place: Place): Promise<void> {
    const { rows } = this.#session;
    const word = this.renderRoot.querySelector<HTMLElement>(selectorOf(place));
    if (!word) return;
    this.#current = this.#active = place;
    this.#open = { ...place, failure: "", position: below(word) };
    this.#focus = ".alternatives";
    this.requestUpdate();
    try {
      await this.#session.alternatives(rows[place.row]);
    } catch (error) {
      if (this.#open) this.#open.failure = error instanceof Error ? error.message : String(error);
      this.requestUpdate();
    }
    await this.updateComplete;
    if (!this.#open || selectorOf(this.#open) !== selectorOf(place)) return;
    this.renderRoot.querySelector<HTMLElement>('.option[aria-pressed="true"]')?.focus();
  }

  #onKeyEntered(event: Event): void {
    event.preventDefault();
    const input = this.renderRoot.querySelector<HTMLInputElement>("#key");
    this.#session.useKey(input?.value ?? "");
    this.#focus = "textarea";
  }
}

/** The style that places a panel below a word, within its offset parent. */
function below(word: HTMLElement): string {
  const frame = word.closest(".output")?.getBoundingClientRect() ?? new DOMRect();
  const line = Array.from(word.getClientRects()).at(-1) ?? word.getBoundingClientRect();
  return `--top:${line.bottom - frame.top + 6}px;--left:${Math.max(0, line.left - frame.left)}px`;
}

function copyBySelection(text: string): void {
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
