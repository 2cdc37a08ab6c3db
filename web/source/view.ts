// <regard-view>: the frame around the views, their tabs, and what was chosen.
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { compare, style as compareStyle } from "./compare";
import { style as flowStyle } from "./flow";
import { style as formulaStyle } from "./formula";
import { style as gridStyle } from "./grid";
import { heads, style as headsStyle } from "./heads";
import { matrix } from "./matrix";
import { style as outlinesStyle } from "./outlines";
import { style as outputStyle } from "./output";
import { overlay, style as overlayStyle } from "./overlay";
import { reading, style as readingStyle } from "./reading";
import { decode, type Explanation } from "./record";
import { best, type Choice, firstChoice, type Scene } from "./scene";
import { shared } from "./style";
import { beamTree, style as treeStyle } from "./tree";
import { advanced, walk, style as walkStyle } from "./walk";
import { whatIf, style as whatIfStyle } from "./whatif";

interface View {
  id: string;
  title: string;
  draw(scene: Scene): TemplateResult;
  fits(records: Explanation[]): boolean;
}

const always = () => true;
const pictured = (record: Explanation) => record.source?.kind === "image";

const VIEWS: View[] = [
  { id: "image", title: "Picture", draw: overlay, fits: (records) => pictured(records[0]) },
  { id: "reading", title: "Reading", draw: reading, fits: (records) => !pictured(records[0]) },
  { id: "matrix", title: "Matrix", draw: matrix, fits: always },
  { id: "walk", title: "Step walk", draw: walk, fits: always },
  { id: "heads", title: "Layers × heads", draw: heads, fits: always },
  { id: "beam", title: "Beam", draw: beamTree, fits: always },
  { id: "compare", title: "Side by side", draw: compare, fits: (records) => records.length > 1 },
  { id: "whatif", title: "What if", draw: whatIf, fits: always },
];

export class RegardView extends LitElement {
  static override styles = [
    shared,
    flowStyle,
    readingStyle,
    gridStyle,
    outlinesStyle,
    outputStyle,
    formulaStyle,
    walkStyle,
    headsStyle,
    treeStyle,
    compareStyle,
    overlayStyle,
    whatIfStyle,
  ];

