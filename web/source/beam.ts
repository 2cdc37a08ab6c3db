// The beam search view: a tree of kept, pruned and finished candidates.
import { type HierarchyNode, type HierarchyPointNode, hierarchy } from "d3-hierarchy";
import { css, html, nothing, svg, type TemplateResult } from "lit";
import { pieceInWord } from "./chart";
import { number, token } from "./describe";
import { placeholder } from "./placeholder";
import type { Beam } from "./record";
import type { ViewState } from "./state";

const WIDTH = 128; // of a node, in pixels
const NARROW = 100; // on a phone
const PHONE = 600; // largest width of the element that counts as a phone's
const GAP = 20; // from one step to the next
const DOWN = 58; // from one hypothesis to the next
const HEIGHT = 46;
const START = -1; // the node before the first token

interface Item {
  node: number;
  children: Item[];
  hidden: number; // pruned children that are not shown
}

type Placed = HierarchyPointNode<Item>;

export function beamTree(state: ViewState): TemplateResult {
  const { record, selection, change } = state;
  const { beam } = record;
  if (!beam)
    return placeholder(
      html`This record has no beam search: the target was ${
        record.created.search === "given"
          ? "given by the user"
          : `found by ${record.created.search ?? "another search"}`
      }.`,
    );
  const width = state.width < PHONE ? NARROW : WIDTH;
  const placed = layout(beam, selection.pruned, width + GAP);
  const pruned = beam.status.filter((status) => status === "pruned").length;
  const last = beam.best.at(-1) ?? START;
  const selected = placed.some(({ data }) => data.node === selection.node)
    ? (selection.node ?? last)
    : last;
  return html`<div class="controls">
      <label class="inline"><input type="checkbox" data-testid="pruned" .checked=${selection.pruned}
        @change=${() => change({ pruned: !selection.pruned })}> show ${pruned} pruned candidates</label>
      <p class="note">Beam size ${beam.beam_size}. Score = log-probability / length<sup>α</sup> with the length
        penalty α = ${beam.length_penalty}, which keeps the search from preferring short outputs.</p>
    </div>
    ${stepButtons(state, beam, selected)} ${nodeDetail(state, beam, selected)} ${tree(state, beam, placed, selected, width)}
    <p class="legend small soft"><span>in a node: probability, and total log-probability</span> <span><i class="node best key-node"></i> best path</span>
      <span><i class="node key-node"></i> kept</span>
      <span><i class="node finished key-node"></i> finished</span>
      ${selection.pruned ? html`<span><i class="node pruned key-node"></i> pruned</span>` : html`<span>+3: number of pruned candidates</span>`}</p>`;
}

/** A button for each step of the best path, which scrolls to it. */
function stepButtons({ change }: ViewState, beam: Beam, selected: number): TemplateResult {
  return html`<div class="pair wrap" role="group" aria-label="steps of the best path">
    ${beam.best.map(
      (node, step) => html`<button data-testid="beam-step" aria-pressed=${node === selected}
        title=${pieceInWord(beam.pieces[node])}
        @click=${() => change({ node }, `[data-node="${node}"]`)}>${step + 1}</button>`,
    )}</div>`;
}

/**
 * A tree from left to right. The best path is the first line; other siblings are ordered by total
 * log-probability. A node is beside its first child, and a branch on the first line that is free.
 */
function layout(beam: Beam, showPruned: boolean, across: number): Placed[] {
  const items = [START, ...beam.parents.keys()].map(
    (node) => ({ node, children: [], hidden: 0 }) as Item,
  );
  beam.parents.forEach((parent, node) => {
    const above = items[parent + 1];
    if (beam.status[node] === "pruned" && !showPruned) above.hidden++;
    else above.children.push(items[node + 1]);
  });
  const best = new Set(beam.best);
  const rank = ({ node }: Item) => (best.has(node) ? Number.POSITIVE_INFINITY : beam.totals[node]);
  for (const { children } of items) children.sort((a, b) => (rank(a) < rank(b) ? 1 : -1));
  const root = hierarchy(items[0]);
  const ends: number[] = []; // of each line: the leftmost step that is taken
  const place = (first: HierarchyNode<Item>, from: number): void => {
    const chain = [first];
    for (let next = first.children?.[0]; next; next = next.children?.[0]) chain.push(next);
    let line = from;
    const last = chain[chain.length - 1].depth;
    while ((ends[line] ?? Number.POSITIVE_INFINITY) <= last) line++;
    ends[line] = first.depth;
    for (const each of chain) Object.assign(each, { x: line * DOWN, y: each.depth * across });
    // From right to left, so that a short branch is close to its parent.
    for (const each of chain.reverse())
      for (const branch of each.children?.slice(1) ?? []) place(branch, line + 1);
  };
  place(root, 0);
  return root.descendants() as Placed[];
}

