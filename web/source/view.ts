// <regard-view>: the frame around the views, their tabs, and the selection.
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { placeArcs } from "./arcs";
import { style as barsStyle } from "./bars";
import { style as beamStyle, beamTree } from "./beam";
import { compare, style as compareStyle } from "./compare";
import { headsOf } from "./controls";
import { headName } from "./describe";
import { style as formulaStyle } from "./formula";
import { style as gridStyle } from "./grid";
import { heads, style as headsStyle } from "./heads";
import { style as imageStyle, imageView } from "./image";
import { style as interventionsStyle, interventionsView } from "./interventions";
import { style as linksStyle } from "./links";
import { matrix } from "./matrix";
import { advanced, isPlayable, jumped, pace, toggled } from "./playback";
import { decode, type Explanation } from "./record";
import { style as sentenceStyle } from "./sentence";
import { fitsStage, stage, style as stageStyle } from "./stage";
import {
  defaultSelection,
  findAttention,
  initialSelection,
  type Selection,
  type ViewState,
} from "./state";
import { style as statesStyle } from "./states";
import { shared } from "./style";
import { style as textStyle, textView } from "./text";
import { trace, style as traceStyle } from "./trace";

interface View {
  id: string;
  title: string;
  render(state: ViewState): TemplateResult;
  fits(records: Explanation[]): boolean;
}

