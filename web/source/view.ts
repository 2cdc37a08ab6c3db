// <regard-view>: the frame around the views, their tabs, and the selection.
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { style as barsStyle } from "./bars";
import { style as beamStyle, beamTree } from "./beam";
import { compare, style as compareStyle } from "./compare";
import { style as formulaStyle } from "./formula";
import { style as gridStyle } from "./grid";
import { heads, style as headsStyle } from "./heads";
import { style as imageStyle, imageView } from "./image";
import { style as interventionsStyle, interventionsView } from "./interventions";
import { style as linksStyle } from "./links";
import { matrix } from "./matrix";
import { decode, type Explanation } from "./record";
import { style as sentenceStyle } from "./sentence";
import { defaultSelection, initialSelection, type Selection, type ViewState } from "./state";
import { style as statesStyle } from "./states";
import { shared } from "./style";
import { style as textStyle, textView } from "./text";
import { advanced, trace, style as traceStyle } from "./trace";

interface View {
  id: string;
  title: string;
  render(state: ViewState): TemplateResult;
  fits(records: Explanation[]): boolean;
}

const always = () => true;
const hasImage = (record: Explanation) => record.source?.kind === "image";

const VIEWS: View[] = [
  { id: "image", title: "Image", render: imageView, fits: (records) => hasImage(records[0]) },
  { id: "text", title: "Text", render: textView, fits: (records) => !hasImage(records[0]) },
  { id: "matrix", title: "Matrix", render: matrix, fits: always },
  { id: "trace", title: "Step by step", render: trace, fits: always },
  { id: "heads", title: "Layers × heads", render: heads, fits: always },
  { id: "beam", title: "Beam search", render: beamTree, fits: always },
  { id: "compare", title: "Compare", render: compare, fits: (records) => records.length > 1 },
  { id: "interventions", title: "Interventions", render: interventionsView, fits: always },
];

export class RegardView extends LitElement {
  static override styles = [
    shared,
    sentenceStyle,
    textStyle,
    gridStyle,
    linksStyle,
    barsStyle,
    formulaStyle,
    traceStyle,
    statesStyle,
    headsStyle,
    beamStyle,
    compareStyle,
    imageStyle,
    interventionsStyle,
  ];

