// What a view shows if the record has no data for it.
import { html, type TemplateResult } from "lit";
import type { Explanation } from "./record";

export function placeholder(content: unknown): TemplateResult {
  return html`<p class="placeholder" data-testid="placeholder">${content}</p>`;
}

/** For the attention views of a model without attention. */
export function noAttention(record: Explanation): TemplateResult {
  const size = record.summary === null ? 0 : record.numbers(record.summary).length;
  return placeholder(
    html`<strong>${record.model.name}</strong> has no attention${
      size
        ? html`. The decoder gets the source only as one vector of ${size} numbers, before its first
          word`
        : ""
    }. The beam search and intervention views work if the record has their data.`,
  );
}
