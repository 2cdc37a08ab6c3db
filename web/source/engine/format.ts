// The types of a model `regard.live/1` (docs/live.md), and of the settings of its parts.

import type { Attention, Kind } from "../record";

/** What a record has of an attention without an input. */
type AttentionFields = Omit<Attention, "weights" | "scores" | "norms">;

export type AttentionDescription = Omit<AttentionFields, "blank_memory"> & {
  blankMemory: boolean; // the first position is an empty slot, before the first token
};
export type { Kind };

export interface Identity {
  name: string;
  description: string;
  sha256: string;
  parameters: number;
}

export interface AlignmentHead {
  attention: string;
  head: number | null; // null: the mean of all heads
  shift: 0 | 1;
  null: boolean;
  threshold: number;
  agreement: number;
}

// -- settings, as a run file has them ---------------------------------------------------------------

export type ScoreConfig =
  | { kind: "dot"; scaled: boolean }
  | { kind: "bilinear" | "perceptron" }
  | { kind: "scaled-dot" | "cosine" | "additive"; dim: number | null; heads: number };

export type SpanConfig =
  | { kind: "everywhere" | "last" }
  | { kind: "causal"; window: number | null }
  | { kind: "local-monotone" | "local-predictive"; reach: number };

export interface AttentionConfig {
  score: ScoreConfig;
  span: SpanConfig;
  normalizer: { kind: string };
}

export type CellKind = "gru" | "lstm";

export interface TransformerConfig {
  dim: number;
  layers: number;
  activation: "relu" | "gelu" | "swish" | "sigmoid-gelu";
  norm: "pre" | "post";
  norm_eps: number;
  positions: "sinusoidal" | "sinusoidal-inclusive" | "learned";
  max_positions: number;
  scale_embedding: boolean;
}

export interface RecurrentEncoderConfig {
  kind: "recurrent";
  dim: number;
  cell: CellKind;
  layers: number;
  bidirectional: boolean;
  reverse: boolean;
}

export type TransformerEncoderConfig = TransformerConfig & {
  kind: "transformer";
  self_attention: AttentionConfig;
};
export type EncoderConfig = RecurrentEncoderConfig | TransformerEncoderConfig;

interface RecurrentConfig {
  dim: number;
  cell: CellKind;
  layers: number;
}

export type PlainConfig = RecurrentConfig & { kind: "plain" };
export type BahdanauConfig = RecurrentConfig & {
  kind: "bahdanau";
  attention: AttentionConfig;
  output: "maxout" | "sum";
  gate: boolean;
};
export type LuongConfig = RecurrentConfig & {
  kind: "luong";
  attention: AttentionConfig;
  input_feeding: boolean;
  output: "tanh" | "concatenation";
};
export type ConditionalConfig = Omit<RecurrentConfig, "layers"> & {
  kind: "conditional";
  attention: AttentionConfig;
};
export type TransformerDecoderConfig = TransformerConfig & {
  kind: "transformer";
  self_attention: AttentionConfig;
  cross_attention: AttentionConfig;
};
export type SSRUDecoderConfig = TransformerConfig & {
  kind: "transformer-ssru";
  cross_attention: AttentionConfig;
};
export type DecoderConfig =
  | PlainConfig
  | BahdanauConfig
  | LuongConfig
  | ConditionalConfig
  | TransformerDecoderConfig
  | SSRUDecoderConfig;

export interface ModelConfig {
  kind: "encoder-decoder";
  embedding_dim: number;
  encoder: EncoderConfig;
  decoder: DecoderConfig;
  tie_embeddings: "none" | "output" | "all";
}

// -- the header -------------------------------------------------------------------------------------

export type PieceType = "normal" | "unknown" | "control" | "byte" | "unused";

export interface VocabularyFields {
  kind: "unigram" | "bpe";
  form: "NFC" | "NFKC";
  rules: number;
  pieces: [piece: string, score: number, type: PieceType][];
}

export interface Tokenizers {
  source: VocabularyFields;
  target: VocabularyFields | null; // null: that of the source
  source_tags: number[]; // ids that precede every source
}

export interface PackedArray {
  type: "f32" | "f16" | "i8";
  shape: number[];
}

export interface LiveHeader {
  format: string;
  model: Identity;
  config: ModelConfig;
  search: { beam_size: number; length_penalty: number };
  tokenizers: Tokenizers;
  alignment_head: AlignmentHead | null;
  attentions: AttentionFields[];
  tensors: Record<string, { values: number; scales?: number }>;
  tied: Record<string, string>;
  sha256: string;
  arrays: PackedArray[];
  data: string;
}
