"""Write a Transformer as a Hugging Face MarianMT folder, which `transformers` loads.

    config.json, generation_config.json, model.safetensors
    source.spm, target.spm, vocab.json, tokenizer_config.json

The tables get back the order of MarianMT: the end token first, the unknown token second, and last
the padding, whose row is the first decoder input.
"""

from __future__ import annotations

import json
from typing import Any, cast

import torch
from torch import Tensor

from regard.batch import Tokens
from regard.bundle.parts import pack
from regard.config.run import RunConfig
from regard.errors import ConfigError
from regard.interop.ctranslate2_export import export_obstacles
from regard.interop.huggingface_import import ACTIVATIONS, PARTS
from regard.models import EncoderDecoder
from regard.text.pretrained_tokenizer import PretrainedSentencePiece
from regard.text.tokenizer import BOS, EOS, UNK, SentencePiece, Tokenizer

ACTIVATION_NAMES = {ours: theirs for theirs, ours in ACTIVATIONS.items() if theirs != "silu"}


def huggingface_obstacles(run: RunConfig) -> list[str]:
    """Return the settings that MarianMT does not have; empty if it can run the model."""
    obstacles = export_obstacles(run)  # scaled dot products, softmax, plain spans
    if obstacles:
        return obstacles
    model = cast(Any, run.model)
    for name in ("encoder", "decoder"):
        part = getattr(model, name)
        for setting, required in (
            ("norm", "post"),
            ("norm_eps", 1e-5),
            ("positions", "sinusoidal"),
            ("activation", model.encoder.activation),
            ("scale_embedding", model.encoder.scale_embedding),
            ("dim", model.encoder.dim),
        ):
            if getattr(part, setting) != required:
                obstacles.append(
                    f"model.{name}.{setting} is {getattr(part, setting)}, not {required}"
                )
    return obstacles


def convert_to_huggingface(
    run: RunConfig,
    model: EncoderDecoder[Tokens, Any],
    tokenizer: Tokenizer,
    target_tokenizer: Tokenizer,
) -> dict[str, bytes]:
    """Return the files of a MarianMT folder by name.

    Raises ConfigError if MarianMT cannot represent the model or its tokenizer.
    """
    if obstacles := huggingface_obstacles(run):
        raise ConfigError(f"MarianMT cannot represent the model: {'; '.join(obstacles)}")
    spms = [_spm(member) for member in (tokenizer, target_tokenizer)]
    pieces, target_pieces = (_pieces(member) for member in (tokenizer, target_tokenizer))
    separate = pieces != target_pieces
    if separate and len(pieces) != len(target_pieces):
        pieces, target_pieces = _same_length(pieces, target_pieces)
    size = len(pieces)
    state = _state(model, size)
    files = {
        "config.json": _json(_config(run, size, separate)),
        "generation_config.json": _json(_generation(run, size)),
        "tokenizer_config.json": _json(
            {
                "tokenizer_class": "MarianTokenizer",
                "separate_vocabs": separate,
                "source_lang": run.data.source_language,
                "target_lang": run.data.target_language,
                "model_max_length": 512,
            }
        ),
        "model.safetensors": pack(state),
        "source.spm": spms[0],
        "target.spm": spms[1],
        "vocab.json": _json({piece: i for i, piece in enumerate(pieces)}),
    }
    if separate:
        files["target_vocab.json"] = _json({piece: i for i, piece in enumerate(target_pieces)})
    return files


def _spm(tokenizer: Tokenizer) -> bytes:
    if not isinstance(tokenizer, SentencePiece | PretrainedSentencePiece):
        raise ConfigError(f"MarianMT cannot represent a tokenizer of kind {tokenizer.kind}.")
    return tokenizer.model


def _pieces(tokenizer: Tokenizer) -> list[str]:
    """Return the pieces in MarianMT's order: </s>, <unk>, the others, <pad>."""
    names = [tokenizer.piece(i) for i in range(UNK + 1, tokenizer.size)]
    return ["</s>", "<unk>", *names, "<pad>"]


