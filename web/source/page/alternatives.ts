// Other translations of a word and of its sentence, from the n-best list.
import { html, nothing, type TemplateResult } from "lit";
import { counterparts, differences, linked, variants, wordsAt } from "./alignment";
import type { Ranked } from "./api";
import type { Row } from "./session";

export interface Alternatives {
  row: Row;
  word: number;
  failure: string;
  position: string; // its style: where it is
  select(hypothesis: Ranked): void;
  showSteps(): void;
  close(refocus: boolean): void;
}

export function alternatives(props: Alternatives): TemplateResult | typeof nothing {
  const { row, word, failure, position } = props;
  if (!row.translated) return nothing;
  const { shown, hypotheses } = row.translated;
  const pair = linked(row.source, shown);
  const from = wordsAt(row.source, pair.source, counterparts(pair, "target", word));
  return html`<div class="alternatives" role="dialog" aria-label="alternatives" tabindex="-1"
      data-testid="alternatives" .style=${position} @keydown=${onKey}
      @focusout=${(event: FocusEvent) => {
        const panel = event.currentTarget as HTMLElement;
        if (event.relatedTarget && !panel.contains(event.relatedTarget as Node)) props.close(false);
      }}>
    <button class="plain close" aria-label="Close" data-testid="close-alternatives"
      @click=${() => props.close(true)}>${cross}</button>
    ${
      failure
        ? html`<p role="alert">${failure}</p>`
        : hypotheses.length
          ? html`${from ? words(props, from) : nothing} ${sentences(props)}`
          : html`<p class="soft" role="status">Looking for alternatives…</p>`
    }
    <button class="steps" data-testid="word-steps" @click=${props.showSteps}>
      Show how this sentence was translated</button>
  </div>`;
}

export const cross = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 3l10 10M13 3L3 13"/></svg>`;

function words({ row, word, select }: Alternatives, from: string): TemplateResult {
  const { shown, hypotheses } = row.translated as NonNullable<Row["translated"]>;
  const found = variants(row.source, shown, word, hypotheses);
  return html`<h3><span class="soft">for</span> <span dir="auto">${from}</span></h3>
    <div class="chips">${found.map(
      ({ text, hypothesis }) => html`<button class="option" data-testid="word-option" dir="auto"
        aria-pressed=${hypothesis === shown} @click=${() => select(hypothesis)}>${text}</button>`,
    )}</div>
    ${found.length > 1 ? nothing : html`<p class="soft small">All alternatives have the same word.</p>`}`;
}

function sentences({ row, select }: Alternatives): TemplateResult {
  const { shown, hypotheses } = row.translated as NonNullable<Row["translated"]>;
  return html`<h3 class="soft">Whole sentence</h3>
    <div class="options">${hypotheses.map(
      (each) => html`<button class="option" data-testid="sentence-option" dir="auto"
        aria-pressed=${each === shown} @click=${() => select(each)}>${differences(
          each.text,
          shown.text,
        ).map(([part, differs]) => (differs ? html`<b>${part}</b>` : part))}</button>`,
    )}</div>`;
}

function onKey(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const panel = event.currentTarget as HTMLElement;
  const options = Array.from(panel.querySelectorAll<HTMLElement>(".option"));
  const at = options.indexOf((panel.getRootNode() as ShadowRoot).activeElement as HTMLElement);
  options.at(at < 0 ? 0 : (at + step) % options.length)?.focus();
}
