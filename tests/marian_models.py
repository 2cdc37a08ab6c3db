"""Random Hugging Face MarianMT models and small Marian files, written to folders."""

from __future__ import annotations

import io
import json
import random
import struct
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece
import torch

WORDS = ["house", "green", "river", "walks", "seven", "under", "Straße", "café", "naïve", "light"]
ENDS = [".", "!", "?", ""]


def sentences(count: int, seed: int) -> list[str]:
    """Return random sentences, some of them with characters that no vocabulary has."""
    draw = random.Random(seed)
    odd = ["ﬁne", "Ｗide", "漢字", "x²", "…"]
    return [
        " ".join(draw.choices([*WORDS, *odd], k=draw.randint(1, 12))) + draw.choice(ENDS)
        for _ in range(count)
    ]


@cache
def train_spm(seed: int, size: int = 90) -> bytes:
    """Train a SentencePiece model as OPUS-MT does: its own normalization, no byte pieces."""
    model = io.BytesIO()
    draw = random.Random(seed)
    lines = [" ".join(draw.choices(WORDS, k=8)) + draw.choice(ENDS) for _ in range(300)]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        vocab_size=size,
        hard_vocab_limit=False,
        model_type="unigram",
        bos_id=-1,
        eos_id=0,
        unk_id=1,
        minloglevel=2,
    )
    return model.getvalue()


def spm_pieces(model: bytes) -> list[str]:
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return list(processor.id_to_piece(list(range(processor.get_piece_size()))))


def random_config(seed: int) -> dict[str, Any]:
    """Return the settings of a small MarianMT model; `separate` is for `write_marian_mt`."""
    draw = random.Random(seed)
    heads = draw.choice([1, 2, 4])
    dim = heads * draw.choice([4, 8, 12])
    return {
        "d_model": dim,
        "encoder_layers": draw.randint(1, 3),
        "decoder_layers": draw.randint(1, 3),
        "encoder_attention_heads": heads,
        "decoder_attention_heads": draw.choice([1, heads]),
        "encoder_ffn_dim": draw.choice([16, 40]),
        "decoder_ffn_dim": draw.choice([16, 40]),
        "activation_function": ["swish", "relu", "gelu", "silu"][seed % 4],
        "scale_embedding": draw.random() < 0.7,
        "tie_word_embeddings": seed % 3 != 1,
        "separate": seed % 5 == 2,
    }


def write_marian_mt(
    folder: Path, settings: dict[str, Any], seed: int, *, pickled: bool = False
) -> Any:
    """Write a MarianMT model with random weights and its tokenizer; return the model."""
    from transformers import MarianConfig, MarianMTModel

    settings = dict(settings)
    separate = settings.pop("separate", False)
    folder.mkdir(parents=True, exist_ok=True)
    spms = {side: train_spm(seed + i) for i, side in enumerate(("source", "target"))}
    for side, model in spms.items():
        (folder / f"{side}.spm").write_bytes(model)
    pieces = {side: spm_pieces(model)[2:] for side, model in spms.items()}
    draw = random.Random(seed)

    def vocabulary(words: list[str]) -> dict[str, int]:
        words = sorted(set(words))
        draw.shuffle(words)  # the ids are not those of SentencePiece
        ordered = ["</s>", "<unk>", *words, "<pad>"]
        return {piece: i for i, piece in enumerate(ordered)}

    if separate:
        source, target = vocabulary(pieces["source"]), vocabulary(pieces["target"])
        size = max(len(source), len(target))  # MarianMT has one padding id
        for each in (source, target):
            for i in range(len(each) - 1, size - 1):
                each[f"extra{i}"] = i
            each["<pad>"] = size - 1
        (folder / "target_vocab.json").write_text(json.dumps(target, ensure_ascii=False), "utf-8")
    else:
        source = vocabulary(pieces["source"] + pieces["target"])
        size = len(source)
    (folder / "vocab.json").write_text(json.dumps(source, ensure_ascii=False), "utf-8")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"separate_vocabs": separate, "source_lang": "en", "target_lang": "de"})
    )
    config = MarianConfig(
        vocab_size=size,
        decoder_vocab_size=size,
        share_encoder_decoder_embeddings=not separate,
        pad_token_id=size - 1,
        decoder_start_token_id=size - 1,
        eos_token_id=0,
        forced_eos_token_id=None,
        **settings,
    )
    torch.manual_seed(seed)
    model = MarianMTModel(config).eval()
    model.generation_config.bad_words_ids = [[size - 1]]
    model.generation_config.forced_eos_token_id = None
    model.generation_config.num_beams = 4
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" not in name:
                parameter.add_(0.15 * torch.randn_like(parameter))  # also norms and biases
        model.final_logits_bias.normal_()
        model.final_logits_bias[0, 0] += 1.5  # so that some translations end
    if pickled:
        config.save_pretrained(folder)
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
    else:
        model.save_pretrained(folder)
    return model


