"""Equality with PyTorch's own implementations, given the same weights, to 1e-6."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from regard.attention import Attention, Causal, scaled_dot
from regard.config.attention import ScaledDotConfig, SoftAttentionConfig
from regard.config.encoders import TransformerEncoderConfig
from regard.config.model import TransformerDecoderConfig
from regard.nn.embedding import Embedding
from regard.nn.interfaces import Decoder, Encoded
from regard.nn.transformer import DecoderBlock, EncoderBlock

E, H, S, T = 16, 4, 9, 5
LENGTHS = torch.tensor([9, 4, 6])
CLOSE = {"atol": 1e-6, "rtol": 0}


def copy_attention(ours: Attention, theirs: nn.MultiheadAttention) -> None:
    score = ours.score
    parts = [score.to_query, score.to_keys, ours.to_values]
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        no_bias = torch.zeros_like(score.to_query.bias)  # a softmax ignores a bias of the keys
        biases = [score.to_query.bias, no_bias, ours.to_values.bias]
        theirs.in_proj_bias.copy_(torch.cat(biases))
        theirs.out_proj.load_state_dict(ours.to_context.state_dict())


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("padded", [False, True])
def test_heads_equal_torch_multihead_attention(causal: bool, padded: bool) -> None:
    ours = Attention(
        scaled_dot(E, E, dim=E, heads=H),
        span=Causal() if causal else None,
        to_values=nn.Linear(E, E),
        to_context=nn.Linear(E, E),
    )
    theirs = nn.MultiheadAttention(E, H, batch_first=True)
    copy_attention(ours, theirs)
    x = torch.randn(3, S, E)
    hidden = torch.arange(S) >= LENGTHS[:, None] if padded else None
    mask = torch.ones(S, S, dtype=torch.bool).triu(1) if causal else None
    want, weights = theirs(
        x, x, x, key_padding_mask=hidden, attn_mask=mask, average_attn_weights=False
    )
    recorded = []
    memory = ours.build_memory(x, LENGTHS if padded else None)
    fused = ours(x, memory).context
    with ours.record(recorded.append):
        ours(x, memory)
    real = ~hidden if padded else torch.ones(3, S, dtype=torch.bool)
    torch.testing.assert_close(fused[real], want[real], **CLOSE)
    torch.testing.assert_close(recorded[0].context[real], want[real], **CLOSE)
    rows = real[:, None, :, None].expand_as(weights)
    torch.testing.assert_close(recorded[0].weights[rows], weights[rows], **CLOSE)


def copy_block(ours: EncoderBlock | DecoderBlock, theirs: nn.Module) -> None:
    copy_attention(ours.self_attention, theirs.self_attn)
    theirs.linear1.load_state_dict(ours.feed_forward[0].state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward[3].state_dict())
    norms = [ours.self_residual, ours.feed_forward_residual]
    if isinstance(ours, DecoderBlock):
        copy_attention(ours.cross_attention, theirs.multihead_attn)
        norms.insert(1, ours.cross_residual)
    for i, residual in enumerate(norms, start=1):
        theirs.get_submodule(f"norm{i}").load_state_dict(residual.norm.state_dict())


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_transformer_equals_torch_transformer(norm: str, activation: str) -> None:
    common = {
        "dim": E,
        "hidden_dim": 32,
        "layers": 2,
        "norm": norm,
        "activation": activation,
        "dropout": 0.0,
    }
    heads = SoftAttentionConfig(score=ScaledDotConfig(heads=H))
    encoder = TransformerEncoderConfig(**common, self_attention=heads).build(
        lambda std: Embedding(11, E, std=std)
    )
    config = TransformerDecoderConfig(**common, cross_attention=heads)
    self_attention = config.self_attention.model_copy(update={"score": ScaledDotConfig(heads=H)})
    decoder: Decoder = config.model_copy(update={"self_attention": self_attention}).build(
        E, encoder
    )
    options = {
        "batch_first": True,
        "norm_first": norm == "pre",
        "activation": activation,
        "dropout": 0.0,
    }
    theirs = nn.Transformer(
        E,
        H,
        2,
        2,
        32,
        custom_encoder=nn.TransformerEncoder(
            nn.TransformerEncoderLayer(E, H, 32, **options),
            2,
            nn.LayerNorm(E) if norm == "pre" else None,
            enable_nested_tensor=False,
        ),
        custom_decoder=nn.TransformerDecoder(
            nn.TransformerDecoderLayer(E, H, 32, **options),
            2,
            nn.LayerNorm(E) if norm == "pre" else None,
        ),
        batch_first=True,
    )
    for ours, layer in zip(encoder.blocks, theirs.encoder.layers, strict=True):
        copy_block(ours, layer)
    for ours, layer in zip(decoder.blocks, theirs.decoder.layers, strict=True):
        copy_block(ours, layer)
    # in double precision, because four layers in fp32 have rounding errors above 1e-6
    encoder, decoder, theirs = encoder.double(), decoder.double(), theirs.double()
    # torch's Transformer has no embedding: pass it our scaled embeddings with positions
    ids, words = torch.randint(0, 11, (3, S)), torch.randn(3, T, E, dtype=torch.float64)
    x = encoder.input(encoder.embedding(ids), 0)
    y = decoder.input(words, 0)
    hidden = torch.arange(S) >= LENGTHS[:, None]
    want = theirs(
        x,
        y,
        tgt_mask=nn.Transformer.generate_square_subsequent_mask(T).isinf(),
        src_key_padding_mask=hidden,
        memory_key_padding_mask=hidden,
    )
    states = x
    for block in encoder.blocks:
        states = block(states, LENGTHS)
    states = encoder.norm(states)
    encoded = Encoded(states, LENGTHS, states[:, 0])
    got, _ = decoder(words, decoder.start(encoded))
    torch.testing.assert_close(got.hidden, want, atol=1e-12, rtol=0)
