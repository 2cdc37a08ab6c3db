// Styles of the stage. Sizes are in em, so that a presentation only changes the size of the type.
import { css } from "lit";

export const style = css`
  .panel:has(.stagecraft) { gap: 0; }
  .stagecraft {
    --type: 1rem;
    font-size: var(--type); line-height: 1.35; display: flex; flex-direction: column;
    height: max(26rem, calc(100dvh - var(--above, 0px) - var(--below, 1.75rem)));
  }
  .lanes { flex: 1; min-height: 0; display: grid; grid-auto-columns: minmax(0, 1fr); gap: 0.75em 2em; }
  .lane {
    position: relative; min-height: 0; display: grid; justify-items: center;
    grid-template-columns: minmax(0, 1fr);
    grid-template-rows: auto minmax(1.5em, 1fr) auto auto auto; isolation: isolate;
  }
  .lane:has(> h3) { grid-template-rows: auto auto minmax(1.5em, 1fr) auto auto auto; }
  .lane > h3 { font-size: 1em; justify-self: start; }
  .stagecraft button.word, .query, .pill, .race {
    border: 0; background: none; padding: 0; min-height: 0; text-align: inherit;
    max-width: 100%;
  }

  .line-of-words {
    width: 100%; display: grid; justify-items: center; min-height: 0; overflow-y: auto;
    overflow-x: clip; scrollbar-width: thin;
  }
  .line-of-words .name { color: var(--soft); font-size: max(var(--floor, 0.875rem), 0.8em); }
  .words {
    font-size: clamp(var(--floor, 1rem), var(--words), 2.1em); line-height: 1.25;
    text-align: center; text-wrap: balance; overflow-wrap: anywhere;
  }
  .stagecraft button.word {
    display: inline-block; margin: 0 0.05em; cursor: pointer; line-height: inherit; font-size: 1em;
    vertical-align: top;
  }
  .stagecraft .word .ink {
    display: inline-block; padding: 0.04em 0.14em; border-radius: 0.2em;
  }
  .lane:not([data-stage="0"]) .ink { transition: background var(--beat), color var(--beat); }
  .stagecraft .word:hover .ink { box-shadow: 0 0 0 2px var(--line); }
  .stagecraft .word[data-special] { font-size: max(var(--floor, 0.875rem), 0.6em); padding-top: 0.3em; }
  .source .word small {
    display: block; text-align: center; font-size: max(var(--floor, 0.875rem), 0.42em);
    line-height: 1.2; color: var(--weight); font-weight: 600; height: 1.2em;
  }
  .source .word small.faint { opacity: 0; }
  .dense .word small, .lane:has(.chip) .word small { display: none; }

  .target { padding-top: 0.35em; }
  .target .slot .ink { transition: none; color: transparent; box-shadow: inset 0 -0.12em var(--output); border-radius: 0; }
  .target .coming .ink { opacity: 0.32; font-weight: 400; }
  .target .unseen { visibility: hidden; }
  .target .said.now .ink {
    background: color-mix(in srgb, var(--output) 16%, var(--paper));
    box-shadow: inset 0 -0.12em var(--output);
    animation: drop calc(0.8 * var(--beat)) cubic-bezier(0.3, 1.4, 0.6, 1) backwards;
    animation-delay: calc(0.3 * var(--beat));
  }
  @keyframes drop { from { translate: 0 -2.2em; opacity: 0; } }

  .mix { display: flex; gap: 0.75em; align-items: stretch; justify-content: center; width: min(100%, 46em); }
  .query {
    color: var(--query); border: 2px solid currentcolor !important; border-radius: 0.6em;
    padding: 0.3em 0.7em !important; display: grid; align-content: center; flex: none;
    max-width: 32% !important; overflow: hidden; font-weight: 600; cursor: pointer;
  }
  .query bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .query small, .pill-name { font-size: max(var(--floor, 0.875rem), 0.8em); font-weight: 400; white-space: nowrap; }
  .lane[data-stage="0"] .query { animation: ask var(--beat) ease-out; }
  @keyframes ask { from { background: color-mix(in srgb, var(--query) 30%, var(--paper)); } }
  .pill {
    flex: 1; min-width: 0; display: grid; gap: 0.15em; color: var(--context);
    border: 2px solid currentcolor !important; border-radius: 0.6em; overflow: hidden;
    padding: 0.15em 0.3em 0.3em !important; cursor: pointer;
  }
  .pill-name { text-align: start; padding-inline: 0.3em; }
  .parts { display: flex; height: 1.7em; gap: 1px; border-radius: 0.3em; overflow: hidden; }
  .part {
    min-width: 0; flex-basis: 0; overflow: hidden; display: grid; place-items: center;
    color: var(--ink); background: color-mix(in srgb, var(--value) 38%, var(--paper));
    font-weight: 600; white-space: nowrap;
    transition: opacity var(--beat), scale var(--beat);
    transform-origin: top;
  }
  .part:nth-child(even) { background: color-mix(in srgb, var(--value) 24%, var(--paper)); }
  .part bdi { overflow: hidden; text-overflow: ellipsis; max-width: 100%; padding-inline: 0.3em; }
  .lane:is([data-stage="0"], [data-stage="2"]) .part { opacity: 0; scale: 1 0; transition: none; }
  .chip { width: min(100%, 30em); flex: none; text-align: center; padding: 0.3em 0.6em 0.5em !important; }
  .chip .pill-name { text-align: center; white-space: normal; }
  .chip .strip { height: 1.7em; }

  .race {
    width: min(100%, 26em); display: grid; gap: 0.1em; margin-top: 0.8em !important; cursor: pointer;
    transition: opacity 0.2s;
  }
  .runner { display: grid; grid-template-columns: 7.5em 1fr 3.6em; gap: 0.6em; align-items: center; }
  .runner bdi { text-align: end; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .runner .runway { height: 0.75em; }
  .runner .runway i {
    display: block; height: 100%; border-radius: 0.2em; min-width: 1px;
    background: color-mix(in srgb, var(--output) 38%, var(--paper));
    transition: width calc(0.8 * var(--beat)) cubic-bezier(0.3, 0.9, 0.4, 1);
  }
  .runner.winner .runway i { background: var(--output); }
  .lane[data-stage="5"] .runner.winner bdi { font-weight: 700; color: var(--output); }
  .lane:not([data-stage="5"]) .race { opacity: 0.5; }
  .lane:not([data-stage="5"]) .runner .runway i { transition: none; }
  .lane[data-ended="true"] :is(.mix, .race) { opacity: 0.25; }
  .runner .p .number { font-weight: 400; }

  .arcs { position: absolute; inset: 0; width: 100%; height: 100%; z-index: -1; overflow: visible; }
    .arc {
    fill: none; stroke: var(--weight); opacity: 0.75; stroke-dasharray: 1; stroke-dashoffset: 0;
    animation: grow var(--beat) ease-out;
  }
  @keyframes grow { from { stroke-dashoffset: 1; } }
  .lane:not([data-stage="2"]) .arc { animation: none; }
  .threads .arc { stroke: var(--soft); opacity: 0.55; }
  .dot {
    position: absolute; left: 0; top: 0; width: var(--size); height: var(--size); border-radius: 50%;
    background: var(--value); opacity: 0; offset-rotate: 0deg;
    animation: flow calc(0.75 * var(--beat)) calc(var(--delay) * var(--beat)) ease-in;
  }
  @keyframes flow {
    from { offset-distance: 0%; opacity: 1; }
    to { offset-distance: 100%; opacity: 1; }
  }

  .telling {
    font-size: 1.15em; min-height: 2.9em; text-align: center; text-wrap: balance; padding: 0.5em 0;
  }
  .telling .number { font-weight: 600; }
  .bar-of-controls {
    display: flex; flex-wrap: wrap; gap: 0.5em 0.9em; align-items: center; position: relative;
  }
  .bar-of-controls .field { display: block; }
  .bar-of-controls .field > span[aria-hidden] { display: none; }
  .phases { display: flex; gap: 0.3em; }
  .phases button { border-radius: 1em; --hue: var(--weight); border-color: var(--hue); color: var(--hue); background: none; }
  .phases .query { --hue: var(--query); border-radius: 1em; max-width: none !important; padding: 0.25em 0.65em !important; border-width: 1px !important; display: inline-block; font-weight: 400; }
  .phases .context { --hue: var(--context); }
  .phases .output { --hue: var(--output); }
  .phases button[aria-pressed="true"] { background: var(--hue) !important; color: var(--paper); border-color: var(--hue); }
  .stagecraft .options { margin-inline-start: auto; }
  .stagecraft .options-body {
    position: absolute; bottom: 100%; inset-inline-end: 0; z-index: 3; padding: 1rem;
    background: var(--paper); border: 1px solid var(--line); border-radius: 12px;
    box-shadow: 0 8px 28px rgb(0 0 0 / 16%); max-width: 100%;
  }
  .stagecraft .options > summary { max-width: 22em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }

  @media (min-width: 56rem) {
    .lanes:not([data-count="1"]) { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  }
  @media (max-width: 56rem) {
    .runner { grid-template-columns: 5.5em 1fr 3.2em; }
    .bar-of-controls { gap: 0.4em; justify-content: center; }
    .stagecraft .options { margin-inline-start: 0; }
    .telling { font-size: 1em; }
    .lanes:not([data-count="1"]) {
      .name, .query small, .pill-name, .runner:not(.winner) { display: none; }
      .chip .pill-name { display: block; }
      .strip { height: 0.8em; }
      .pill { padding-block: 0.1em !important; }
      .race { margin-top: 0.2em !important; }
      .words { line-height: 1.15; font-size: clamp(0.875rem, var(--words), 1.1em); }
      .target { padding-top: 0; }
    }
    .lanes:not([data-count="1"]) ~ .telling { min-height: 0; padding: 0.2em; font-size: var(--tiny); }
  }
  @media (max-height: 48rem), (max-width: 48rem) { .runner:nth-child(n + 4):not(.winner) { display: none; } }
  :host([present]) {
    position: fixed; inset: 0; z-index: 2147483647; overflow: auto; padding: 0 2vw;
  }
  :host([present]) :is(header, [role="tablist"], .provenance) { display: none; }
  :host([present]) .stagecraft {
    --type: clamp(1rem, min(1.3vw, 2.3vh), 4rem); --floor: clamp(0.875rem, min(1.25vw, 2.24vh), 4rem);
    --small: 1em; height: calc(100dvh - 1.5vh - var(--above, 0px));
  }
  :host([present]) .stagecraft :is(.soft, .note, .small) { font-size: 1em; }
  @media (prefers-reduced-motion: reduce) { .dot { display: none; } }
  @media (forced-colors: active) {
    .arc { stroke: CanvasText; }
    .part, .runner .runway i { background: CanvasText !important; forced-color-adjust: none; }
  }
`;
