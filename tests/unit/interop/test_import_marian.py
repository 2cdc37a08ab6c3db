"""Imported Marian models compute Marian's equations; hostile files are refused."""

from __future__ import annotations

import json
import os
import pickle
import re
import struct
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from regard.batch import pad
from regard.errors import ArtifactError, ConfigError, RegardError
from regard.interop.imported_model import read_bin, read_npz
from regard.tasks.translation.exchange import import_pretrained, read_pretrained
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import BOS, EOS, UNK
from tests.marian_models import (
    MARIAN,
    marian_arrays,
    sentences,
    spm_pieces,
    train_spm,
    write_bin,
    write_marian,
)
from tests.parity import equations as eq

Array = np.ndarray


class Reference:
    """Marian's Transformer in NumPy, in double precision, one sentence at a time."""

    def __init__(self, arrays: dict[str, Array], config: dict[str, Any]) -> None:
        self.arrays = {name: array.astype(np.float64) for name, array in arrays.items()}
        self.config = config
        self.pre = "n" in config["transformer-preprocess"]

    def logits(self, source: list[int], target: list[int]) -> Array:
        """Return the logits after the start and after each token of the target."""
        dim = self.config["dim-emb"]
        embedding = self.arrays["Wemb"]
        x = self._positions(embedding[source] * np.sqrt(dim))
        for i in range(1, self.config["enc-depth"] + 1):
            layer = f"encoder_l{i}"
            x = self._sublayer(
                x, f"{layer}_self_Wo", lambda y, p=f"{layer}_self": self._attend(p, y, y)
            )
            x = self._sublayer(x, f"{layer}_ffn_ffn", lambda y, p=f"{layer}_ffn": self._feed(p, y))
        x = self._top(x, "encoder")
        y = np.concatenate([np.zeros((1, dim)), embedding[target] * np.sqrt(dim)])
        y = self._positions(y)
        for i in range(1, self.config["dec-depth"] + 1):
            layer = f"decoder_l{i}"
            if self.config["transformer-decoder-autoreg"] == "rnn":
                w = [self.arrays[f"{layer}_rnn_{name}"] for name in ("Wf", "bf", "W")]
                y = self._sublayer(
                    y, f"{layer}_rnn_ffn", lambda z, w=w: eq.ssru(z, w[0].T, w[1][0], w[2].T)
                )
            else:
                y = self._sublayer(
                    y,
                    f"{layer}_self_Wo",
                    lambda z, p=f"{layer}_self": self._attend(p, z, z, causal=True),
                )
            y = self._sublayer(
                y, f"{layer}_context_Wo", lambda z, p=f"{layer}_context": self._attend(p, z, x)
            )
            y = self._sublayer(y, f"{layer}_ffn_ffn", lambda z, p=f"{layer}_ffn": self._feed(p, z))
        return self._top(y, "decoder") @ embedding.T + self.arrays["decoder_ff_logit_out_b"]

    def _positions(self, x: Array) -> Array:
        dim = x.shape[1]
        return x + np.array([eq.sinusoids(t, dim, dim - 2) for t in range(len(x))])

    def _norm(self, x: Array, name: str, suffix: str) -> Array:
        scale, bias = (self.arrays[f"{name}_ln_{kind}{suffix}"] for kind in ("scale", "bias"))
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6) * scale + bias

    def _sublayer(self, x: Array, name: str, f: Callable[[Array], Array]) -> Array:
        if self.pre:
            return x + f(self._norm(x, name, "_pre"))
        return self._norm(x + f(x), name, "")

    def _top(self, x: Array, side: str) -> Array:
        return self._norm(x, f"{side}_top", "") if self.pre else x

    def _attend(self, prefix: str, x: Array, memory: Array, *, causal: bool = False) -> Array:
        q, k, v = (
            (memory if letter in "kv" else x) @ self.arrays[f"{prefix}_W{letter}"]
            + self.arrays[f"{prefix}_b{letter}"]
            for letter in "qkv"
        )
        heads, contexts = self.config["transformer-heads"], []
        for part in np.split(np.arange(q.shape[1]), heads):
            scores = q[:, part] @ k[:, part].T / np.sqrt(len(part))
            if causal:
                scores = np.where(np.tri(len(x), dtype=bool), scores, -1e9)
            contexts.append(np.array([eq.softmax(row) for row in scores]) @ v[:, part])
        return (
            np.concatenate(contexts, -1) @ self.arrays[f"{prefix}_Wo"] + self.arrays[f"{prefix}_bo"]
        )

    def _feed(self, prefix: str, x: Array) -> Array:
        w1, b1, w2, b2 = (self.arrays[f"{prefix}_{name}"] for name in ("W1", "b1", "W2", "b2"))
        name = {"gelu": "sigmoid-gelu"}.get(self.config["transformer-ffn-activation"])
        hidden = x @ w1 + b1
        f = eq.ACTIVATIONS[name or self.config["transformer-ffn-activation"]]
        return np.array([f(row) for row in hidden]) @ w2 + b2


