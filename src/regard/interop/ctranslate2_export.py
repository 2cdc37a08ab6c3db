"""A Transformer of ours as the files that CTranslate2 runs: the same numbers under other names.

What it cannot run, `spec.export` tells when a model is written down; nothing is asked again here.
Sources end with an EOS of our own, so CTranslate2 is told to add nothing. Its tokens are strings,
one for each of our ids.
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
from regard.inference.ctranslate2_engine import import_ctranslate2
from regard.models import EncoderDecoder
from regard.nn.embedding import Positions
from regard.nn.transformer import (
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    Residual,
    TransformerDecoder,
    TransformerEncoder,
)
from regard.text.tokenizer import BOS, EOS, UNK

Quantization: TypeAlias = Literal["int8"]

# CTranslate2 has its positions in a table, and sinusoids have no end. This many let a source of
# 2,040 tokens be answered in full; in a model of 512 numbers they take 8 MB.
POSITIONS = 4096


def convert_to_ctranslate2(
    model: EncoderDecoder[Tokens, Any],
    pieces: Sequence[str],
    *,
    quantization: Quantization | None = None,
) -> dict[str, bytes]:
    """The files of `model`, whose ids are named by `pieces`, by their names."""
    encoder = cast(TransformerEncoder, model.encoder)
    decoder = cast(TransformerDecoder, model.decoder)
    known = import_ctranslate2().specs
    spec = known.TransformerSpec(
        known.TransformerEncoderSpec(**_shape(list(encoder.blocks))),
        known.TransformerDecoderSpec(**_shape(list(decoder.blocks))),
    )
    _convert_encoder(spec.encoder, encoder)
    _convert_decoder(spec.decoder, decoder, model.embedding, model.readout)
    spec.register_source_vocabulary(list(pieces))
    spec.register_target_vocabulary(list(pieces))
    spec.config.bos_token = spec.config.decoder_start_token = pieces[BOS]
    spec.config.eos_token, spec.config.unk_token = pieces[EOS], pieces[UNK]
    spec.config.add_source_bos = spec.config.add_source_eos = False
    spec.validate()
    spec.optimize(quantization)
    with TemporaryDirectory() as folder:
        spec.save(folder)
        return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}


def _shape(blocks: Sequence[EncoderBlock | DecoderBlock]) -> dict[str, Any]:
    """What the blocks of a stack have in common."""
    first, known = blocks[0], import_ctranslate2().specs.Activation
    return {
        "num_layers": len(blocks),
        "num_heads": first.self_attention.score.heads,
        "pre_norm": first.self_residual.pre_norm,
        "activation": {nn.ReLU: known.RELU, nn.GELU: known.GELU}[type(first.feed_forward[1])],
    }


def _convert_encoder(spec: Any, encoder: TransformerEncoder) -> None:
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
    _convert_embedding(spec.embeddings, spec.position_encodings, embedding, decoder.input.positions)
    for layer, block in zip(spec.layer, decoder.blocks, strict=True):
        assert block.cross_attention is not None
        assert block.cross_residual is not None  # as what translates has read something
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
    learnt = list(positions.parameters())  # the whole table, where there is one
    nothing = torch.zeros(1, POSITIONS, embedding.embedding_dim)
    encodings.encodings = _copy(learnt[0] if learnt else positions(0, nothing))


def _convert_self_attention(spec: Any, own: Attention, around: Residual) -> None:
    query, keys, values, context = _projections(own)
    _convert_norm(spec.layer_norm, around.norm)
    _convert_linear(spec.linear[0], query, keys, values)
    _convert_linear(spec.linear[1], context)


def _convert_cross_attention(spec: Any, source: Attention, around: Residual) -> None:
    query, keys, values, context = _projections(source)
    _convert_norm(spec.layer_norm, around.norm)
    _convert_linear(spec.linear[0], query)
    _convert_linear(spec.linear[1], keys, values)
    _convert_linear(spec.linear[2], context)


def _projections(attention: Attention) -> list[nn.Linear]:
    score = cast(InnerProduct, attention.score)
    return cast(
        list[nn.Linear],
        [score.to_query, score.to_keys, attention.to_values, attention.to_context],
    )


def _convert_feed_forward(spec: Any, feed: FeedForward, around: Residual) -> None:
    _convert_norm(spec.layer_norm, around.norm)
    _convert_linear(spec.linear_0, cast(nn.Linear, feed[0]))
    _convert_linear(spec.linear_1, cast(nn.Linear, feed[-1]))


def _convert_norm(spec: Any, norm: nn.Module) -> None:
    norm = cast(nn.LayerNorm, norm)
    spec.gamma, spec.beta = _copy(norm.weight), _copy(norm.bias)


def _convert_linear(spec: Any, *parts: nn.Linear) -> None:
    """Several that read the same as one; where a part has no bias, it is zero."""
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
    """A copy, for CTranslate2 quantises in place."""
    return values.detach().to("cpu", torch.float32, copy=True)
