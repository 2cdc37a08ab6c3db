// A small record made by hand: two words read, two said, one look of one head.
import { deflateSync } from "node:zlib";
import type { Header } from "../source/record";

const LOOK = {
  name: "decoder.attention",
  kind: "source",
  layer: 0,
  heads: 1,
  score: { name: "dot", formula: "", citation: "" },
  span: { name: "everywhere", formula: "", citation: "" },
  weighing: { name: "softmax", formula: "", citation: "" },
  weights: 0,
  norms: 1,
  blank: false,
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
  const norms = new Uint16Array([0x3c00, 0x4100, 0x3800]); // the halves of NORMS
  const bytes = Buffer.concat([weights, norms].map((part) => Buffer.from(part.buffer)));
  const header = {
    format: "regard.explain/1",
    model: { name: "by hand", about: "", sha256: "", parameters: 0 },
    made: {},
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
    looks: [LOOK],
    pointer: null,
    links: [],
    gold: null,
    walk: null,
    summary: null,
    beam: null,
    whatifs: null,
    arrays: [
      { type: "u16", shape: [1, 4, 3] },
      { type: "f16", shape: [1, 3] },
    ],
    data: deflateSync(bytes).toString("base64"),
    ...change,
  };
  return JSON.stringify(header);
}
