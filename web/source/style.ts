// Styles that all views share: type, spacing, light and dark.
import { css } from "lit";
import { tokens } from "./tokens";

export const shared = css`
  ${tokens}
  :host {
    color-scheme: light dark;
    --small: 0.9375rem; --tiny: 0.875rem;
    display: block; background: var(--paper); color: var(--ink);
    font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
    font-variant-numeric: tabular-nums; text-align: start;
  }
  @media (min-width: 75rem) { :host { --small: 1rem; } }
  * { box-sizing: border-box; }
  h2, h3, p, figure { margin: 0; }
  h2 { font-size: 1.05rem; font-weight: 650; overflow-wrap: anywhere; }
  h3 { font-size: 1rem; font-weight: 650; }
  a { color: var(--accent); }
  sub, sup { font-size: var(--tiny); }
  .soft { color: var(--soft); }
  .small { font-size: var(--small); }
  .token { font-weight: 600; font-style: normal; overflow-wrap: anywhere; }
  .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
  .number:not(td *) { font-weight: 600; }
  header { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; }
  header p { color: var(--soft); font-size: var(--small); overflow-wrap: anywhere; }
  .hidden {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
    white-space: nowrap;
  }

  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
  button, select, input { font: inherit; color: inherit; }
  button, select {
    border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
    padding: 0.25rem 0.65rem; min-height: 2rem; max-width: 100%;
  }
  button { cursor: pointer; }
  button:hover:enabled, select:hover { border-color: var(--soft); }
  button[aria-pressed="true"] { background: var(--accent-soft); border-color: var(--accent); }
  button:disabled { color: var(--soft); cursor: default; }
  select { text-overflow: ellipsis; }
  input[type="range"] { accent-color: var(--accent); vertical-align: middle; }

  [role="tablist"] {
    display: flex; gap: 0.25rem 1.25rem; overflow-x: auto; overflow-y: hidden;
    margin: 0.5rem 0 1.25rem; scrollbar-width: none;
    box-shadow: inset 0 -1px var(--line);
  }
  [role="tab"] {
    border: 0; border-radius: 0; background: none; padding: 0.5rem 0; color: var(--soft);
    border-bottom: 2px solid transparent; white-space: nowrap; flex: none;
  }
  [role="tab"][aria-selected="true"] {
    color: var(--ink); border-color: var(--accent); font-weight: 600;
  }
  .panel { display: grid; gap: 1.25rem; min-width: 0; }
  .panel > * { min-width: 0; }
  .controls { display: flex; flex-wrap: wrap; gap: 0.6rem 1rem; align-items: end; }
  .controls label, .field { display: grid; gap: 0.15rem; font-size: var(--small); color: var(--soft); }
  .controls label > *, .field button, .field input { font-size: var(--small); color: var(--ink); }
  .controls label.inline {
    display: flex; align-items: center; gap: 0.4rem; min-height: 2rem; color: var(--ink);
    font-size: var(--small);
  }
  .pair { display: flex; }
  .pair button { border-radius: 0; margin-inline-start: -1px; }
  .pair button:first-child { border-start-start-radius: 6px; border-end-start-radius: 6px; }
  .pair button:last-child { border-start-end-radius: 6px; border-end-end-radius: 6px; }

  .primary { background: var(--accent); color: var(--paper); border-color: var(--accent); min-width: 6.5rem; }
  button.primary[aria-pressed="true"] { background: var(--paper); color: var(--accent); }
  .options > summary { cursor: pointer; color: var(--soft); font-size: var(--small); width: fit-content; }
  .options-body { display: grid; gap: 0.75rem; padding-top: 0.75rem; }

  .summary {
    font-size: 1.125rem; line-height: 1.5; max-width: 46rem; overflow: clip;
    overflow-clip-margin: 0.3rem;
  }
  .note { color: var(--soft); font-size: var(--small); max-width: 46rem; overflow-wrap: anywhere; }
  .note .number { color: var(--ink); }
  cite { font-style: normal; }
  .note strong { color: var(--ink); font-weight: 600; }
  .provenance { margin-top: 2rem; font-size: var(--small); }
  .placeholder {
    border: 1px dashed var(--line); border-radius: 8px; padding: 1.5rem; max-width: 46rem;
    background: var(--card);
  }
  .scroll { overflow: auto; max-width: 100%; }
  canvas { display: block; image-rendering: pixelated; }
  .legend { display: flex; flex-wrap: wrap; gap: 0.4rem 1.25rem; align-items: center; }
  .legend span { display: inline-flex; align-items: center; gap: 0.4rem; }
  .ramp { width: 8rem; height: 0.75rem; border-radius: 2px; border: 1px solid var(--line); }
  .strip { width: 100%; height: 1.75rem; border-radius: 3px; border: 1px solid var(--line); }

  @media (prefers-reduced-motion: reduce) {
    * { transition: none !important; animation: none !important; }
  }
  @media (forced-colors: active) {
    button[aria-pressed="true"], [role="tab"][aria-selected="true"] {
      border-color: Highlight; forced-color-adjust: none; background: Highlight;
      color: HighlightText;
    }
  }
  @media print {
    [role="tablist"], .controls { display: none; }
    .scroll { overflow: visible; max-height: none !important; }
  }
`;
