// The beam tree: what the search carried on, what it cut, and where it ended.
import { type HierarchyPointNode, hierarchy, tree as tidy } from "d3-hierarchy";
import { css, html, nothing, svg, type TemplateResult } from "lit";
import { shownPiece } from "./chart";
import { empty } from "./empty";
import type { Beam } from "./record";
import type { Scene } from "./scene";
import { number, token } from "./words";

const ACROSS = 132; // pixels from one step to the next
const DOWN = 34; // and from one hypothesis to the next
const WIDE = 112; // a node
const HIGH = 24;
const START = -1; // the node before the first token

interface Item {
  node: number;
  children: Item[];
  folded: number; // cut candidates that are not drawn
}

type Placed = HierarchyPointNode<Item>;

export function beamTree(scene: Scene): TemplateResult {
  const { record, choice, change } = scene;
  const { beam } = record;
  if (!beam)
    return empty(
      html`This record has no beam: the target was ${
        record.made.search === "given"
          ? "given by hand"
          : `found by ${record.made.search ?? "another search"}`
      }, and no hypotheses were kept beside it. Explain with a beam search to see them.`,
    );
  const placed = laid(beam, choice.cut);
  const cut = beam.fates.filter((fate) => fate === "cut").length;
  const last = beam.best.at(-1) ?? START;
  const selected = placed.some(({ data }) => data.node === choice.node)
    ? (choice.node ?? last)
    : last;
  return html`<div class="controls">
      <label class="inline"><input type="checkbox" data-testid="cut" .checked=${choice.cut}
        @change=${() => change({ cut: !choice.cut })}> show the ${cut} candidates that were cut</label>
      <p class="note">Beam of ${beam.width}. Score = total log-probability / length<sup>α</sup>, α = ${beam.alpha}:
        without it, short sentences would win.</p>
    </div>
    ${detail(scene, beam, selected)} ${drawn(scene, beam, placed, selected)}
    <p class="legend small soft"><span><i class="node best key-node"></i> the best</span>
      <span><i class="node key-node"></i> carried on</span>
      <span><i class="node ended key-node"></i> ended</span>
      ${choice.cut ? html`<span><i class="node cut key-node"></i> cut</span>` : html`<span>+3: so many were cut there</span>`}</p>`;
}

/** The tree, tidy, from left to right; the likelier stands higher. */
function laid(beam: Beam, withCut: boolean): Placed[] {
  const items = [START, ...beam.parents.keys()].map(
    (node) => ({ node, children: [], folded: 0 }) as Item,
  );
  beam.parents.forEach((parent, node) => {
    const above = items[parent + 1];
    if (beam.fates[node] === "cut" && !withCut) above.folded++;
    else above.children.push(items[node + 1]);
  });
  for (const { children } of items)
    children.sort((a, b) => beam.totals[b.node] - beam.totals[a.node]);
  const root = tidy<Item>()
    .nodeSize([DOWN, ACROSS])
    .separation(() => 1)(hierarchy(items[0]));
  return root.descendants();
}

function drawn(scene: Scene, beam: Beam, placed: Placed[], selected: number): TemplateResult {
  const top = Math.min(...placed.map((each) => each.x));
  const height = Math.max(...placed.map((each) => each.x)) - top + DOWN;
  const width = Math.max(...placed.map((each) => each.y)) + ACROSS + 24;
  const best = new Set([START, ...beam.best]);
  const isBest = ({ data }: Placed) => best.has(data.node);
  const middle = (each: Placed) => each.x - top + DOWN / 2;
  const edges = placed
    .filter((each) => each.parent)
    .sort((a, b) => Number(isBest(a)) - Number(isBest(b)))
    .map((each) => {
      const from = each.parent as Placed;
      const [x, y, u, v] = [from.y + WIDE, middle(from), each.y, middle(each)];
      return svg`<path class=${isBest(each) ? "best" : ""} d=${`M${x} ${y}C${x + 12} ${y} ${u - 12} ${v} ${u} ${v}`} />`;
    });
  const choose = (node: number, focus = true) =>
    scene.change({ node }, focus ? `[data-node="${node}"]` : undefined);
  const typed = (event: KeyboardEvent) => {
    const to = moved(event.key, placed, selected);
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
  };
  return html`<div class="scroll beam" data-testid="beam">
    <div .style=${`position:relative;width:${width}px;height:${height}px`}>
      <svg aria-hidden="true" width=${width} height=${height}>${edges}</svg>
      <div role="tree" aria-label="hypotheses of the beam" @keydown=${typed}>
        ${placed.map((each) => {
          const { node, folded } = each.data;
          const start = node === START;
          const fate = start ? "kept" : beam.fates[node];
          const label = shownPiece(start ? "<s>" : beam.pieces[node]);
          const p = start ? 1 : Math.exp(beam.logps[node]);
          return html`<div role="treeitem" class="node ${fate} ${isBest(each) ? "best" : ""}" data-testid="node"
            data-node=${node} data-fate=${fate} data-best=${isBest(each)} tabindex=${node === selected ? 0 : -1}
            aria-selected=${node === selected} aria-level=${each.depth + 1} title=${label}
            @click=${() => choose(node)} .style=${`left:${each.y}px;top:${middle(each) - HIGH / 2}px`}>
            <bdi dir="auto">${label}</bdi>${start ? nothing : html`<small>${number(p)}</small>`}
            ${folded ? html`<span class="folded">+${folded}<span class="hidden"> cut</span></span>` : nothing}
            <span class="hidden">${start ? "" : fate}${isBest(each) ? ", on the best path" : ""}</span></div>`;
        })}
      </div>
    </div>
  </div>`;
}

