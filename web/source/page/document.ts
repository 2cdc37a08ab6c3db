// <regard-document>: translates a file, shows its progress, and saves the result.
import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { shared } from "../style";
import { type Model, type TranslatedDocument, translateDocument } from "./api";
import { beginning, plainWarning } from "./messages";

const SHOWN = 20; // segments to check that are listed

type Job =
  | { kind: "running"; done: number; total: number }
  | { kind: "done"; document: TranslatedDocument; file: Blob }
  | { kind: "failed"; message: string };

export class RegardDocument extends LitElement {
  static override styles = [
    shared,
    css`
      section {
        margin-top: 1.25rem; padding: 1rem 1.5rem; border: 1px solid var(--line);
        border-radius: 12px; display: grid; gap: 0.6rem; justify-items: start;
      }
      h2 { font-size: var(--small); }
      progress { width: 100%; accent-color: var(--accent); height: 0.5rem; }
      .buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; }
      button { min-height: 2.75rem; }
      button.save { background: var(--accent); border-color: var(--accent); color: var(--paper); }
      ul { margin: 0; padding: 0; list-style: none; display: grid; gap: 0.4rem; }
      li { border-inline-start: 3px solid var(--mark); padding-inline-start: 0.75rem; }
      .failed { border-inline-start: 3px solid var(--mark); padding-inline-start: 0.75rem; }
      @media (max-width: 46rem) { section { padding: 1rem; } }
    `,
  ];

  #job: Job | null = null;
  #name = "";
  #model: Model | null = null;
  #request = new AbortController();

  /** Translates a file. One that is under way is given up. */
  async open(file: File, model: Model): Promise<void> {
    this.#close();
    this.#name = file.name;
    this.#model = model;
    const { signal } = this.#request;
    this.#set({ kind: "running", done: 0, total: 0 });
    try {
      const document = await translateDocument(file, model, signal, (done, total) => {
        if (!signal.aborted) this.#set({ kind: "running", done, total });
      });
      if (signal.aborted) return;
      const bytes = Uint8Array.from(atob(document.document), (each) => each.charCodeAt(0));
      this.#set({ kind: "done", document, file: new Blob([bytes]) });
    } catch (error) {
      if (signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      this.#set({ kind: "failed", message });
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    const job = this.#job;
    if (!job) return nothing;
    return html`<section aria-label="document" data-testid="document">
      <h2><bdi>${this.#name}</bdi></h2>
      ${job.kind === "running" ? this.#running(job.done, job.total) : nothing}
      ${job.kind === "failed" ? html`<p class="failed" role="alert">${job.message}</p>` : nothing}
      ${job.kind === "done" ? this.#done(job.document) : nothing}
      <div class="buttons">
        ${
          job.kind === "done"
            ? html`<button class="save" data-testid="save-document" @click=${() =>
                save(job.file, this.#target())}>Save ${this.#target()}</button>`
            : nothing
        }
        <button data-testid="close-document" @click=${() => this.#close()}
          >${job.kind === "running" ? "Cancel" : "Close"}</button></div>
      ${job.kind === "done" ? this.#checks(job.document) : nothing}
    </section>`;
  }

  #running(done: number, total: number): TemplateResult {
    const share = total ? done / total : undefined;
    return html`<p class="small soft" role="status" data-testid="document-progress">${
      total ? `${count(done)} of ${count(total)} texts` : "Reading the document…"
    }</p><progress aria-label="progress" max="1" .value=${share ?? 0}></progress>`;
  }

  #done({ report }: TranslatedDocument): TemplateResult {
    const checks = report.to_check ? `${count(report.to_check)} to check` : "nothing to check";
    return html`<p role="status" data-testid="document-summary">${count(report.segments.length)}
      texts translated, ${checks}.</p>`;
  }

  #checks({ report }: TranslatedDocument): TemplateResult | typeof nothing {
    const found = report.segments.filter(({ notes }) => notes.length);
    if (!found.length) return nothing;
    return html`<ul data-testid="document-checks">${found.slice(0, SHOWN).map(
      ({ place, source, notes }) => html`<li><strong>${place}</strong>
        <bdi>${beginning(source)}</bdi> ${notes.map((each) => html`<bdi>${plainWarning(each)}</bdi> `)}</li>`,
    )}</ul>${
      found.length > SHOWN
        ? html`<p class="small soft">and ${count(found.length - SHOWN)} more</p>`
        : nothing
    }`;
  }

  /** The name of the translated file: page.html becomes page.de.html. */
  #target(): string {
    const language = this.#model?.target_language ?? "translated";
    const dot = this.#name.lastIndexOf(".");
    return dot > 0
      ? `${this.#name.slice(0, dot)}.${language}${this.#name.slice(dot)}`
      : `${this.#name}.${language}`;
  }

  #close(): void {
    this.#request.abort();
    this.#request = new AbortController();
    this.#set(null);
  }

  #set(job: Job | null): void {
    this.#job = job;
    this.requestUpdate();
  }
}

function count(value: number): string {
  return value.toLocaleString("en");
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
