// The engine: translation models that run in a browser, a worker or Node.js.

export type { Changes, FixedWeights, HeadName } from "./changes";
export type { Encoded } from "./encoders";
export type { AttentionDescription, Tokenizers, VocabularyFields } from "./format";
export { type LiveModel, readModel } from "./model";
export { type BeamResult, beam, greedy, type Translation } from "./search";
export { type AttentionTrace, type HeadNumbers, type Trace, trace } from "./trace";