ATTENTION = {"transformer-decoder-autoreg": "self-attention"}
PRE = {
    "transformer-preprocess": "n",
    "transformer-postprocess": "da",
    "transformer-postprocess-top": "n",
}


@pytest.mark.parametrize(
    ("changes", "kind"),
    [({}, "bin"), (ATTENTION, "npz"), (PRE | {"transformer-ffn-activation": "swish"}, "npz")],
    ids=["ssru", "self-attention", "pre-norm"],
)
@torch.no_grad()
def test_an_import_computes_the_equations_of_marian(
    changes: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    arrays = write_marian(tmp_path / "theirs", changes, kind)
    import_pretrained(tmp_path / "theirs", tmp_path / "ours")
    translator = Translator.load(tmp_path / "ours", engine="torch", device="cpu")
    reference = Reference(arrays, MARIAN | changes)
    size = translator.tokenizer.size - 2
    to_ours = [EOS, UNK, *range(UNK + 1, size + 2)]
    text = sentences(1, 5)[0] + " house green under seven"
    source = [to_ours.index(i) for i in [*translator.tokenizer.encode([text])[0], EOS]]
    target = [5, 9, 30, 7, 2]
    expected = reference.logits(source, target)
    ours = translator.model(
        pad([[to_ours[i] for i in source]]),
        torch.tensor([[BOS, *(to_ours[i] for i in target)]]),
    )
    logits = translator.model.readout(ours.hidden)[0]
    np.testing.assert_allclose(logits[:, to_ours].numpy(), expected, atol=2e-5)
    assert logits[:, [0, BOS]].max() < -5_000  # never found


def test_quantized_matrices_are_read_transposed(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    arrays = {
        "Wemb": draw.normal(size=(6, 4)).astype(np.float32),
        "encoder_l1_ffn_W1": draw.normal(size=(4, 8)).astype(np.float32),
        "b": draw.normal(size=(1, 4)).astype(np.float32),
    }
    write_bin(tmp_path / "m.bin", arrays, ("Wemb", "encoder_l1_ffn_W1"))
    found = read_bin((tmp_path / "m.bin").read_bytes(), tmp_path)
    for name, array in arrays.items():
        np.testing.assert_allclose(found[name], array, atol=np.abs(array).max() / 254 + 1e-7)
    np.testing.assert_array_equal(found["b"], arrays["b"])


def test_the_guided_head_of_bergamot_is_the_alignment_head(tmp_path: Path) -> None:
    write_marian(tmp_path)
    head = read_pretrained(tmp_path).alignment_head
    assert head is not None
    assert (head.attention, head.head, head.shift) == ("decoder.blocks.1.cross_attention", 0, 0)


def test_a_list_of_pieces_gives_the_ids(tmp_path: Path) -> None:
    """OPUS-MT in Marian's own format: vocab.yml, source.spm and target.spm."""
    spms = [train_spm(1), train_spm(2)]
    pieces = sorted({p for spm in spms for p in spm_pieces(spm)[2:]} | {"~", ": :", "'x'", '"q"'})
    lines = ["</s>: 0", '"<unk>": 1', "? ~\n: 2", "'''x''': 3", r'"\"q\"": 4', '": :": 5']
    rest = [piece for piece in pieces if piece not in ("~", ": :", "'x'", '"q"')]
    lines += [f"{json.dumps(piece, ensure_ascii=False)}: {i}" for i, piece in enumerate(rest, 6)]
    (tmp_path / "opus.vocab.yml").write_text("\n".join(lines) + "\n", "utf-8")
    for name, spm in zip(("source", "target"), spms, strict=True):
        (tmp_path / f"{name}.spm").write_bytes(spm)
    np.savez(tmp_path / "model.npz", **marian_arrays(MARIAN | ATTENTION, len(rest) + 6))
    imported = read_pretrained(tmp_path)
    assert imported.tokenizer.vocabulary[4:8] == ("~", "'x'", '"q"', ": :")
    assert imported.tokenizer.vocabulary[8:] == tuple(rest)
    assert imported.tokenizer.model != imported.target_tokenizer.model


# -- refused by name -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("type", "s2s"),
        ("transformer-tied-layers", [1, 1]),
        ("transformer-no-projection", True),
        ("transformer-ffn-depth", 3),
        ("transformer-decoder-autoreg", "average-attention"),
        ("dec-cell", "gru"),
        ("lemma-dim-emb", 64),
        ("transformer-train-position-embeddings", True),
        ("transformer-ffn-activation", "tanh"),
        ("transformer-postprocess", "dhn"),
        ("transformer-postprocess-emb", "n"),
    ],
)
def test_what_cannot_be_represented_is_refused_by_name(
    setting: str, value: Any, tmp_path: Path
) -> None:
    write_marian(tmp_path / "theirs", {setting: value})
    name = {"dec-cell": "autoreg", "transformer-postprocess-emb": "postprocess"}.get(
        setting, setting
    )
    with pytest.raises(ConfigError, match=name):
        import_pretrained(tmp_path / "theirs", tmp_path / "ours")
    assert not (tmp_path / "ours").exists()