  #records: Explanation[] = [];
  #selection: Selection | null = null;
  #error = "";
  #called = false; // whether a script has called show
  #focus = "";
  #timer = 0; // of step-by-step playback
  #width = 960;
  #resize = new ResizeObserver(([entry]) => {
    this.#width = entry.contentRect.width;
    this.requestUpdate();
  });
  #scheme = matchMedia("(prefers-color-scheme: dark)");
  readonly #redraw = () => this.requestUpdate();
  readonly #followHash = () => this.#change(this.#fromAddress());

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize.observe(this);
    this.#scheme.addEventListener("change", this.#redraw);
    window.addEventListener("hashchange", this.#followHash);
    const scripts = this.querySelectorAll(':scope > script[type="application/json"]');
    if (scripts.length || !this.#called)
      this.show(Array.from(scripts, (script) => script.textContent ?? ""));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
    this.#resize.disconnect();
    this.#scheme.removeEventListener("change", this.#redraw);
    window.removeEventListener("hashchange", this.#followHash);
  }

  /** Shows records, each a JSON text. A script may call it before it adds the element to a page. */
  async show(records: string[]): Promise<void> {
    this.#called = true;
    this.#error = "";
    try {
      this.#records = await Promise.all(records.map(decode));
      if (!this.#records.length) throw new Error("The page has no record to show.");
      const fitting = VIEWS.filter((view) => view.fits(this.#records));
      this.#selection = {
        ...initialSelection(this.#records, fitting[0].id),
        ...this.#fromAddress(),
      };
    } catch (error) {
      this.#error = error instanceof Error ? error.message : String(error);
    }
    this.requestUpdate();
    await this.updateComplete;
    performance.mark("regard-ready");
    this.dispatchEvent(new Event("regard-ready"));
  }

  replace(record: Explanation, index = 0): void {
    this.#records = this.#records.map((each, i) => (i === index ? record : each));
    this.#change({ row: 0, column: -1 });
  }

  /** The selection in the address, if this is the only viewer of the page: `#matrix`, `#trace/3`. */
  #fromAddress(): Partial<Selection> {
    const [name, step] = this.#ownsAddress() ? location.hash.slice(1).split("/") : [];
    const view = VIEWS.find((each) => each.id === name && each.fits(this.#records));
    if (!view) return {};
    const row = Number(step) - 1;
    return row >= 0 ? { view: view.id, row, column: -1 } : { view: view.id };
  }

  #ownsAddress(): boolean {
    return location.protocol !== "about:" && document.querySelectorAll("regard-view").length === 1;
  }

  #change(part: Partial<Selection>, focus = ""): void {
    if (!this.#selection) return;
    const record = part.record;
    const defaults =
      record === undefined ? {} : { ...defaultSelection(this.#records[record]), stage: 0 };
    this.#selection = { ...this.#selection, ...defaults, ...part };
    this.#focus = focus;
    const { view, row } = this.#selection;
    const address = view === "trace" ? `#trace/${row + 1}` : `#${view}`;
    if ((part.view || view === "trace") && this.#ownsAddress() && location.hash !== address)
      history.replaceState(null, "", address);
    this.requestUpdate();
  }

  protected override updated(_: PropertyValues): void {
    clearTimeout(this.#timer);
    const selection = this.#selection;
    if (selection?.playing) {
      const record = this.#records[selection.record];
      const advance = () => this.#change(advanced(selection, record, 1));
      this.#timer = window.setTimeout(advance, selection.pace * 1000);
    }
    if (!this.#focus) return;
    const element = this.renderRoot.querySelector<HTMLElement>(this.#focus);
    this.#focus = "";
    element?.focus();
  }

  protected override render(): TemplateResult {
    const selection = this.#selection;
    if (this.#error) return html`<p class="placeholder" role="alert">${this.#error}</p>`;
    if (!selection) return html``;
    const records = this.#records;
    const record = records[selection.record];
    const state: ViewState = {
      records,
      record,
      selection,
      width: this.#width,
      change: (part, focus) => this.#change(part, focus),
    };
    const views = VIEWS.filter((view) => view.fits(records));
    const view = views.find((each) => each.id === selection.view) ?? views[0];
    return html`${this.#header(state)}
      <div role="tablist" aria-label="views" @keydown=${(event: KeyboardEvent) => this.#onKey(event, views)}>
        ${views.map(
          (each) => html`<button role="tab" id=${`tab-${each.id}`} data-testid=${`tab-${each.id}`}
            aria-selected=${each === view} aria-controls="panel" tabindex=${each === view ? 0 : -1}
            @click=${() => this.#change({ view: each.id, playing: false })}>${each.title}</button>`,
        )}
      </div>
      <section class="panel" role="tabpanel" id="panel" data-testid=${`view-${view.id}`}
        aria-labelledby=${`tab-${view.id}`}>${view.render(state)}</section>
      ${this.#footer(record)}`;
  }

  #header({ records, record, selection }: ViewState): TemplateResult {
    const { model, created } = record;
    const title =
      records.length > 1
        ? html`<h2 class="hidden">${records.length} models</h2><label>model <select data-testid="model" @change=${(
            event: Event,
          ) => this.#change({ record: Number((event.target as HTMLSelectElement).value) })}>
            ${records.map(
              (each, i) => html`<option value=${i} ?selected=${i === selection.record}>
                ${each.model.name}</option>`,
            )}</select></label>`
        : html`<h2>${model.name}</h2>`;
    const facts = [
      model.description,
      created.search,
      created.engine && `engine ${created.engine}`,
      created.precision,
    ];
    return html`<header>${title}
      <p>${facts.filter(Boolean).join(" · ")}${
        created.search === "given" ? " (the user gave the target)" : nothing
      }</p></header>`;
  }

  #footer({ model, created }: Explanation): TemplateResult {
    const facts = [
      `${model.parameters.toLocaleString("en")} parameters`,
      `weights ${model.sha256.slice(0, 12)}`,
      created.regard && `regard ${created.regard}`,
      created.torch && `torch ${created.torch}`,
    ];
    return html`<p class="note provenance" data-testid="provenance" title=${model.sha256}>
      ${facts.filter(Boolean).join(" · ")}</p>`;
  }

  #onKey(event: KeyboardEvent, views: View[]): void {
    const at = views.findIndex(({ id }) => `tab-${id}` === (event.target as HTMLElement).id);
    const last = views.length - 1;
    const to = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at <= 0 ? last : at - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#change({ view: views[to].id, playing: false }, `#tab-${views[to].id}`);
  }
}
