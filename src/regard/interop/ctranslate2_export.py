"""Convert a Transformer to the files of CTranslate2.

`ctranslate2_limits` checks the config first. Sources already end with EOS, so CTranslate2 adds no
special tokens. CTranslate2 identifies tokens by strings, one for each id.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias, cast

import torch
from torch import Tensor, nn

from regard.attention import Attention, InnerProduct
from regard.batch import Tokens
from regard.config.attention import PAST_STATES, AttentionUse, ScaledDotConfig
from regard.config.encoders import TransformerConfig
from regard.config.run import RunConfig
from regard.inference.ctranslate2_engine import import_ctranslate2
from regard.models import EncoderDecoder
from regard.nn.embedding import Embedding, Positions
from regard.nn.transformer import (
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    Residual,
    SigmoidGELU,
    TransformerDecoder,
    TransformerEncoder,
)
from regard.text.tokenizer import BOS, EOS, UNK

# -- check from the config alone whether CTranslate2 can run the model -----------------------------
# CTranslate2 runs encoder-decoder Transformers whose attentions all use scaled dot products,
# softmax, plain or causal spans and the same number of heads.


def export_obstacles(run: RunConfig) -> list[str]:
    """Return the settings that CTranslate2 does not support; empty if it can run the model."""
    model = run.model
    if model.kind != "encoder-decoder":
        return [f"model.kind is {model.kind}: only encoder-decoder can be exported"]
    obstacles = [
        f"model.{name}.kind is {part.kind}: only transformer can be exported"
        for name, part in (("encoder", model.encoder), ("decoder", model.decoder))
        if part.kind != "transformer"
    ]
    if obstacles:
        return obstacles
    encoder, decoder = (
        cast(TransformerConfig, model.encoder),
        cast(TransformerConfig, model.decoder),
    )
    if encoder.norm_eps != decoder.norm_eps:
        obstacles.append("norm_eps must be the same in encoder and decoder")
    uses = model.attention_uses()
    for use in uses:
        obstacles += _attention_obstacles(use)
    if len({use.attention.score.heads for use in uses}) > 1:
        obstacles.append("score.heads must be the same in all attentions")
    return obstacles


def _attention_obstacles(use: AttentionUse) -> list[str]:
    attention, use_name = use.attention, f"{use.query} over {use.memory}"
    required = "causal" if use.memory == PAST_STATES else "everywhere"
    obstacles = []
    if not isinstance(attention.score, ScaledDotConfig):
        obstacles.append(f"{use_name}: score is {attention.score.kind}, not scaled-dot")
    elif attention.score.dim is not None:
        obstacles.append(f"{use_name}: score.dim must not be set")
    if attention.span.kind != required or attention.span != attention.span.__class__():
        obstacles.append(f"{use_name}: span is {attention.span.kind}, not plain {required}")
    if attention.normalizer.kind != "softmax":
        obstacles.append(f"{use_name}: normalizer is {attention.normalizer.kind}, not softmax")
    return obstacles


# -- CTranslate2 export ----------------------------------------------------------------------------


Quantization: TypeAlias = Literal["int8"]

# CTranslate2 stores positions in a table. This many suffice to translate a source of 2,040 tokens;
# with 512 dimensions they take 8 MB.
POSITIONS = 4096


def convert_to_ctranslate2(
    model: EncoderDecoder[Tokens, Any],
    pieces: Sequence[str],
    target_pieces: Sequence[str] | None = None,
    *,
    quantization: Quantization | None = None,
) -> dict[str, bytes]:
    """Return the files of the converted model by name.

    `pieces[id]` is the string of a source token, and of a target token by default.
    """
    target_pieces = target_pieces or pieces
    encoder = cast(TransformerEncoder, model.encoder)
    decoder = cast(TransformerDecoder, model.decoder)
    specs = import_ctranslate2().specs
    spec = specs.TransformerSpec(
        specs.TransformerEncoderSpec(**_shape(list(encoder.blocks))),
        specs.TransformerDecoderSpec(**_shape(list(decoder.blocks))),
    )
    _convert_encoder(spec.encoder, encoder)
    _convert_decoder(spec.decoder, decoder, model.embedding, model.readout)
    spec.register_source_vocabulary(list(pieces))
    spec.register_target_vocabulary(list(target_pieces))
    spec.config.bos_token = spec.config.decoder_start_token = target_pieces[BOS]
    spec.config.eos_token, spec.config.unk_token = target_pieces[EOS], target_pieces[UNK]
    spec.config.layer_norm_epsilon = next(iter(encoder.blocks)).self_residual.norm.eps
    spec.config.add_source_bos = spec.config.add_source_eos = False
    spec.validate()
    spec.optimize(quantization)
    with TemporaryDirectory() as folder:
        spec.save(folder)
        return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}


def _shape(blocks: Sequence[EncoderBlock | DecoderBlock]) -> dict[str, object]:
    first, activations = blocks[0], import_ctranslate2().specs.Activation
    return {
        "num_layers": len(blocks),
        "num_heads": cast(Attention, first.self_attention).score.heads,
        "pre_norm": first.self_residual.pre_norm,
        "activation": {
            nn.ReLU: activations.RELU,
            nn.GELU: activations.GELU,
            nn.SiLU: activations.SWISH,
            SigmoidGELU: activations.GELUSigmoid,
        }[type(first.feed_forward[1])],
    }


def _convert_encoder(spec: Any, encoder: TransformerEncoder) -> None:
    spec.scale_embeddings = _is_scaled(encoder.embedding)
    _convert_embedding(
        spec.embeddings[0], spec.position_encodings, encoder.embedding, encoder.input.positions
    )
    for layer, block in zip(spec.layer, encoder.blocks, strict=True):
        _convert_self_attention(layer.self_attention, block.self_attention, block.self_residual)
        _convert_feed_forward(layer.ffn, block.feed_forward, block.feed_forward_residual)
    if spec.pre_norm:
        _convert_norm(spec.layer_norm, encoder.norm)


def _convert_decoder(
    spec: Any, decoder: TransformerDecoder, embedding: nn.Embedding, readout: nn.Linear
) -> None:
    spec.scale_embeddings = _is_scaled(embedding)
    _convert_embedding(spec.embeddings, spec.position_encodings, embedding, decoder.input.positions)
    for layer, block in zip(spec.layer, decoder.blocks, strict=True):
        assert block.self_attention is not None
        assert block.cross_attention is not None
        assert block.cross_residual is not None
        _convert_self_attention(layer.self_attention, block.self_attention, block.self_residual)
        _convert_cross_attention(layer.attention, block.cross_attention, block.cross_residual)
        _convert_feed_forward(layer.ffn, block.feed_forward, block.feed_forward_residual)
    if spec.pre_norm:
        _convert_norm(spec.layer_norm, decoder.norm)
    _convert_linear(spec.projection, readout)


def _convert_embedding(
    spec: Any, encodings: Any, embedding: nn.Embedding, positions: Positions
) -> None:
    spec.weight = _copy(embedding.weight)
    learned = list(positions.parameters())  # empty for sinusoids
    inputs = torch.zeros(1, POSITIONS, embedding.embedding_dim)
    encodings.encodings = _copy(learned[0] if learned else positions(0, inputs))


def _is_scaled(embedding: nn.Embedding) -> bool:
    return cast(Embedding, embedding).scale > 1


def _convert_self_attention(spec: Any, attention: Attention, residual: Residual) -> None:
    query, keys, values, context = _projections(attention)
    _convert_norm(spec.layer_norm, residual.norm)
    _convert_linear(spec.linear[0], query, keys, values)
    _convert_linear(spec.linear[1], context)


def _convert_cross_attention(spec: Any, attention: Attention, residual: Residual) -> None:
    query, keys, values, context = _projections(attention)
    _convert_norm(spec.layer_norm, residual.norm)
    _convert_linear(spec.linear[0], query)
    _convert_linear(spec.linear[1], keys, values)
    _convert_linear(spec.linear[2], context)


def _projections(attention: Attention) -> list[nn.Linear]:
    score = cast(InnerProduct, attention.score)
    return cast(
        list[nn.Linear],
        [score.to_query, score.to_keys, attention.to_values, attention.to_context],
    )


def _convert_feed_forward(spec: Any, feed_forward: FeedForward, residual: Residual) -> None:
    _convert_norm(spec.layer_norm, residual.norm)
    _convert_linear(spec.linear_0, cast(nn.Linear, feed_forward[0]))
    _convert_linear(spec.linear_1, cast(nn.Linear, feed_forward[-1]))


def _convert_norm(spec: Any, norm: nn.Module) -> None:
    norm = cast(nn.LayerNorm, norm)
    spec.gamma, spec.beta = _copy(norm.weight), _copy(norm.bias)


def _convert_linear(spec: Any, *parts: nn.Linear) -> None:
    """Concatenate layers with the same input into one. A missing bias becomes zero."""
    spec.weight = _copy(torch.cat([part.weight for part in parts]))
    spec.bias = _copy(
        torch.cat(
            [
                part.weight.new_zeros(part.out_features) if part.bias is None else part.bias
                for part in parts
            ]
        )
    )


def _copy(values: Tensor) -> Tensor:
    """Return a copy, because CTranslate2 quantizes in place."""
    return values.detach().to("cpu", torch.float32, copy=True)