# -- hostile files ---------------------------------------------------------------------------------


def _wrong_shape(folder: Path) -> None:
    arrays = write_marian(folder)
    arrays["decoder_l1_context_Wq"] = np.zeros((8, 9), np.float32)
    write_bin(folder / "model.ende.bin", arrays)


def _missing_tensor(folder: Path) -> None:
    arrays = write_marian(folder)
    del arrays["decoder_l2_rnn_Wf"]
    write_bin(folder / "model.ende.bin", arrays)


def _not_finite(folder: Path) -> None:
    arrays = write_marian(folder)
    arrays["encoder_l1_self_Wq"][0, 0] = np.nan
    write_bin(folder / "model.ende.bin", arrays)


def _rewrite(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        write_marian(folder)
        file = folder / "model.ende.bin"
        file.write_bytes(change(file.read_bytes()))

    return write


def _zip_bomb(folder: Path) -> None:
    write_marian(folder, kind="npz")
    with zipfile.ZipFile(folder / "model.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Wemb.npy", b"\0" * (64 << 20))


def _lying_zip(folder: Path) -> None:
    """An archive whose directory understates the size of an entry."""
    _zip_bomb(folder)
    file = folder / "model.npz"
    data = bytearray(file.read_bytes())
    place = data.rfind(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 100)
    file.write_bytes(data)


def _pickled_array(folder: Path) -> None:
    write_marian(folder, kind="npz")
    np.savez(folder / "model.npz", Wemb=np.array([{"a": 1}], dtype=object))


def _huge_npy(folder: Path) -> None:
    write_marian(folder, kind="npz")
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000), }"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + b"\0" * 64
    with zipfile.ZipFile(folder / "model.npz", "w") as archive:
        archive.writestr("Wemb.npy", content)


def _deep_yaml(folder: Path) -> None:
    arrays = write_marian(folder)
    arrays["special:model.yml"] = np.frombuffer(b"a: " + b"[" * 100_000, np.int8)
    write_bin(folder / "model.ende.bin", arrays)


def _yaml_aliases(folder: Path) -> None:
    arrays = write_marian(folder)
    text = b"a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n"
    arrays["special:model.yml"] = np.frombuffer(text, np.int8)
    write_bin(folder / "model.ende.bin", arrays)


def _huge_sizes(folder: Path) -> None:
    arrays = write_marian(folder)
    text = arrays["special:model.yml"].tobytes().rstrip(b"\0")
    text = re.sub(rb"enc-depth: \d+", b"enc-depth: 90000", text)
    arrays["special:model.yml"] = np.frombuffer(text + b"\0", np.int8)
    write_bin(folder / "model.ende.bin", arrays)


def _device(folder: Path) -> None:
    write_marian(folder)
    (folder / "vocab.ende.spm").unlink()
    (folder / "vocab.ende.spm").symlink_to("/dev/zero")


def _damaged_spm(folder: Path) -> None:
    write_marian(folder)
    (folder / "vocab.ende.spm").write_bytes(b"\xff" * 1_000)