def _same_length(source_pieces: list[str], target_pieces: list[str]) -> tuple[list[str], list[str]]:
    """Return both lists with the same length; MarianMT has one padding id."""
    size = max(len(source_pieces), len(target_pieces))
    filled = (
        [*pieces[:-1], *(f"<unused {i}>" for i in range(size - len(pieces))), "<pad>"]
        for pieces in (source_pieces, target_pieces)
    )
    source_filled, target_filled = filled
    return source_filled, target_filled


def _rows(table: Tensor, size: int, start: Tensor | None = None) -> Tensor:
    """Return the rows in MarianMT's order, with zero rows for unused ids."""
    used = torch.cat([table[EOS : EOS + 1], table[UNK:]])
    unused = torch.zeros_like(table[:1]).expand(size - 1 - len(used), *table.shape[1:])
    last = table[BOS : BOS + 1] if start is None else start
    return torch.cat([used, unused, last])


def _state(model: EncoderDecoder[Tokens, Any], size: int) -> dict[str, Tensor]:
    ours = {name: tensor.detach() for name, tensor in model.state_dict().items()}
    zero = torch.zeros(1)
    state = {
        "model.encoder.embed_tokens.weight": _rows(ours["encoder.embedding.weight"], size),
        "model.decoder.embed_tokens.weight": _rows(ours["embedding.weight"], size),
        "lm_head.weight": _rows(ours["readout.weight"], size),
        "final_logits_bias": _rows(ours["readout.bias"], size, zero)[None],
    }
    tables = list(state.values())[:3]
    if torch.equal(tables[0], tables[1]):
        state["model.shared.weight"] = tables[0]
    for side in ("encoder", "decoder"):
        for layer in range(len(getattr(model, side).blocks)):
            for theirs, part in PARTS.items():
                for kind in ("weight", "bias"):
                    name = f"{side}.blocks.{layer}.{part}.{kind}"
                    to = f"model.{side}.layers.{layer}.{theirs}.{kind}"
                    if name in ours:
                        state[to] = ours[name]
                    elif theirs.endswith("k_proj") and name.replace("bias", "weight") in ours:
                        state[to] = torch.zeros(ours[name.replace("bias", "weight")].size(0))
    return {name: tensor.clone() for name, tensor in state.items()}


def _config(run: RunConfig, size: int, separate: bool) -> dict[str, object]:
    model = cast(Any, run.model)
    encoder, decoder = model.encoder, model.decoder
    return {
        "architectures": ["MarianMTModel"],
        "model_type": "marian",
        "vocab_size": size,
        "decoder_vocab_size": size,
        "d_model": encoder.dim,
        "encoder_layers": encoder.layers,
        "decoder_layers": decoder.layers,
        "encoder_ffn_dim": encoder.hidden_dim,
        "decoder_ffn_dim": decoder.hidden_dim,
        "encoder_attention_heads": encoder.self_attention.score.heads,
        "decoder_attention_heads": decoder.self_attention.score.heads,
        "activation_function": ACTIVATION_NAMES[encoder.activation],
        "scale_embedding": encoder.scale_embedding,
        "dropout": encoder.dropout,
        "max_position_embeddings": 512,
        "share_encoder_decoder_embeddings": not separate and model.tie_embeddings == "all",
        "tie_word_embeddings": model.tie_embeddings != "none",
        "static_position_embeddings": True,
        "is_encoder_decoder": True,
        **_special_ids(size),
    }


def _special_ids(size: int) -> dict[str, object]:
    return {
        "eos_token_id": 0,
        "forced_eos_token_id": 0,
        "pad_token_id": size - 1,
        "decoder_start_token_id": size - 1,
    }


def _generation(run: RunConfig, size: int) -> dict[str, object]:
    search = {"num_beams": run.search.beam_size, "length_penalty": run.search.length_penalty}
    return {**_special_ids(size), "bad_words_ids": [[size - 1]], "max_length": 512, **search}


def _json(content: dict[str, object]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()
