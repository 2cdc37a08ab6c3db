// Styles of the server's page, beside those that it shares with the viewer.
import { css } from "lit";

export const style = css`
  :host {
    min-height: 100dvh; max-width: 76rem; margin: 0 auto; padding: 0 1.5rem 2rem;
    --radius: 12px; --linked: #fbe3b5;
  }
  @media (prefers-color-scheme: dark) { :host { --linked: #6b4a12; } }
  h1 { font-size: 1.125rem; font-weight: 700; margin: 0; letter-spacing: -0.01em; }
  header { align-items: center; padding: 1.25rem 0.25rem; gap: 1rem; }
  header p { margin-inline-end: auto; }
  header a { font-size: var(--small); }
  svg {
    width: 1.25rem; height: 1.25rem; fill: none; stroke: currentcolor; stroke-width: 1.6;
    stroke-linecap: round; stroke-linejoin: round; vertical-align: middle;
  }
  button.plain { border-color: transparent; background: none; color: var(--accent); }
  button.plain:hover:enabled { background: var(--accent-soft); }
  [hidden] { display: none !important; }

  main {
    display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    border: 1px solid var(--line); border-radius: var(--radius);
  }
  main[data-dropping] { outline: 2px dashed var(--accent); outline-offset: 3px; }
  .side {
    display: grid; grid-template: auto 1fr auto / minmax(0, 1fr); min-width: 0; min-height: 24rem;
  }
  .target {
    background: var(--card); border-inline-start: 1px solid var(--line);
    border-start-end-radius: var(--radius); border-end-end-radius: var(--radius);
  }
  .head, .foot {
    display: flex; align-items: center; gap: 0.25rem; min-height: 3.25rem;
    padding: 0.25rem 0.75rem 0.25rem 1.5rem;
  }
  .head h2 { font-size: var(--small); font-weight: 600; color: var(--soft); margin-inline-end: auto; }
  .foot > :first-child { margin-inline-end: auto; }
  .foot button, .head button { min-height: 2.75rem; font-size: var(--small); }
  .icon { min-width: 2.75rem; padding: 0; }
  .progress { margin-inline-end: 0.75rem; animation: appear 0.2s 0.3s backwards; }
  @keyframes appear { from { opacity: 0; } }

  .editor { display: grid; }
  .editor > *, .result {
    font: inherit; font-size: 1.375rem; line-height: 1.6; letter-spacing: normal;
    padding: 0.25rem 1.5rem; margin: 0; border: 0; white-space: pre-wrap;
    overflow-wrap: break-word; word-break: normal; text-align: start; unicode-bidi: plaintext;
    font-variant-numeric: normal; tab-size: 8;
  }
  .editor > * { grid-area: 1 / 1; min-width: 0; width: 100%; }
  .mirror { color: transparent; user-select: none; pointer-events: none; }
  textarea {
    position: relative; resize: none; overflow: hidden; background: none; color: inherit;
    height: 100%; min-height: 100%; display: block;
  }
  textarea:focus-visible { outline: none; }
  textarea::placeholder { color: var(--soft); opacity: 1; }
  .source { border-start-start-radius: var(--radius); border-end-start-radius: var(--radius); }
  .source:has(textarea:focus-visible) {
    outline: 2px solid var(--accent); outline-offset: -1px;
  }

  .output { position: relative; }
  .mark { border-radius: 3px; transition: background 0.12s, box-shadow 0.12s; }
  .target .mark { cursor: pointer; }
  .mark[data-marked] { background: var(--accent-soft); box-shadow: 0 0 0 2px var(--accent-soft); }
  .mark[data-marked="counterpart"] {
    background: var(--linked); box-shadow: 0 0 0 2px var(--linked);
  }
  .mark[aria-expanded="true"] { background: var(--accent-soft); }
  .mark[data-unaligned], .sample {
    text-decoration: underline dotted var(--mark) 2px; text-underline-offset: 0.25em;
    text-decoration-skip-ink: none;
  }
  .stale { color: var(--soft); }
  .empty { padding: 0.25rem 1.5rem; display: grid; gap: 0.5rem; }
  .empty > :first-child { font-size: 1.375rem; line-height: 1.6; }
  .link { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
  .link .word { color: var(--ink); font-weight: 600; }
  [data-over] { color: var(--mark); font-weight: 600; }

  .problem { margin: 0.25rem 1.5rem 1rem; display: grid; gap: 0.6rem; justify-items: start; }
  p.problem, div.problem {
    padding: 0.75rem 1rem; border-inline-start: 3px solid var(--mark); background: var(--paper);
  }
  .field-row { display: flex; gap: 0.5rem; width: 100%; max-width: 26rem; }
  .field-row button, .problem > button { min-height: 2.75rem; white-space: nowrap; }
  input {
    border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
    padding: 0.25rem 0.65rem; min-height: 2.75rem; min-width: 0; flex: 1;
  }

  .alternatives {
    position: absolute; z-index: 1; top: var(--top); width: min(26rem, 100% - 1rem);
    left: clamp(0.5rem, var(--left), 100% - min(26rem, 100% - 1rem) - 0.5rem);
    display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.6rem; padding: 1rem;
    border: 1px solid var(--line);
    border-radius: var(--radius); background: var(--paper); box-shadow: 0 8px 28px rgb(0 0 0 / 16%);
  }
  .alternatives:focus { outline: none; }
  .alternatives h3 { font-size: var(--small); padding-inline-end: 2.5rem; overflow-wrap: anywhere; }
  .alternatives h3.soft { font-weight: 600; }
  .alternatives h3 > .soft { font-weight: 400; }
  .alternatives .close { position: absolute; top: 0.25rem; right: 0.25rem; }
  .close { min-width: 2.75rem; min-height: 2.75rem; padding: 0; }
  .close svg { width: 1rem; height: 1rem; }
  .chips { overflow-wrap: anywhere; display: flex; flex-wrap: wrap; gap: 0.4rem; }
  .chips button { min-height: 2.75rem; }
  .options {
    display: flex; flex-direction: column; gap: 0.125rem; max-height: 24rem; overflow: auto;
    margin: 0 -0.65rem; padding: 2px;
  }
  .options button {
    border-color: transparent; text-align: start; padding: 0.5rem 0.65rem; line-height: 1.4;
    overflow-wrap: anywhere; min-height: 2.75rem; flex: none;
  }
  .options button:hover { background: var(--card); }
  .options button[aria-pressed="true"] { border-color: transparent; background: var(--accent-soft); }
  .options b { font-weight: 650; color: var(--accent); }
  .steps { min-height: 2.75rem; }

  .warnings {
    margin-top: 1.25rem; padding: 1rem 1.5rem; border: 1px solid var(--line);
    border-inline-start: 3px solid var(--mark); border-radius: 6px; display: grid; gap: 0.4rem;
  }
  .warnings h2 { font-size: var(--small); }
  .warnings ul { margin: 0; padding: 0; list-style: none; display: grid; gap: 0.25rem; }
  footer { padding: 1.25rem 0.25rem 0; }

  @media (max-width: 46rem) {
    :host { padding: 0 0.75rem 1.5rem; }
    header { padding: 0.75rem 0.25rem; }
    header p { display: none; }
    h1 { margin-inline-end: auto; }
    header select, header a { min-height: 2.75rem; }
    header a { display: inline-flex; align-items: center; }
    main { grid-template-columns: minmax(0, 1fr); }
    .side { min-height: 12rem; }
    .source { border-radius: var(--radius) var(--radius) 0 0; }
    .target {
      border-inline-start: 0; border-top: 1px solid var(--line); border-radius: 0;
      border-end-start-radius: var(--radius); border-end-end-radius: var(--radius);
    }
    .head, .foot { padding-inline: 1rem 0.5rem; }
    .editor > *, .result, .empty > :first-child { font-size: 1.1875rem; }
    .editor > *, .result, .empty { padding-inline: 1rem; }
    .result { line-height: 1.9; }
    .alternatives {
      position: fixed; inset: auto 0 0; width: auto; max-height: 60dvh; overflow: auto;
      border-end-start-radius: 0; border-end-end-radius: 0; border-inline: 0; border-bottom: 0;
    }
    .options { max-height: none; }
  }
  @media (forced-colors: active) {
    .mark[data-marked] { outline: 2px solid Highlight; }
  }
`;