HOSTILE = {
    "wrong shape": _wrong_shape,
    "missing tensor": _missing_tensor,
    "not finite": _not_finite,
    "huge count": _rewrite(lambda data: data[:8] + struct.pack("<Q", 1 << 60) + data[16:]),
    "huge name": _rewrite(lambda data: data[:16] + struct.pack("<Q", 1 << 60) + data[24:]),
    "huge rank": _rewrite(lambda data: data[:32] + struct.pack("<Q", 1 << 60) + data[40:]),
    "huge data": _rewrite(lambda data: data[:40] + struct.pack("<Q", 1 << 60) + data[48:]),
    "cut": _rewrite(lambda data: data[:-100]),
    "empty": _rewrite(lambda data: b""),
    "pickle": _rewrite(lambda data: pickle.dumps({"a": 1})),
    "zip bomb": _zip_bomb,
    "lying zip": _lying_zip,
    "pickled array": _pickled_array,
    "huge array": _huge_npy,
    "deep config": _deep_yaml,
    "config with aliases": _yaml_aliases,
    "huge model": _huge_sizes,
    "device": _device,
    "damaged vocabulary": _damaged_spm,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_within_a_second(name: str, tmp_path: Path) -> None:
    HOSTILE[name](tmp_path / "theirs")
    start = time.process_time()
    with pytest.raises(RegardError):
        import_pretrained(tmp_path / "theirs", tmp_path / "ours")
    assert time.process_time() - start < 1
    assert not (tmp_path / "ours").exists()


class _Shell:
    def __reduce__(self) -> Any:
        return os.system, ("touch hostile",)


def _write_huggingface(folder: Path, **changes: Any) -> None:
    """Write a MarianMT folder without transformers; the weights are missing."""
    folder.mkdir()
    spm = train_spm(1)
    pieces = ["</s>", "<unk>", *spm_pieces(spm)[2:], "<pad>"]
    sizes = ("encoder_layers", "decoder_layers", "encoder_attention_heads", "d_model")
    config = dict.fromkeys(sizes, 1) | {
        "model_type": "marian",
        "vocab_size": len(pieces),
        "decoder_start_token_id": len(pieces) - 1,
        "eos_token_id": 0,
        "d_model": 8,
        "decoder_attention_heads": 2,
        "encoder_ffn_dim": 8,
        "decoder_ffn_dim": 8,
        **changes,
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "vocab.json").write_text(json.dumps({p: i for i, p in enumerate(pieces)}))
    for side in ("source", "target"):
        (folder / f"{side}.spm").write_bytes(spm)


def _hostile_pickle(folder: Path) -> None:
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(_Shell()))


def _hostile_torch(folder: Path) -> None:
    torch.save({"model.shared.weight": _Shell()}, folder / "pytorch_model.bin")


def _compressed_torch(folder: Path) -> None:
    with zipfile.ZipFile(folder / "pytorch_model.bin", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"\0" * (64 << 20))


def _huge_header(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", 1 << 60) + b"{}")


@pytest.mark.parametrize(
    "write", [_hostile_pickle, _hostile_torch, _compressed_torch, _huge_header]
)
def test_hostile_weights_are_refused_within_a_second(
    write: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _write_huggingface(tmp_path / "theirs")
    write(tmp_path / "theirs")
    start = time.process_time()
    with pytest.raises(ArtifactError):
        import_pretrained(tmp_path / "theirs", tmp_path / "ours")
    assert time.process_time() - start < 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["theirs"]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("model_type", "bart"),
        ("activation_function", "gelu_new"),
        ("normalize_before", True),
        ("vocab_size", 1 << 40),
        ("eos_token_id", [0, 1]),
        ("decoder_start_token_id", 0),
        ("d_model", -8),
        ("scale_embedding", "yes"),
        ("encoder_layers", 10_000),
    ],
)
def test_an_odd_config_is_refused(setting: str, value: Any, tmp_path: Path) -> None:
    _write_huggingface(tmp_path / "theirs", **{setting: value})
    with pytest.raises(RegardError):
        import_pretrained(tmp_path / "theirs", tmp_path / "ours")


def test_a_model_with_several_target_languages_refuses_others(tmp_path: Path) -> None:
    _write_huggingface(tmp_path / "theirs")
    vocabulary = json.loads((tmp_path / "theirs/vocab.json").read_text())
    pieces = list(vocabulary)
    pieces[5:7] = [">>fra<<", ">>deu<<"]
    (tmp_path / "theirs/vocab.json").write_text(json.dumps({p: i for i, p in enumerate(pieces)}))
    with pytest.raises(ConfigError, match="deu, fra"):
        read_pretrained(tmp_path / "theirs", (None, "ita"))
    for target in (None, "fra"):
        with pytest.raises(ArtifactError, match="safetensors"):  # only the weights are missing
            read_pretrained(tmp_path / "theirs", (None, target))


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=r"config\.json"):
        read_pretrained(tmp_path)
    with pytest.raises(ConfigError, match="not a folder"):
        read_pretrained(tmp_path / "none")


def test_npz_names_are_names_only() -> None:
    """Names with paths are keys of a dictionary; no file is written."""
    import io

    file = io.BytesIO()
    np.savez(file, **{"../../etc/passwd": np.zeros(2, np.float32)})
    assert list(read_npz(file.getvalue(), Path("x.npz"))) == ["../../etc/passwd"]