def write_bin(path: Path, arrays: dict[str, np.ndarray], quantized: tuple[str, ...] = ()) -> None:
    """Write a Marian .bin file; the arrays named in `quantized` as intgemm8."""
    headers, names, shapes, data = [], b"", b"", b""
    for name, array in arrays.items():
        encoded = name.encode() + b"\0"
        if name in quantized:
            multiplier = 127 / float(np.abs(array).max())
            values = np.rint(array * multiplier).astype(np.int8)
            body = (values if name == "Wemb" else values.T).tobytes() + struct.pack(
                "<f", multiplier
            )
            kind = 0x4101
        else:
            body, kind = array.tobytes(), {"float32": 0x404, "int8": 0x101}[array.dtype.name]
        headers.append(struct.pack("<QQQQ", len(encoded), kind, array.ndim, len(body)))
        names, shapes = names + encoded, shapes + struct.pack(f"<{array.ndim}i", *array.shape)
        data += body
    start = struct.pack("<QQ", 1, len(arrays)) + b"".join(headers) + names + shapes
    path.write_bytes(start + struct.pack("<Q", 0) + data)


MARIAN = {
    "type": "transformer",
    "dim-emb": 8,
    "enc-depth": 2,
    "dec-depth": 2,
    "transformer-heads": 2,
    "transformer-dim-ffn": 12,
    "transformer-ffn-activation": "gelu",
    "transformer-ffn-depth": 2,
    "transformer-preprocess": "",
    "transformer-postprocess": "dan",
    "transformer-postprocess-emb": "d",
    "transformer-postprocess-top": "",
    "transformer-decoder-autoreg": "rnn",
    "dec-cell": "ssru",
    "transformer-tied-layers": [],
    "tied-embeddings-all": True,
    "transformer-guided-alignment-layer": "last",
    "version": "v1.9.56",
}


def marian_arrays(config: dict[str, Any], vocabulary: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Return random tensors of a Marian model under Marian's names."""
    draw = np.random.default_rng(seed)
    dim, ffn = config["dim-emb"], config["transformer-dim-ffn"]
    pre = "n" in config["transformer-preprocess"]

    def tensor(*shape: int) -> np.ndarray:
        return draw.normal(0, 0.4, shape).astype(np.float32)

    arrays = {"Wemb": tensor(vocabulary, dim), "decoder_ff_logit_out_b": tensor(1, vocabulary)}

    def attention(prefix: str) -> None:
        for letter in "qkvo":
            arrays[f"{prefix}_W{letter}"] = tensor(dim, dim)
            arrays[f"{prefix}_b{letter}"] = tensor(1, dim)
        norm(f"{prefix}_Wo")

    def norm(prefix: str, suffix: str = "_pre" if pre else "") -> None:
        arrays[f"{prefix}_ln_scale{suffix}"] = 1 + tensor(1, dim)
        arrays[f"{prefix}_ln_bias{suffix}"] = tensor(1, dim)

    for side, depth in (("encoder", "enc-depth"), ("decoder", "dec-depth")):
        for i in range(1, config[depth] + 1):
            layer = f"{side}_l{i}"
            if side == "decoder" and config["transformer-decoder-autoreg"] == "rnn":
                arrays[f"{layer}_rnn_W"], arrays[f"{layer}_rnn_Wf"] = (
                    tensor(dim, dim),
                    tensor(dim, dim),
                )
                arrays[f"{layer}_rnn_bf"] = tensor(1, dim)
                norm(f"{layer}_rnn_ffn")
            else:
                attention(f"{layer}_self")
            if side == "decoder":
                attention(f"{layer}_context")
            arrays[f"{layer}_ffn_W1"], arrays[f"{layer}_ffn_b1"] = tensor(dim, ffn), tensor(1, ffn)
            arrays[f"{layer}_ffn_W2"], arrays[f"{layer}_ffn_b2"] = tensor(ffn, dim), tensor(1, dim)
            norm(f"{layer}_ffn_ffn")
        if pre:
            norm(f"{side}_top", "")
    text = "\n".join(f"{key}: {json.dumps(value)}" for key, value in config.items())
    arrays["special:model.yml"] = np.frombuffer(text.encode() + b"\0", np.int8)
    return arrays


def write_marian(
    folder: Path, changes: dict[str, Any] | None = None, kind: str = "bin"
) -> dict[str, np.ndarray]:
    """Write a Marian folder with one vocabulary; return its tensors."""
    folder.mkdir(parents=True, exist_ok=True)
    spm = train_spm(1)
    (folder / "vocab.ende.spm").write_bytes(spm)
    arrays = marian_arrays(MARIAN | (changes or {}), len(spm_pieces(spm)))
    if kind == "npz":
        np.savez(folder / "model.npz", **arrays)
    else:
        write_bin(folder / "model.ende.bin", arrays)
    return arrays
