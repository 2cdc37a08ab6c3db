// What a view says where a record has nothing for it.
import { html, type TemplateResult } from "lit";
import type { Explanation } from "./record";

export function empty(words: unknown): TemplateResult {
  return html`<p class="empty" data-testid="empty">${words}</p>`;
}

/** For the views of attention, where the model has none. */
export function noAttention(record: Explanation): TemplateResult {
  const width = record.summary === null ? 0 : record.numbers(record.summary).length;
  return empty(html`<strong>${record.model.name}</strong> has no attention: it never looks back at
    what it read${
      width
        ? html`. Everything it knows of the sentence is in these ${width} numbers, which it was
            handed before it said its first word`
        : ""
    }. There is nothing to draw here; the beam and the “what if” views still work, where recorded.`);
}
