// A small record: two source words, two target words, one attention with one head.
import { deflateSync } from "node:zlib";
import type { Header } from "../source/record";

const ATTENTION = {
  name: "decoder.attention",
  kind: "cross",
  layer: 0,
  heads: 1,
  score: { name: "dot", formula: "", reference: "" },
  span: { name: "everywhere", formula: "", reference: "" },
  normalizer: { name: "softmax", formula: "", reference: "" },
  prior: null,
  weights: 0,
  norms: 1,
  blank_memory: false,
} as const;

/** Rows: ▁Ein, ▁Hu, nd, </s>; columns: ▁A, ▁🐕, </s>. In 65535ths. */
export const WEIGHTS = [
  [65535, 0, 0],
  [13107, 52428, 0],
  [0, 65535, 0],
  [0, 0, 65535],
];
export const NORMS = [1, 2.5, 0.5];

export function packed(change: Partial<Header> = {}): string {
  const weights = new Uint16Array(WEIGHTS.flat());
  const norms = new Uint16Array([0x3c00, 0x4100, 0x3800]); // NORMS in half precision
  const bytes = Buffer.concat([weights, norms].map((part) => Buffer.from(part.buffer)));
  const header = {
    format: "regard.explain/2",
    model: { name: "test", description: "", sha256: "", parameters: 0 },
    created: {},
    source: {
      kind: "text",
      text: "A 🐕",
      pieces: ["▁A", "▁🐕", "</s>"],
      spans: [
        [0, 1],
        [2, 3],
        [3, 3],
      ],
      words: [
        [0, 1],
        [2, 3],
      ],
      word_pieces: [[0], [1]],
    },
    target: {
      kind: "text",
      text: "Ein Hund",
      pieces: ["▁Ein", "▁Hu", "nd", "</s>"],
      spans: [
        [0, 3],
        [4, 6],
        [6, 8],
        [8, 8],
      ],
      words: [
        [0, 3],
        [4, 8],
      ],
      word_pieces: [[0], [1, 2]],
    },
    steps: [-0.1, -0.2, -0.3, -0.4].map((logp) => ({ logp, entropy: 0, top: [] })),
    attentions: [ATTENTION],
    alignment_head: null,
    links: [],
    gold: null,
    head_trace: null,
    summary: null,
    beam: null,
    interventions: null,
    arrays: [
      { type: "u16", shape: [1, 4, 3] },
      { type: "f16", shape: [1, 3] },
    ],
    data: deflateSync(bytes).toString("base64"),
    ...change,
  };
  return JSON.stringify(header);
}