function moved(key: string, placed: Placed[], selected: number): number | undefined {
  const here = placed.find(({ data }) => data.node === selected);
  if (!here) return undefined;
  const beside = placed.filter(({ depth }) => depth === here.depth).sort((a, b) => a.x - b.x);
  const at = beside.indexOf(here);
  const to = {
    ArrowLeft: here.parent,
    ArrowRight: here.children?.[0],
    ArrowUp: beside[at - 1],
    ArrowDown: beside[at + 1],
    Home: placed[0],
    End: placed.reduce((a, b) => (b.depth > a.depth ? b : a)),
  }[key];
  return to?.data.node;
}

const FATES = {
  kept: "was carried on",
  cut: "was cut: others scored higher",
  ended: "ended here",
};

function detail(scene: Scene, beam: Beam, node: number): TemplateResult {
  if (node === START)
    return html`<p class="said" data-testid="said">Before the first piece nothing has been said.</p>`;
  const path: number[] = [];
  for (let at = node; at !== START; at = beam.parents[at]) path.unshift(at);
  const pieces = path.map((each) => beam.pieces[each]).filter((piece) => piece !== "</s>");
  const text = pieces.join("").replaceAll("▁", " ").trim() || "Nothing";
  const step = beam.best.indexOf(node);
  const total = beam.totals[node];
  const walked = () => scene.change({ view: "walk", row: step, column: -1, stage: 0 }, "#tab-walk");
  return html`<div class="detail" data-testid="detail">
    <p class="said" data-testid="said">${token(text)} ${FATES[beam.fates[node]]}.</p>
    <p class="note">log-probability of the last piece ${number(beam.logps[node])}; in all ${number(total)};
      score with length ${path.length}: ${number(total / path.length ** beam.alpha)}
      ${
        step >= 0
          ? html`<button data-testid="to-walk" @click=${walked}>
              How was this piece chosen?</button>`
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
    position: absolute; width: 112px; height: 24px; display: flex; gap: 0.3rem; align-items: center;
    padding: 0 0.4rem;
    border: 1px solid var(--line); border-radius: 5px; background: var(--paper);
    font-size: 0.8125rem; cursor: pointer;
  }
  .node bdi {
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap; flex: 1; min-width: 0;
  }
  .node .number { font-weight: 400; }
  .node small { color: var(--soft); font-size: 0.6875rem; }
  .node.best { border-color: var(--accent); background: var(--accent-soft); }
  .node.best small { color: var(--ink); }
  .node.ended { border-radius: 12px; border-width: 2px; border-color: var(--soft); }
  .node.ended.best { border-color: var(--accent); }
  .node.cut { border-style: dashed; color: var(--soft); }
  .node[aria-selected="true"] { box-shadow: 0 0 0 2px var(--accent); }
  .folded {
    position: absolute; right: 2px; top: -11px; font-size: 10px; line-height: 10px;
    color: var(--soft);
  }
  .key-node { position: static; width: 1.5rem; height: 0.9rem; cursor: default; }
  .detail { display: grid; gap: 0.25rem; }
`;
