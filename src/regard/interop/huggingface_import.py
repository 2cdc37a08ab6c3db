"""Read a Hugging Face MarianMT folder, such as an OPUS-MT model.

    config.json, model.safetensors or pytorch_model.bin
    source.spm, target.spm, vocab.json      with separate vocabularies also target_vocab.json

Ids are those of vocab.json, not of SentencePiece. The last id is the padding, whose row is also the
first input of the decoder.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import NoReturn

import torch
from torch import Tensor

from regard.bundle.parts import unpack
from regard.config.load import validate_config
from regard.errors import ArtifactError, ConfigError
from regard.interop.imported_model import (
    LEARNING_RATE,
    MAX_SPM,
    MAX_WEIGHTS,
    EmbeddingTables,
    ImportedModel,
    PretrainedFolder,
    VocabularyOrder,
    select_weights,
)
from regard.interop.run_settings import RunSettings
from regard.text.pretrained_tokenizer import PretrainedSentencePiece
from regard.text.tagged_tokenizer import tagged_languages
from regard.text.tokenizer import MAX_VOCABULARY

ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "swish": "swish",
    "silu": "swish",
    "quick_gelu": "sigmoid-gelu",
}
SAFETENSORS, PICKLED = "model.safetensors", "pytorch_model.bin"


def read_huggingface(
    folder: PretrainedFolder, languages: tuple[str | None, str | None]
) -> ImportedModel:
    """Read a MarianMT folder.

    `languages`: codes of source and target. Of a model with several target languages, the code of
    the target selects one, as its vocabulary has it.
    """
    config_path = folder.path / "config.json"
    config = _Settings(folder.json("config.json"), config_path)
    tokenizer_config = (
        folder.json("tokenizer_config.json") if folder.find("tokenizer_config.json") else {}
    )
    source_language = languages[0] or _string(tokenizer_config.get("source_lang"))
    target_language = languages[1] or _string(tokenizer_config.get("target_lang"))
    if folder.find("generation_config.json"):
        config.values = folder.json("generation_config.json") | config.values
    settings = _run_settings(config, (source_language, target_language))
    run = validate_config(settings, str(config_path))
    size = config.number("vocab_size")
    separate = not config.flag("share_encoder_decoder_embeddings", True)
    target_size = config.number("decoder_vocab_size", size) if separate else size
    start = config.number("decoder_start_token_id")
    eos = config.number("eos_token_id")
    pieces = _read_pieces(folder, "vocab.json", size)
    target_pieces = pieces
    if separate and folder.find("target_vocab.json"):
        target_pieces = _read_pieces(folder, "target_vocab.json", target_size)
    elif separate and target_size != size:
        raise ArtifactError(f"{folder.path}: target_vocab.json is missing. Use another copy.")
    where_pieces = folder.path / "vocab.json"
    order = target_order = _order(target_pieces, eos, start, where_pieces)
    if target_pieces is not pieces:  # the padding of the source is never read
        padding = pieces.index("<pad>") if "<pad>" in pieces else None
        order = _order(pieces, eos, padding, where_pieces)
    tokenizer = PretrainedSentencePiece(folder.read("source.spm", MAX_SPM), order.pieces(pieces))
    _check_target(tokenizer, languages[1], folder.path)
    target_tokenizer = PretrainedSentencePiece(
        folder.read("target.spm", MAX_SPM), target_order.pieces(target_pieces)
    )
    state = _read_state(folder)
    tables = _tables(state, order, target_order, folder.path)
    settings["model"]["tie_embeddings"] = tables.tied
    settings["licence"] = folder.licence()
    run = validate_config(settings, str(config_path))
    bias = state.get("final_logits_bias", torch.zeros(1, target_size)).reshape(-1)
    if bias.numel() != target_size:
        raise ArtifactError(f"{folder.path}: final_logits_bias has {bias.numel()} entries.")
    tensors = {
        **_block_tensors(state),
        **tables.weights(),
        "readout.bias": target_order.bias(bias.float()),
    }
    weights = select_weights(
        run, (tokenizer.size, target_tokenizer.size), tensors, str(folder.path)
    )
    return ImportedModel(
        run,
        weights,
        tokenizer,
        target_tokenizer,
        None,
        f"Hugging Face MarianMT, transformers {config.values.get('transformers_version', '?')}",
        tuple(folder.read_names),
    )


class _Settings:
    """The settings of config.json, with checked types."""

    def __init__(self, values: dict[str, object], path: Path) -> None:
        self.values, self.path = values, path

    def number(self, name: str, default: int | None = None) -> int:
        value = self.values.get(name)
        value = default if value is None else value
        if type(value) is not int or not 0 <= value <= MAX_VOCABULARY:
            raise ArtifactError(f"{self.path}: {name} must be a whole number, not {value!r:.40}.")
        return value

    def flag(self, name: str, default: bool) -> bool:
        value = self.values.get(name, default)
        if type(value) is not bool:
            raise ArtifactError(f"{self.path}: {name} must be true or false, not {value!r:.40}.")
        return value

    def refuse(self, name: str, value: object, supported: str) -> NoReturn:
        raise ConfigError(
            f"{self.path}: {name} is {value!r:.60}, which regard cannot represent. "
            f"Supported: {supported}."
        )


def _run_settings(config: _Settings, languages: tuple[str | None, str | None]) -> RunSettings:
    values = config.values
    if values.get("model_type") != "marian":
        config.refuse("model_type", values.get("model_type"), "marian")
    activation = values.get("activation_function", "gelu")
    if not isinstance(activation, str) or activation not in ACTIVATIONS:
        config.refuse("activation_function", activation, ", ".join(ACTIVATIONS))
    for name, plain in (
        ("normalize_before", False),
        ("normalize_embedding", False),
        ("add_final_layer_norm", False),
        ("static_position_embeddings", True),
    ):
        value = values.get(name, plain)
        if value != plain:
            config.refuse(name, value, str(plain))

    def side(name: str) -> dict[str, object]:
        heads = {"score": {"kind": "scaled-dot", "heads": config.number(f"{name}_attention_heads")}}
        attentions = {"self_attention": heads}
        if name == "decoder":
            attentions = {
                "self_attention": {**heads, "span": {"kind": "causal"}},
                "cross_attention": heads,
            }
        return {
            "kind": "transformer",
            "dim": config.number("d_model"),
            "hidden_dim": config.number(f"{name}_ffn_dim"),
            "layers": config.number(f"{name}_layers"),
            "activation": ACTIVATIONS[activation],
            "norm": "post",
            "scale_embedding": config.flag("scale_embedding", False),
            **attentions,
        }

    return {
        "description": "Transformer, imported from Hugging Face MarianMT",
        "model": {
            "kind": "encoder-decoder",
            "embedding_dim": config.number("d_model"),
            "encoder": side("encoder"),
            "decoder": side("decoder"),
        },
        "data": {"source_language": languages[0], "target_language": languages[1]},
        "train": {"optimizer": {"rate": LEARNING_RATE}},
        "search": {"beam_size": config.number("num_beams", 4), "length_penalty": 1.0},
    }


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _read_pieces(folder: PretrainedFolder, name: str, size: int) -> list[str]:
    """Return the piece of each id of a vocabulary file."""
    vocabulary = folder.json(name)
    pieces = [f"<id {token}>" for token in range(size)]  # of ids without a piece
    for piece, token in vocabulary.items():
        if type(token) is not int or not 0 <= token < size:
            raise ArtifactError(
                f"{folder.path / name}: the id of {piece!r:.40} must be below {size}."
            )
        pieces[token] = piece
    return pieces


def _order(pieces: list[str], eos: int, start: int | None, path: Path) -> VocabularyOrder:
    if "<unk>" not in pieces:
        raise ArtifactError(f"{path}: has no <unk>. Use another copy.")
    return VocabularyOrder(len(pieces), eos, pieces.index("<unk>"), start)


def _check_target(tokenizer: PretrainedSentencePiece, target: str | None, path: Path) -> None:
    """Raise ConfigError if the model has several target languages, and `target` is none."""
    codes = tagged_languages(tokenizer)
    if codes and target is not None and target not in codes:
        raise ConfigError(
            f"{path}: the model does not translate into {target[:40]}. Name another target with "
            f"--target-language, or none to import all: {', '.join(sorted(codes))}"
        )


def _read_state(folder: PretrainedFolder) -> dict[str, Tensor]:
    """Read the tensors, from safetensors if there are any."""
    if folder.find(SAFETENSORS):
        return unpack(folder.read(SAFETENSORS, MAX_WEIGHTS), folder.path / SAFETENSORS)
    if not folder.find(PICKLED):
        raise ArtifactError(f"{folder.path}: has neither {SAFETENSORS} nor {PICKLED}.")
    path = folder.file(PICKLED, MAX_WEIGHTS)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
                raise ArtifactError(f"{path}: is compressed. Do not use this model.")
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a hostile file can raise anything
        reason = str(error).split("\n")[0][:200]
        raise ArtifactError(
            f"{path}: is not a file of tensors alone ({reason}). Do not use this model."
        ) from None
    if not isinstance(state, dict) or not all(isinstance(x, Tensor) for x in state.values()):
        raise ArtifactError(f"{path}: is not a file of tensors alone. Do not use this model.")
    return state


def _tables(
    state: dict[str, Tensor], order: VocabularyOrder, target_order: VocabularyOrder, path: Path
) -> EmbeddingTables:
    """Return the embeddings. A table that is missing is shared with one that is there."""

    def table(order: VocabularyOrder, *names: str) -> Tensor:
        tensor = next((state[name] for name in names if name in state), None)
        if tensor is None or tensor.dim() != 2 or tensor.size(0) != order.size:
            raise ArtifactError(
                f"{path}: the tensor {names[0]} is missing or does not have {order.size} rows."
            )
        return order.rows(tensor.float())

    encoder, decoder = "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"
    readout = "lm_head.weight"
    shared: tuple[str, ...] = ()
    if order is target_order:
        shared = ("model.shared.weight", encoder, decoder, readout)
    return EmbeddingTables(
        table(order, encoder, *shared),
        table(target_order, decoder, *shared, readout),
        table(target_order, readout, *shared, decoder),
    )


PARTS = {
    "self_attn.q_proj": "self_attention.score.to_query",
    "self_attn.k_proj": "self_attention.score.to_keys",
    "self_attn.v_proj": "self_attention.to_values",
    "self_attn.out_proj": "self_attention.to_context",
    "self_attn_layer_norm": "self_residual.norm",
    "encoder_attn.q_proj": "cross_attention.score.to_query",
    "encoder_attn.k_proj": "cross_attention.score.to_keys",
    "encoder_attn.v_proj": "cross_attention.to_values",
    "encoder_attn.out_proj": "cross_attention.to_context",
    "encoder_attn_layer_norm": "cross_residual.norm",
    "fc1": "feed_forward.0",
    "fc2": "feed_forward.3",
    "final_layer_norm": "feed_forward_residual.norm",
}
"""The modules of a layer in MarianMT and in a block."""

_LAYER = re.compile(r"model\.(encoder|decoder)\.layers\.(\d+)\.(.+)\.(weight|bias)")


def _block_tensors(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors of all layers by regard's names.

    The bias of keys adds the same to all scores of a query, so it is left out.
    """
    tensors = {}
    for name, tensor in state.items():
        match = _LAYER.fullmatch(name)
        if match and match[3] in PARTS:
            side, layer, part, kind = match.groups()
            tensors[f"{side}.blocks.{layer}.{PARTS[part]}.{kind}"] = tensor
    return tensors