  #records: Explanation[] = [];
  #choice: Choice | null = null;
  #error = "";
  #focus = "";
  #timer = 0; // of the walk, while it plays
  #width = 960;
  #watch = new ResizeObserver(([entry]) => {
    this.#width = entry.contentRect.width;
    this.requestUpdate();
  });
  #scheme = matchMedia("(prefers-color-scheme: dark)");
  readonly #redraw = () => this.requestUpdate();
  readonly #followHash = () => this.#change(this.#addressed());

  override connectedCallback(): void {
    super.connectedCallback();
    this.#watch.observe(this);
    this.#scheme.addEventListener("change", this.#redraw);
    window.addEventListener("hashchange", this.#followHash);
    const scripts = this.querySelectorAll(':scope > script[type="application/json"]');
    this.show(Array.from(scripts, (script) => script.textContent ?? ""));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
    this.#watch.disconnect();
    this.#scheme.removeEventListener("change", this.#redraw);
    window.removeEventListener("hashchange", this.#followHash);
  }

  /** Shows records, each as JSON. */
  async show(records: string[]): Promise<void> {
    try {
      this.#records = await Promise.all(records.map(decode));
      if (!this.#records.length) throw new Error("There is no record here to show.");
      const fitting = VIEWS.filter((view) => view.fits(this.#records));
      this.#choice = { ...firstChoice(this.#records, fitting[0].id), ...this.#addressed() };
    } catch (error) {
      this.#error = error instanceof Error ? error.message : String(error);
    }
    this.requestUpdate();
    await this.updateComplete;
    performance.mark("regard-ready");
    this.dispatchEvent(new Event("regard-ready"));
  }

  /** What the address chooses, where this is the page's only viewer: `#matrix`, `#walk/3`. */
  #addressed(): Partial<Choice> {
    const [name, step] = this.#alone() ? location.hash.slice(1).split("/") : [];
    const view = VIEWS.find((each) => each.id === name && each.fits(this.#records));
    if (!view) return {};
    const row = Number(step) - 1;
    return row >= 0 ? { view: view.id, row, column: -1 } : { view: view.id };
  }

  #alone(): boolean {
    return location.protocol !== "about:" && document.querySelectorAll("regard-view").length === 1;
  }

  #change(part: Partial<Choice>, focus = ""): void {
    if (!this.#choice) return;
    const record = part.record;
    const moved = record === undefined ? {} : best(this.#records[record]);
    this.#choice = { ...this.#choice, ...moved, ...part };
    this.#focus = focus;
    const { view, row } = this.#choice;
    const address = view === "walk" ? `#walk/${row + 1}` : `#${view}`;
    if ((part.view || view === "walk") && this.#alone() && location.hash !== address)
      history.replaceState(null, "", address);
    this.requestUpdate();
  }

  protected override updated(_: PropertyValues): void {
    clearTimeout(this.#timer);
    const choice = this.#choice;
    if (choice?.playing) {
      const steps = this.#records[choice.record].steps.length;
      const go = () => this.#change(advanced(choice, steps, 1));
      this.#timer = window.setTimeout(go, choice.pace * 1000);
    }
    if (!this.#focus) return;
    const element = this.renderRoot.querySelector<HTMLElement>(this.#focus);
    this.#focus = "";
    element?.focus();
  }

  protected override render(): TemplateResult {
    const choice = this.#choice;
    if (this.#error) return html`<p class="empty" role="alert">${this.#error}</p>`;
    if (!choice) return html``;
    const records = this.#records;
    const record = records[choice.record];
    const scene: Scene = {
      records,
      record,
      choice,
      width: this.#width,
      change: (part, focus) => this.#change(part, focus),
    };
    const views = VIEWS.filter((view) => view.fits(records));
    const view = views.find((each) => each.id === choice.view) ?? views[0];
    return html`${this.#header(scene)}
      <div role="tablist" aria-label="views" @keydown=${(event: KeyboardEvent) => this.#typed(event, views)}>
        ${views.map(
          (each) => html`<button role="tab" id=${`tab-${each.id}`} data-testid=${`tab-${each.id}`}
            aria-selected=${each === view} aria-controls="panel" tabindex=${each === view ? 0 : -1}
            @click=${() => this.#change({ view: each.id, playing: false })}>${each.title}</button>`,
        )}
      </div>
      <section class="panel" role="tabpanel" id="panel" data-testid=${`view-${view.id}`}
        aria-labelledby=${`tab-${view.id}`}>${view.draw(scene)}</section>
      ${this.#footer(record)}`;
  }

  #header({ records, record, choice }: Scene): TemplateResult {
    const { model, made } = record;
    const title =
      records.length > 1
        ? html`<h2 class="hidden">${records.length} models</h2><label>model <select data-testid="model" @change=${(
            event: Event,
          ) => this.#change({ record: Number((event.target as HTMLSelectElement).value) })}>
            ${records.map(
              (each, i) => html`<option value=${i} ?selected=${i === choice.record}>
                ${each.model.name}</option>`,
            )}</select></label>`
        : html`<h2>${model.name}</h2>`;
    const facts = [
      model.about,
      made.search,
      made.engine && `engine ${made.engine}`,
      made.precision,
    ];
    return html`<header>${title}
      <p>${facts.filter(Boolean).join(" · ")}${
        made.search === "given" ? " (the target was given, not the model’s own)" : nothing
      }</p></header>`;
  }

  #footer({ model, made }: Explanation): TemplateResult {
    const facts = [
      `${model.parameters.toLocaleString("en")} parameters`,
      `weights ${model.sha256.slice(0, 12)}`,
      made.regard && `regard ${made.regard}`,
      made.torch && `torch ${made.torch}`,
    ];
    return html`<p class="note made-by" data-testid="provenance" title=${model.sha256}>
      ${facts.filter(Boolean).join(" · ")}</p>`;
  }

  #typed(event: KeyboardEvent, views: View[]): void {
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
