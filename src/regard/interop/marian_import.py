"""Read a folder of Marian: an .npz or .bin file and its vocabulary.

    model.npz, or model.enpt.intgemm.alphas.bin     tensors and config (`special:model.yml`)
    vocab.spm, or one for each language             SentencePiece models, whose ids are used, or
    vocab.yml, source.spm, target.spm               ids by piece and SentencePiece models (OPUS-MT)

The first input of the decoder is a zero vector. Names of files with several languages end in
their codes, as in vocab.enpt.spm.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from regard.align.tokenized_text import AlignmentHead
from regard.config.base import parse_settings
from regard.config.load import validate_config
from regard.errors import ArtifactError, ConfigError
from regard.interop.imported_model import (
    LEARNING_RATE,
    MAX_SPM,
    MAX_WEIGHTS,
    Arrays,
    EmbeddingTables,
    ImportedModel,
    PretrainedFolder,
    VocabularyOrder,
    read_bin,
    read_npz,
    select_weights,
)
from regard.interop.run_settings import RunSettings
from regard.text.pretrained_tokenizer import PretrainedSentencePiece
from regard.text.tokenizer import MAX_VOCABULARY, load_processor

CONFIG = "special:model.yml"
ACTIVATIONS = {"relu": "relu", "swish": "swish", "gelu": "sigmoid-gelu"}
_PLAIN: dict[str, tuple[object, ...]] = {  # settings with the values that can be represented
    "type": ("transformer",),
    "transformer-tied-layers": ([], None),
    "transformer-no-projection": (False,),
    "transformer-no-bias": (False,),
    "transformer-no-affine": (False,),
    "transformer-rnn-projection": (False,),
    "transformer-ffn-depth": (2,),
    "transformer-decoder-ffn-depth": (0, 2),
    "transformer-train-position-embeddings": (False,),
    "transformer-disable-position-embeddings": (False,),
    "transformer-pool": (False,),
    "transformer-dim-head": (0,),
    "lemma-dim-emb": (0,),
    "lemma-dependency": ("", None),
    "factors-combine": ("sum", None),
    "ulr": (False,),
    "right-left": (False,),
    "input-types": ([], ["sequence"], None),
}
_PAIR = re.compile(r"\.([a-z]{2})-?([a-z]{2})\.", re.IGNORECASE)


def read_marian(
    folder: PretrainedFolder, languages: tuple[str | None, str | None]
) -> ImportedModel:
    """Read a model of Marian; `languages`: codes of source and target, where known."""
    name = _model_file(folder)
    path, data = folder.path / name, folder.read(name, MAX_WEIGHTS)
    arrays = read_npz(data, path) if name.endswith(".npz") else read_bin(data, path)
    config = _read_config(arrays, path)
    named = _PAIR.search(name)
    if named:
        languages = languages[0] or named[1], languages[1] or named[2]
    settings = _run_settings(config, arrays, path, languages)
    validate_config(settings, str(path))
    tokenizers, orders = _vocabularies(folder)
    tables = _tables(arrays, orders, path)
    settings["model"]["tie_embeddings"] = tables.tied
    settings["licence"] = folder.licence()
    run = validate_config(settings, str(path))
    bias = _vector(arrays, "decoder_ff_logit_out_b", path)
    tensors = {
        **_block_tensors(arrays, path),
        **tables.weights(),
        "readout.bias": orders[1].bias(bias),
    }
    sizes = tokenizers[0].size, tokenizers[1].size
    head = None
    guided = config.get("transformer-guided-alignment-layer") == "last"  # also the default
    if guided and config.get("transformer-decoder-autoreg") == "rnn":  # Bergamot trains the head
        layer = _number(config, "dec-depth", path) - 1
        head = AlignmentHead(f"decoder.blocks.{layer}.cross_attention", 0, 0, null=True)
    return ImportedModel(
        run,
        select_weights(run, sizes, tensors, str(path)),
        *tokenizers,
        head,
        f"Marian {config.get('version', '')!s:.60}".strip(),
        tuple(folder.read_names),
    )


def _model_file(folder: PretrainedFolder) -> str:
    models = [name for name in folder.find("*.npz", "model*.bin") if not name.startswith("lex")]
    if len(models) != 1:
        raise ArtifactError(
            f"{folder.path}: must have one model of Marian (.npz or model*.bin), not "
            f"{len(models)}: {', '.join(models)[:200]}"
        )
    return models[0]


def _read_config(arrays: Arrays, path: Path) -> dict[str, object]:
    if CONFIG not in arrays:
        raise ArtifactError(f"{path}: has no config ({CONFIG}). Use another copy.")
    text = arrays[CONFIG].astype(np.uint8).tobytes().rstrip(b"\0")
    try:
        config = parse_settings(text.decode("utf-8"), f"{path}: {CONFIG}")
    except (UnicodeDecodeError, ConfigError) as error:
        raise ArtifactError(f"{path}: its config cannot be read ({error}).") from None
    for name, plain in _PLAIN.items():
        if name in config and config[name] not in plain:
            raise ConfigError(
                f"{path}: {name} is {config[name]!r:.60}, which regard cannot represent. "
                f"Supported: {plain[0]!r}."
            )
    return config


def _number(config: dict[str, object], name: str, path: Path) -> int:
    value = config.get(name)
    if type(value) is not int or not 0 < value <= MAX_VOCABULARY:
        raise ArtifactError(f"{path}: {name} must be a whole number, not {value!r:.40}.")
    return value


def _run_settings(
    config: dict[str, object], arrays: Arrays, path: Path, languages: tuple[str | None, str | None]
) -> RunSettings:
    activation = config.get("transformer-ffn-activation", "swish")
    autoregression = config.get("transformer-decoder-autoreg", "self-attention")
    recurrent = autoregression == "rnn"
    order = tuple(
        "".join(c for c in str(config.get(f"transformer-{name}") or "") if c != "d")
        for name in ("preprocess", "postprocess", "postprocess-emb", "postprocess-top")
    )
    norms: dict[tuple[str, ...], str] = {("", "an", "", ""): "post", ("n", "a", "", "n"): "pre"}
    refused = {
        "transformer-ffn-activation": (activation in ACTIVATIONS, activation, "relu, swish, gelu"),
        "transformer-decoder-autoreg": (
            autoregression == "self-attention" or (recurrent and config.get("dec-cell") == "ssru"),
            f"{autoregression} with {config.get('dec-cell')}",
            "self-attention, rnn with ssru",
        ),
        "transformer-preprocess, transformer-postprocess": (
            order in norms,
            order,
            "dan, or n and da",
        ),
    }
    for name, (supported, value, names) in refused.items():
        if not supported:
            raise ConfigError(
                f"{path}: {name} is {value!r:.80}, which regard cannot represent. "
                f"Supported: {names}."
            )

    def side(kind: str, layers: str, ffn: object) -> dict[str, object]:
        return {
            "kind": kind,
            "dim": _number(config, "dim-emb", path),
            "hidden_dim": ffn,
            "layers": _number(config, layers, path),
            "activation": ACTIVATIONS[str(activation)],
            "norm": norms[order],
            "norm_eps": 1e-6,
            "positions": "sinusoidal-inclusive",
        }

    heads = {"score": {"kind": "scaled-dot", "heads": _number(config, "transformer-heads", path)}}
    ffn = _number(config, "transformer-dim-ffn", path)
    decoder_ffn = config.get("transformer-decoder-dim-ffn") or ffn
    decoder = side("transformer-ssru" if recurrent else "transformer", "dec-depth", decoder_ffn)
    if not recurrent:
        decoder["self_attention"] = {**heads, "span": {"kind": "causal"}}
    return {
        "description": f"Transformer{' with an SSRU decoder' * recurrent}, imported from Marian",
        "model": {
            "kind": "encoder-decoder",
            "embedding_dim": _number(config, "dim-emb", path),
            "encoder": {**side("transformer", "enc-depth", ffn), "self_attention": heads},
            "decoder": {**decoder, "cross_attention": heads},
        },
        "data": {"source_language": languages[0], "target_language": languages[1]},
        "train": {"optimizer": {"rate": LEARNING_RATE}},
        # Bergamot's models are trained for greedy search.
        "search": {"beam_size": 1 if recurrent else 6, "length_penalty": 1.0},
    }


def _vocabularies(
    folder: PretrainedFolder,
) -> tuple[
    tuple[PretrainedSentencePiece, PretrainedSentencePiece],
    tuple[VocabularyOrder, VocabularyOrder],
]:
    """Return the tokenizers and the order of the ids of source and target."""
    lists = folder.find("*vocab*.yml", "*vocab*.yaml")
    models = folder.find("*.spm")
    if len(lists) == 1 and {"source.spm", "target.spm"} <= set(models):
        pieces = _read_vocabulary(folder, lists[0])
        parts = [(folder.read(f"{side}.spm", MAX_SPM), pieces) for side in ("source", "target")]
    elif len(models) in (1, 2) and not lists:
        models.sort(key=lambda name: not name.startswith("src"))
        parts = [_spm_pieces(folder, name) for name in (models[0], models[-1])]
    else:
        raise ArtifactError(
            f"{folder.path}: must have one vocabulary (.spm), two of them, or a list of pieces "
            f"(.yml) with source.spm and target.spm, not: {', '.join([*lists, *models])[:200]}"
        )
    orders = [
        VocabularyOrder(
            len(pieces), _index(pieces, "</s>", folder), _index(pieces, "<unk>", folder)
        )
        for _, pieces in parts
    ]
    tokenizers = [
        PretrainedSentencePiece(model, order.pieces(pieces))
        for (model, pieces), order in zip(parts, orders, strict=True)
    ]
    return (tokenizers[0], tokenizers[1]), (orders[0], orders[1])


def _index(pieces: list[str], piece: str, folder: PretrainedFolder) -> int:
    if piece not in pieces:
        raise ArtifactError(f"{folder.path}: the vocabulary has no {piece}. Use another copy.")
    return pieces.index(piece)


def _spm_pieces(folder: PretrainedFolder, name: str) -> tuple[bytes, list[str]]:
    model = folder.read(name, MAX_SPM)
    processor = load_processor(model)
    return model, list(processor.id_to_piece(list(range(processor.get_piece_size()))))


_ENTRY = re.compile(r"(?:\? )?(.+?)(?:\n)?: *(\d{1,6})")


def _read_vocabulary(folder: PretrainedFolder, name: str) -> list[str]:
    """Read lines `piece: id`, or `? piece` and `: id`. A YAML parser skips some of them."""
    pieces: dict[int, str] = {}
    text = folder.text(name).replace("\r\n", "\n").replace("\n: ", ": ")
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        match = _ENTRY.fullmatch(line)
        if match is None or int(match[2]) >= MAX_VOCABULARY:
            raise ArtifactError(f"{folder.path / name}, entry {number}: is not `piece: id`.")
        pieces[int(match[2])] = _unquote(match[1])
    return [pieces.get(i, f"<id {i}>") for i in range(max(pieces, default=-1) + 1)]


def _unquote(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) < 2 or not text[0] == text[-1] == '"':
        return text
    text = text[1:-1]
    simple = {"n": "\n", "t": "\t", "0": "\0"}

    def character(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        return chr(int(code, 16)) if code else simple.get(match[4], match[4])

    pattern = (
        r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U(000[0-9a-fA-F]{5}|0010[0-9a-fA-F]{4})|(.))"
    )
    return re.sub(pattern, character, text)


def _tables(
    arrays: Arrays, orders: tuple[VocabularyOrder, VocabularyOrder], path: Path
) -> EmbeddingTables:
    def table(order: VocabularyOrder, *names: str) -> Tensor:
        for name in names:
            if name in arrays:
                array = arrays[name].T if name == "decoder_ff_logit_out_W" else arrays[name]
                if array.ndim == 2 and array.shape[0] == order.size:
                    return order.rows(torch.from_numpy(array.astype(np.float32)))
        raise ArtifactError(
            f"{path}: the tensor {names[0]} is missing or does not have {order.size} rows, one "
            "for each piece of the vocabulary."
        )

    return EmbeddingTables(
        table(orders[0], "encoder_Wemb", "Wemb"),
        table(orders[1], "decoder_Wemb", "Wemb"),
        table(
            orders[1],
            "decoder_ff_logit_out_Wt",
            "decoder_ff_logit_out_W",
            "decoder_Wemb",
            "Wemb",
        ),
    )


def _vector(arrays: Arrays, name: str, path: Path) -> Tensor:
    if name not in arrays:
        raise ArtifactError(f"{path}: the tensor {name} is missing. Use another copy.")
    return torch.from_numpy(arrays[name].astype(np.float32).reshape(-1))


_ATTENTION = {
    "Wq": "score.to_query.weight",
    "bq": "score.to_query.bias",
    "Wk": "score.to_keys.weight",
    "Wv": "to_values.weight",
    "bv": "to_values.bias",
    "Wo": "to_context.weight",
    "bo": "to_context.bias",
}
_BLOCK = {
    **{f"self_{theirs}": f"self_attention.{ours}" for theirs, ours in _ATTENTION.items()},
    **{f"context_{theirs}": f"cross_attention.{ours}" for theirs, ours in _ATTENTION.items()},
    "rnn_W": "ssru.input.weight",
    "rnn_Wf": "ssru.forget.weight",
    "rnn_bf": "ssru.forget.bias",
    "ffn_W1": "feed_forward.0.weight",
    "ffn_b1": "feed_forward.0.bias",
    "ffn_W2": "feed_forward.3.weight",
    "ffn_b2": "feed_forward.3.bias",
}
_NORMS = {
    "self_Wo": "self_residual",
    "rnn_ffn": "self_residual",
    "context_Wo": "cross_residual",
    "ffn_ffn": "feed_forward_residual",
}
_LAYER = re.compile(r"(encoder|decoder)_l(\d+)_(.+)")
_NORM = re.compile(r"(\w+?)_ln_(scale|bias)(_pre)?")


def _block_tensors(arrays: Arrays, path: Path) -> dict[str, Tensor]:
    """Return the tensors of all layers by regard's names; matrices are transposed."""
    tensors: dict[str, Tensor] = {}
    for name, array in arrays.items():
        match = _LAYER.fullmatch(name)
        top = re.fullmatch(r"(encoder|decoder)_top_ln_(scale|bias)", name)
        if top:
            kind = "weight" if top[2] == "scale" else "bias"
            tensors[f"{top[1]}.norm.{kind}"] = _vector(arrays, name, path)
        if match is None:
            continue
        side, layer, part = match[1], int(match[2]) - 1, match[3]
        norm = _NORM.fullmatch(part)
        if part in _BLOCK:
            ours = _BLOCK[part]
            matrix = ours.endswith("weight") and array.ndim == 2
            tensors[f"{side}.blocks.{layer}.{ours}"] = (
                torch.from_numpy(np.ascontiguousarray(array.astype(np.float32).T))
                if matrix
                else _vector(arrays, name, path)
            )
        elif norm and norm[1] in _NORMS:
            kind = "weight" if norm[2] == "scale" else "bias"
            ours = f"{side}.blocks.{layer}.{_NORMS[norm[1]]}.norm.{kind}"
            tensors[ours] = _vector(arrays, name, path)
    return tensors