const always = () => true;
/** Whether the address asks for a presentation: `?present`, or `#stage/1&present`. */
function isPresented(): boolean {
  return /[?&]present\b/.test(location.search) || /(#|&)present\b/.test(location.hash);
}

/** Whether an element uses a key itself. */
function keepsKey(element: Element, key: string, byPointer: boolean): boolean {
  if (element.matches("select, textarea, [contenteditable], input:not([type=checkbox])"))
    return true;
  const pressable = "button:not([role=tab]), summary, a, input, [role=button]:not(.word)";
  return key === " " && !byPointer && element.matches(pressable);
}

const hasImage = (record: Explanation) => record.source?.kind === "image";

const VIEWS: View[] = [
  { id: "stage", title: "Stage", render: stage, fits: fitsStage },
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
    stageStyle,
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
  #timer = 0; // of playback
  #since = 0; // when the current stage began, in milliseconds
  #byPointer = false; // whether a pointer moved the focus, so that Space plays on buttons too
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
    window.addEventListener("resize", this.#redraw);
    window.addEventListener("keydown", this.#onStepKey, true);
    window.addEventListener("pointerdown", this.#onPointer, true);
    this.toggleAttribute("present", isPresented());
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
    window.removeEventListener("resize", this.#redraw);
    window.removeEventListener("keydown", this.#onStepKey, true);
    window.removeEventListener("pointerdown", this.#onPointer, true);
  }

  /** Shows records, each a JSON text. A script may call it before it adds the element to a page. */
  async show(records: string[]): Promise<void> {
    this.#called = true;
    this.#error = "";
    try {
      this.#records = await Promise.all(records.map(decode));
      if (!this.#records.length) throw new Error("The page has no record to show.");
      const fitting = VIEWS.filter((view) => view.fits(this.#records));
      this.#selection = initialSelection(this.#records, fitting[0].id);
      this.#change(this.#fromAddress());
    } catch (error) {
      this.#error = error instanceof Error ? error.message : String(error);
    }
    this.requestUpdate();
    await this.updateComplete;
    performance.mark("regard-ready");
    this.dispatchEvent(new Event("regard-ready"));
  }

  /**
   * Replaces a record by another one of the same model, such as that of an edited sentence. The
   * selection of view, attention and head stays. The record may be a JSON text.
   */
  async replace(replacement: Explanation | string, index = 0): Promise<void> {
    const record = typeof replacement === "string" ? await decode(replacement) : replacement;
    this.extend(record, index);
    const selection = this.#selection;
    if (!selection) return;
    const kept = findAttention(record, selection.attention) ? {} : defaultSelection(record);
    const last = record.steps.length - 1;
    this.#change({
      ...(selection.record === index ? kept : {}),
      row: Math.min(selection.row, last),
      column: -1,
      stage: isPlayable(selection.view) && !selection.playing ? 5 : selection.stage,
      started: false,
      playing: false,
      node: null,
      intervention: 0,
      detail: null,
    });
  }

  /** Replaces a record by the same with more in it. */
  extend(record: Explanation, index: number): void {
    this.#records = this.#records.map((each, i) => (i === index ? record : each));
    this.requestUpdate();
  }

  /** What is shown, one record for each model. */
  get records(): readonly Explanation[] {
    return this.#records;
  }

  /**
   * The selection in the address, if this is the only viewer of the page: `#matrix`, `#trace/3` for
   * the third piece, `#stage/3/decoder.attention/2` for the second head of an attention.
   */
  #fromAddress(): Partial<Selection> {
    const hash = this.#ownsAddress() ? decodeURI(location.hash.slice(1).split("&")[0]) : "";
    const [name, step, attention, head] = hash.split("/");
    const view = VIEWS.find((each) => each.id === name && each.fits(this.#records));
    if (!view) return {};
    const record = this.#records[this.#selection?.record ?? 0];
    const heads = headsOf(findAttention(record, attention));
    const selected = heads.find((each) => headName(each) === head);
    const row = Number(step) - 1;
    return {
      view: view.id,
      ...(row >= 0 ? { row, column: -1 } : {}),
      ...(selected === undefined ? {} : { attention, head: selected, userSelected: true }),
    };
  }

  /** Writes view, step and head into the address. */
  #toAddress(
    part: Partial<Selection>,
    { view, row, attention, head, userSelected }: Selection,
  ): void {
    const moved = part.view || part.attention !== undefined || part.head !== undefined;
    if (!(moved || (isPlayable(view) && part.row !== undefined)) || !this.#ownsAddress()) return;
    const step = isPlayable(view) || userSelected ? `/${row + 1}` : "";
    const selected = userSelected ? `/${attention}/${headName(head)}` : "";
    const [, ...others] = location.hash.split("&"); // such as the text of an edited sentence
    const address = [`#${view}${step}${selected}`, ...others].join("&");
    if (location.hash !== address) history.replaceState(null, "", address);
  }

  #ownsAddress(): boolean {
    return location.protocol !== "about:" && this.#isAlone();
  }

  #isAlone(): boolean {
    return document.querySelectorAll("regard-view").length === 1;
  }

  #change(part: Partial<Selection>, focus = ""): void {
    if (!this.#selection) return;
    const record = part.record;
    const defaults =
      record === undefined ? {} : { ...defaultSelection(this.#records[record]), stage: 0 };
    const moved = this.#inView(this.#selection, part);
    if (part.playing) this.#since = performance.now();
    this.#selection = { ...this.#selection, ...defaults, ...moved, ...part };
    this.#focus = focus;
    this.#toAddress(part, this.#selection);
    this.requestUpdate();
  }

  /**
   * What another view changes: with a shift, the weights of a word are those of the next step, so
   * the step of a word is not its row.
   */
  #inView(selection: Selection, part: Partial<Selection>): Partial<Selection> {
    const { view } = part;
    if (!view || view === selection.view) return {};
    const fresh = selection.started ? {} : { stage: view === "stage" ? 5 : 0 };
    const by = Number(isPlayable(view)) - Number(isPlayable(selection.view));
    const last = this.#records[selection.record].steps.length - 1;
    const row = Math.max(0, Math.min(last, selection.row + by * selection.shift));
    return { ...fresh, row, detail: null };
  }

  /** Plays the stages on time: a late timer skips stages. */
  #schedule(selection: Selection): void {
    const duration = 1000 * pace(selection, this.#records);
    const advance = () => {
      const by = Math.max(1, Math.floor((performance.now() - this.#since) / duration));
      this.#since += by * duration;
      this.#change(advanced(selection, this.#records, by));
    };
    this.#timer = window.setTimeout(advance, this.#since + duration - performance.now());
  }

  readonly #onPointer = () => {
    this.#byPointer = true;
  };

  /** ← → Space PageUp PageDown, wherever the focus is: in the viewer, and if alone on the page. */
  readonly #onStepKey = (event: KeyboardEvent) => {
    if (event.key === "Tab") this.#byPointer = false;
    const selection = this.#selection;
    if (!selection || !isPlayable(selection.view)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const path = event.composedPath();
    if (!path.includes(this) && !this.#isAlone()) return;
    if (path[0] instanceof Element && keepsKey(path[0], event.key, this.#byPointer)) return;
    if (selection.detail && !event.key.startsWith("Arrow")) return; // the keys of its dialog
    const moves: Record<string, () => Partial<Selection>> = {
      ArrowRight: () => advanced(selection, this.#records, 1),
      ArrowLeft: () => advanced(selection, this.#records, -1),
      PageDown: () => jumped(selection, this.#records, 1),
      PageUp: () => jumped(selection, this.#records, -1),
      " ": () => toggled(selection, this.#records),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    this.#change({ playing: false, ...move() });
  };

  protected override updated(_: PropertyValues): void {
    clearTimeout(this.#timer);
    const selection = this.#selection;
    if (selection?.playing) this.#schedule(selection);
    if (selection) this.#fit(selection);
    if (!this.#focus) return;
    const element = this.renderRoot.querySelector<HTMLElement>(this.#focus);
    this.#focus = "";
    element?.focus();
  }

  /** Scrolls to what is current, sizes the stage to the window, and opens its dialog. */
  #fit({ view, playing, detail }: Selection): void {
    const list = this.renderRoot.querySelector<HTMLElement>(".tall");
    const row = list?.querySelector<HTMLElement>(".here");
    if (list && row) {
      const middle = row.offsetTop - list.clientHeight / 2;
      if (Math.abs(middle - list.scrollTop) > list.clientHeight / 2 - 2 * row.offsetHeight)
        list.scrollTop = middle;
    }
    if (view === "trace" && playing)
      this.renderRoot
        .querySelector(".stage.now, .positions.now")
        ?.scrollIntoView({ block: "nearest" });
    const tab = this.renderRoot.querySelector<HTMLElement>("[role=tab][aria-selected=true]");
    const tabs = tab?.parentElement;
    if (tab && tabs) {
      const end = tab.offsetLeft - tabs.offsetLeft + tab.offsetWidth;
      tabs.scrollLeft = Math.max(
        end - tabs.clientWidth,
        Math.min(tabs.scrollLeft, end - tab.offsetWidth),
      );
    }
    const dialog = this.renderRoot.querySelector("dialog");
    if (dialog && detail && !dialog.open) dialog.showModal();
    const panel = this.renderRoot.querySelector<HTMLElement>(".panel");
    if (view === "stage" && panel) {
      const top = panel.getBoundingClientRect().top + window.scrollY;
      panel.style.setProperty("--above", `${top < window.innerHeight / 2 ? Math.ceil(top) : 0}px`);
      placeArcs(panel);
    }
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
      <slot name="editor"></slot>
      <div role="tablist" aria-label="views" @keydown=${(event: KeyboardEvent) => this.#onKey(event, views)}>
        ${views.map(
          (each) => html`<button role="tab" id=${`tab-${each.id}`} data-testid=${`tab-${each.id}`}
            aria-selected=${each === view} aria-controls="panel" tabindex=${each === view ? 0 : -1}
            @click=${() => this.#change({ view: each.id, playing: false })}>${each.title}</button>`,
        )}
      </div>
      <section class="panel" role="tabpanel" id="panel" data-testid=${`view-${view.id}`}
        aria-labelledby=${`tab-${view.id}`}>${view.render(state)}</section>
      ${view.id === "stage" ? nothing : this.#footer(record)}`;
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
    return html`<header>${title}
      ${created.search === "given" ? html`<p>the user gave the target</p>` : nothing}</header>`;
  }

  #footer({ model, created }: Explanation): TemplateResult {
    const facts = [
      model.description,
      created.search,
      created.engine && `engine ${created.engine}`,
      created.precision,
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
      ArrowDown: at === last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : at - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#change({ view: views[to].id, playing: false }, `#tab-${views[to].id}`);
  }
}