function tree(
  state: ViewState,
  beam: Beam,
  placed: Placed[],
  selected: number,
  nodeWidth: number,
): TemplateResult {
  const height = Math.max(...placed.map((each) => each.x)) + DOWN;
  const width = Math.max(...placed.map((each) => each.y)) + nodeWidth + 24;
  const best = new Set([START, ...beam.best]);
  const isBest = ({ data }: Placed) => best.has(data.node);
  const middle = (each: Placed) => each.x + DOWN / 2;
  const edges = placed
    .filter((each) => each.parent)
    .sort((a, b) => Number(isBest(a)) - Number(isBest(b)))
    .map((each) => {
      const from = each.parent as Placed;
      const [x, y, u, v] = [from.y + nodeWidth, middle(from), each.y, middle(each)];
      return svg`<path class=${isBest(each) ? "best" : ""} d=${`M${x} ${y}C${x + 12} ${y} ${u - 12} ${v} ${u} ${v}`} />`;
    });
  const select = (node: number, focus = true) =>
    state.change({ node }, focus ? `[data-node="${node}"]` : undefined);
  const onKey = (event: KeyboardEvent) => {
    const to = nextNode(event.key, placed, selected);
    if (to === undefined) return;
    event.preventDefault();
    select(to);
  };
  return html`<div class="scroll beam" data-testid="beam">
    <div .style=${`position:relative;width:${width}px;height:${height}px`}>
      <svg aria-hidden="true" width=${width} height=${height}>${edges}</svg>
      <div role="tree" aria-label="beam search hypotheses" @keydown=${onKey}>
        ${placed.map((each) => {
          const { node, hidden } = each.data;
          const start = node === START;
          const status = start ? "kept" : beam.status[node];
          const label = pieceInWord(start ? "<s>" : beam.pieces[node]);
          const p = start ? 1 : Math.exp(beam.logps[node]);
          return html`<div role="treeitem" class="node ${status} ${isBest(each) ? "best" : ""}" data-testid="node"
            data-node=${node} data-status=${status} data-best=${isBest(each)} tabindex=${node === selected ? 0 : -1}
            aria-selected=${node === selected} aria-level=${each.depth + 1} title=${label}
            @click=${() => select(node)} .style=${`left:${each.y}px;top:${middle(each) - HEIGHT / 2}px;width:${nodeWidth}px`}>
            <bdi dir="auto">${label}</bdi>${
              start
                ? nothing
                : html`<small title="probability">${number(p)}</small
            ><small class="total" title="total log-probability">${number(beam.totals[node])}</small>`
            }
            ${hidden ? html`<span class="pruned-count">+${hidden}<span class="hidden"> pruned</span></span>` : nothing}
            <span class="hidden">${start ? "" : status}${isBest(each) ? ", on the best path" : ""}</span></div>`;
        })}
      </div>
    </div>
  </div>`;
}

function nextNode(key: string, placed: Placed[], selected: number): number | undefined {
  const here = placed.find(({ data }) => data.node === selected);
  if (!here) return undefined;
  const column = placed.filter(({ depth }) => depth === here.depth).sort((a, b) => a.x - b.x);
  const at = column.indexOf(here);
  const to = {
    ArrowLeft: here.parent,
    ArrowRight: here.children?.[0],
    ArrowUp: column[at - 1],
    ArrowDown: column[at + 1],
    Home: placed[0],
    End: placed.reduce((a, b) => (b.depth > a.depth ? b : a)),
  }[key];
  return to?.data.node;
}

const STATUS = {
  kept: "is extended at the next step",
  pruned: "is pruned: other candidates score higher",
  finished: "is a finished hypothesis",
};

function nodeDetail(state: ViewState, beam: Beam, node: number): TemplateResult {
  if (node === START)
    return html`<p class="summary" data-testid="summary">The start of the search, before the first piece.</p>`;
  const path: number[] = [];
  for (let at = node; at !== START; at = beam.parents[at]) path.unshift(at);
  const pieces = path.map((each) => beam.pieces[each]).filter((piece) => piece !== "</s>");
  const text = pieces.join("").replaceAll("▁", " ").trim() || "The empty output";
  const step = beam.best.indexOf(node);
  const total = beam.totals[node];
  const showTrace = () =>
    state.change({ view: "trace", row: step, column: -1, stage: 0 }, "#tab-trace");
  return html`<div class="detail" data-testid="detail">
    <p class="summary" data-testid="summary">${token(text)} ${STATUS[beam.status[node]]}.</p>
    <p class="note">log-probability of the last piece ${number(beam.logps[node])}; total ${number(total)};
      score at length ${path.length}: ${number(total / path.length ** beam.length_penalty)}
      ${
        step >= 0
          ? html`<button data-testid="to-trace" @click=${showTrace}>
              Show this step</button>`
          : nothing
      }</p>
  </div>`;
}

export const style = css`
  .beam { max-height: 75vh; border: 1px solid var(--line); border-radius: 8px; padding: 0.75rem; }
  .beam svg { position: absolute; inset: 0; }
  .beam path { fill: none; stroke: var(--line); stroke-width: 1.5; }
  .beam path.best { stroke: var(--accent); stroke-width: 3; }
  .node {
    position: absolute; height: 46px; display: grid; grid-template-columns: auto 1fr; align-items: center;
    column-gap: 0.3rem; padding: 0 0.4rem; line-height: 1.2;
    border: 1px solid var(--line); border-radius: 5px; background: var(--paper);
    font-size: var(--small); cursor: pointer;
  }
  .node bdi {
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap; grid-column: 1 / 3; min-width: 0;
  }
  .node .number { font-weight: 400; }
  .node small { color: var(--soft); font-size: var(--tiny); }
  .node.best { border-color: var(--accent); background: var(--accent-soft); }
  .node .total { text-align: end; }
  .node.best small { color: var(--ink); }
  .key-node { min-height: 0; }
  .node.finished { border-radius: 12px; border-width: 2px; border-color: var(--soft); }
  .node.finished.best { border-color: var(--accent); }
  .node.pruned { border-style: dashed; color: var(--soft); }
  .node[aria-selected="true"] { box-shadow: 0 0 0 2px var(--accent); }
  .pruned-count {
    position: absolute; right: 2px; top: -11px; font-size: var(--tiny); line-height: 1;
    color: var(--soft);
  }
  .key-node { position: static; width: 1.5rem; height: 0.9rem; cursor: default; }
  .detail { display: grid; gap: 0.25rem; }
`;
