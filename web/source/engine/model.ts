// A translation model (regard/models.py, regard/config/model.py).

import { type Pass, UNCHANGED } from "./attention";
import { changesEncoder, checkChanges } from "./changes";
import { Embedding } from "./embedding";
import { type Encoded, type Encoder, RecurrentEncoder } from "./encoders";
import type {
  AlignmentHead,
  AttentionDescription,
  DecoderConfig,
  Identity,
  LiveHeader,
  ModelConfig,
  Tokenizers,
  TransformerConfig,
} from "./format";
import { type Linear, linear, type Vector } from "./linear";
import {
  BahdanauDecoder,
  ConditionalDecoder,
  type Decoder,
  LuongDecoder,
  PlainDecoder,
} from "./recurrent_decoders";
import { TransformerDecoder, TransformerEncoder } from "./transformer";
import { readWeights, type Weights } from "./weights";

const FORMAT = "regard.live/1";
const RECURRENT_STD = 0.25; // of embeddings that cells read

/** Read a model `regard.live/1`. Throws an error if it is damaged or has another format. */
export async function readModel(json: string): Promise<LiveModel> {
  const header = JSON.parse(json) as LiveHeader;
  if (header.format !== FORMAT)
    throw new Error(
      `This engine reads the format ${FORMAT}, but the model has the format “${header.format}”. ` +
        "Write the page with the version of regard that made the engine.",
    );
  return new LiveModel(header, await readWeights(header));
}

/** The state of a decoder before a step. */
export interface DecoderState {
  decoder: unknown;
  pass: Pass;
}

export interface Step {
  logits: Vector;
  hidden: Vector; // the output of the decoder
  next: DecoderState;
}

/** p(y_t | y_<t, x) = softmax(readout(decoder(y_<t, encoder(x)))) */
export class LiveModel {
  readonly identity: Identity;
  readonly config: ModelConfig;
  readonly search: LiveHeader["search"];
  readonly tokenizers: Tokenizers;
  readonly alignmentHead: AlignmentHead | null;
  readonly attentions: AttentionDescription[];
  readonly vocabulary: number; // of the target
  private readonly encoder: Encoder;
  private readonly decoder: Decoder;
  private readonly embedding: Embedding;
  private readonly readout: Linear;

  constructor(header: LiveHeader, weights: Weights) {
    this.identity = header.model;
    this.config = header.config;
    this.search = header.search;
    this.tokenizers = header.tokenizers;
    this.alignmentHead = header.alignment_head;
    this.attentions = header.attentions.map(({ blank_memory: blankMemory, ...fields }) => {
      return { ...fields, blankMemory };
    });
    this.encoder = readEncoder(header.config, weights);
    this.decoder = readDecoder(header.config, weights.at("decoder"));
    this.embedding = new Embedding(weights.matrix("embedding.weight"), std(header.config.decoder));
    this.readout = weights.at("readout").linear();
    this.vocabulary = this.readout.weight.rows;
  }

  /** The most tokens that the decoder can read; null: no bound. */
  get maxPositions(): number | null {
    return this.decoder.maxPositions;
  }

  /** Encode a source: the ids of its pieces and the end token. */
  encode(ids: number[], pass: Pass = UNCHANGED): Encoded {
    return this.encoder.encode(ids, pass);
  }

  /** The decoder's state before the first token. If changes concern the encoder, and the source was
   *  encoded with others, it is encoded again. */
  start(encoded: Encoded, pass: Pass = UNCHANGED): DecoderState {
    const { changes } = pass;
    checkChanges(changes, this.attentions, encoded.states.length);
    const again =
      changes !== encoded.changes &&
      (changesEncoder(changes, this.attentions) ||
        changesEncoder(encoded.changes, this.attentions));
    const source = again ? this.encode(encoded.ids, { changes, record: null }) : encoded;
    return { decoder: this.decoder.start(source), pass };
  }

  /** The logits after a token. */
  step(id: number, { decoder, pass }: DecoderState): Step {
    const [hidden, next] = this.decoder.step(this.embedding.of(id), decoder, pass);
    return { logits: linear(this.readout, hidden), hidden, next: { decoder: next, pass } };
  }
}

function readEncoder(config: ModelConfig, weights: Weights): Encoder {
  const { encoder, decoder } = config;
  const tied = config.tie_embeddings === "all"; // the same module, with the decoder's scale
  const table = weights.matrix("encoder.embedding.weight");
  const embedding = new Embedding(table, std(tied ? decoder : encoder));
  return encoder.kind === "recurrent"
    ? new RecurrentEncoder(encoder, embedding, weights.at("encoder"))
    : new TransformerEncoder(encoder, embedding, weights.at("encoder"));
}

function readDecoder({ encoder, decoder }: ModelConfig, weights: Weights): Decoder {
  switch (decoder.kind) {
    case "plain":
      return new PlainDecoder(decoder, encoder, weights);
    case "bahdanau":
      return new BahdanauDecoder(decoder, encoder, weights);
    case "luong":
      return new LuongDecoder(decoder, encoder, weights);
    case "conditional":
      return new ConditionalDecoder(decoder, weights);
    case "transformer":
    case "transformer-ssru":
      return new TransformerDecoder(decoder, weights);
  }
}

/** The standard deviation of the embeddings that a part reads. */
function std(part: ModelConfig["encoder"] | DecoderConfig): number {
  if (!("scale_embedding" in part)) return RECURRENT_STD;
  const { scale_embedding, dim }: TransformerConfig = part;
  return scale_embedding ? 1 : dim ** -0.5;
}
