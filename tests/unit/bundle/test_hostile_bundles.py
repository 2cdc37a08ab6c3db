"""Hostile model bundles: refused with an error that names the file, fast, in little memory.

Each is a valid bundle with one change. If the content of a file is hostile, the manifest has its
correct hash. One child process with resource limits opens them all.
"""

from __future__ import annotations

import io
import json
import math
import os
import pickle
import resource
import socket
import stat
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from regard.bundle.bundle import RUN, WEIGHTS
from regard.bundle.manifest import FORMAT, MANIFEST
from regard.bundle.parts import pack
from regard.config.load import dump_config, load_config, parse_config
from regard.errors import RegardError
from regard.evaluate.quality import QualityFeatures
from regard.tasks.translation.bundle_parts import ALIGNMENT_FILE, QUALITY_FILE, SPLIT_FILE
from regard.tasks.translation.loading import build_translation_model
from regard.tasks.translation.translator import Translator
from regard.text.normalize import RULES
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, SentencePiece

SECONDS, MEGABYTES = 1.0, 200  # limits for refusing a bundle
SMALL = [
    *("model.embedding_dim=16", "model.encoder.layers=1", "model.decoder.layers=1"),
    *(
        f"model.{part}.{to}"
        for part in ("encoder", "decoder")
        for to in ("dim=16", "hidden_dim=16")
    ),
]
Content = dict[str, bytes]
ATTENTION = b"decoder.blocks.0.cross_attention"


class Harm:
    """An object that creates a file when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return open, ("canary", "w")


def valid_bundle() -> Content:
    tokenizer = SentencePiece.train(["one two three four", "five six seven"] * 5, size=290)
    run = load_config("translate-tiny", SMALL)
    model = build_translation_model(run, tokenizer.size)
    return {
        RUN: dump_config(run).encode(),
        WEIGHTS: pack(dict(model.named_parameters())),
        SPLIT_FILE: b'{"split_above": 50, "max_length": 100}',
        **alignment_head(ATTENTION, b"0", b"0"),
        **tokenizer_files(tokenizer.model),
    }


def tokenizer_files(model: bytes, **changes: Any) -> Content:
    rules = json.dumps({"form": "NFC", "rules": RULES}, sort_keys=True).encode()
    settings = {
        "tokenizer": "sentencepiece",
        "kind": "unigram",
        "form": "NFC",
        "rules": RULES,
        "model_sha256": sha256(model).hexdigest(),
        "fingerprint": sha256(model + rules).hexdigest(),
    }
    return {MODEL_FILE: model, SETTINGS_FILE: json.dumps(settings | changes).encode()}


# Hostile contents of a file, with a correct hash.


def weights(header: Any, data: bytes = b"", length: int | None = None) -> Content:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return {WEIGHTS: struct.pack("<Q", len(text) if length is None else length) + text + data}


def tensor(dtype: str = "F32", shape: Any = (1,), offsets: Any = (0, 4)) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


def alignment_head(attention: bytes, head: bytes, shift: bytes) -> Content:
    values = b'{"attention": "%b", "head": %b, "shift": %b, "null": false}'
    return {ALIGNMENT_FILE: values % (attention, head, shift)}


def thresholds(median: float, extreme: float, threshold: float = 1.0) -> Content:
    names = [field.name for field in fields(QualityFeatures)]
    values = {"median": dict.fromkeys(names, median), "extreme": dict.fromkeys(names, extreme)}
    return {QUALITY_FILE: json.dumps({**values, "threshold": threshold}).encode()}


def empty_tensors(count: int) -> Content:
    entry = b'"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    return weights(b"{" + b",".join(entry % i for i in range(count)) + b"}")


def pickles() -> dict[str, bytes]:
    saved, legacy, arrays, one = (io.BytesIO() for _ in range(4))
    torch.save(Harm(), saved)
    torch.save(Harm(), legacy, _use_new_zipfile_serialization=False)
    np.savez(arrays, weights=np.array([Harm()], object))
    np.save(one, np.array([Harm()], object), allow_pickle=True)
    return {
        "pickle": pickle.dumps(Harm()),
        "torch zip": saved.getvalue(),
        "torch legacy": legacy.getvalue(),
        "npz": arrays.getvalue(),
        "npy": one.getvalue(),
    }


def zip_bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("bomb", bytes(100_000_000))
    return packed.getvalue()


def run_with(**settings: Any) -> Content:
    """Return the valid config with other values for all settings of these names."""
    values = yaml.safe_load(dump_config(load_config("translate-tiny", SMALL)))
    changed: set[str] = set()

    def change(node: Any) -> None:
        if isinstance(node, dict):
            found = {name: value for name, value in settings.items() if name in node}
            node.update(found)
            changed.update(found)
            for inner in node.values():
                change(inner)

    change(values)
    assert changed == set(settings)
    return {RUN: yaml.safe_dump(values).encode()}


def field(number: int, data: bytes) -> bytes:
    """Encode a protocol buffer field of bytes."""
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def piece(text: bytes, score: float = -1.0, kind: int = 1) -> bytes:
    content = field(1, text) + b"\x15" + struct.pack("<f", score) + b"\x18" + _varint(kind)
    return field(1, content)


def many_pieces(count: int) -> bytes:
    before = field(1, field(1, b"??????")).removesuffix(b"??????")  # the shortest encoding
    return b"".join(before + b"%06d" % i for i in range(count))


def _varint(number: int) -> bytes:
    more = []
    while number > 127:
        more.append(number & 127 | 128)
        number >>= 7
    return bytes([*more, number])


def contents(valid: Content) -> dict[str, Content]:
    """Return the files of each attack."""
    model, plain = valid[MODEL_FILE], valid[RUN]
    found = {
        **{f"{kind} as weights": {WEIGHTS: data} for kind, data in pickles().items()},
        **{f"{kind} as a vocabulary": tokenizer_files(data) for kind, data in pickles().items()},
        "a zip bomb as weights": {WEIGHTS: zip_bomb()},
        "a zip after the weights": {WEIGHTS: valid[WEIGHTS] + pickles()["torch zip"]},
        "a program before the weights": {WEIGHTS: b"\x7fELF" + valid[WEIGHTS]},
        # Headers of weights.
        "no weights": {WEIGHTS: b""},
        "half a length": {WEIGHTS: b"\x10\x00"},
        "an endless header": weights({}, length=2**63),
        "a header beyond its file": weights({}, length=1_000_000),
        "a header of blanks": weights(b"{}" + b" " * (5 << 20)),
        "a header of brackets": weights(b'{"a":' + b"[" * 1_000_000),
        "a header of lists": weights(b'{"a":{"dtype":"F32","shape":' + b"[" * 100_000),
        "a header that is a list": weights([]),
        "a header of numbers": weights({"a": 1}),
        "300,000 tensors": empty_tensors(300_000),
        "19,000 tensors": empty_tensors(19_000),
        "tensors that overlap": weights({"a": tensor(), "b": tensor()}, bytes(4)),
        "a gap between tensors": weights({"a": tensor(offsets=[4, 8])}, bytes(8)),
        "a shape that overflows": weights({"a": tensor(shape=[2**40, 2**40])}, bytes(4)),
        "a shape below nothing": weights({"a": tensor(shape=[-1])}, bytes(4)),
        "a shape of 100,000 sides": weights({"a": tensor(shape=[1] * 100_000)}, bytes(4)),
        "offsets that run back": weights({"a": tensor(offsets=[4, 0])}, bytes(4)),
        "a type that torch lacks": weights({"a": tensor("F4", [2], [0, 1])}, bytes(1)),
        "no tensors": weights({}),
        "weights of another model": weights({"a": tensor()}, bytes(4)),
        "weights that are whole numbers": {
            WEIGHTS: pack(
                {
                    n: p.long()
                    for n, p in build_translation_model(
                        parse_config(plain.decode(), RUN), 290
                    ).named_parameters()
                }
            )
        },
        # Runs.
        "aliases that unfold": {
            RUN: b"a: &a [x, x]\n"
            + b"".join(b"%c: &%c [*%c, *%c]\n" % (i + 1, i + 1, i, i) for i in range(97, 120))
        },
        "brackets without end": {RUN: b"model: " + b"[" * 100_000},
        "85,000 lists": {RUN: b"model: [" + b"[]," * 85_000 + b"]"},
        "130,000 numbers": {RUN: b"model: [" + b"1," * 130_000 + b"]"},
        "keys that collide": {
            RUN: b"{%s}" % b",".join(b"? %d : 1" % (i * (2**61 - 1)) for i in range(1, 8_500))
        },
        "a number of 200,000 digits": {RUN: plain + b"about: " + b"1" * 200_000},
        "a number by sixties": {RUN: plain + b"about: 1" + b":59" * 80_000},
        "a day that is none": {RUN: plain + b"about: 2001-99-99"},
        "a tag that calls": {RUN: b"about: !!python/object/apply:os.system ['touch canary']"},
        "another tag that calls": {RUN: b"about: !!python/name:os.system"},
        "a run that is too long": {RUN: plain + b"#" * 300_000},
        "a run that is not text": {RUN: b"\xff\xfe" + plain},
        "a run with a control": {RUN: plain + b"\x00"},
        "a run that extends a file": {RUN: b"extends: /dev/stdin\n"},
        "a run that is a word": {RUN: b"model"},
        "a language model": {RUN: dump_config(load_config("lm-transformer")).encode()},
        "a model of images": {RUN: dump_config(load_config("caption-soft")).encode()},
        "a model wider than memory": run_with(embedding_dim=40_000, dim=40_000, hidden_dim=40_000),
        "a model wider than numbers": run_with(hidden_dim=2**62),
        "a model wider still": run_with(hidden_dim=2**70),
        "a model of 100,000 layers": run_with(layers=100_000),
        "heads that do not divide": run_with(heads=3),
        "a beam without bounds": run_with(beam_size=10**9),
        # Tokenisers.
        "an empty vocabulary": tokenizer_files(b""),
        "a vocabulary of noise": tokenizer_files(bytes(range(256)) * 40),
        "a vocabulary cut short": tokenizer_files(model[: len(model) // 2]),
        "a vocabulary without special tokens": tokenizer_files(piece(b"a") + piece(b"b")),
        "a piece twice": tokenizer_files(piece(b"q") + piece(b"q") + model),
        "a piece that is not text": tokenizer_files(model + piece(b"\xff\xfe")),
        "a piece without a score": tokenizer_files(model + piece(b"q", float("nan"))),
        "a piece of 2.5 MB": tokenizer_files(model + piece(b"a" * 2_500_000)),
        "260,000 pieces": tokenizer_files(model + many_pieces(260_000)),  # nearly the largest size
        "5 MB of pieces": tokenizer_files(model + many_pieces(500_000)),
        "rules of noise": tokenizer_files(model + field(3, field(2, b"\xff" * 100))),
        "groups without end": tokenizer_files(b"\x0b" * 100_000),
        "a length below nothing": tokenizer_files(model + b"\x0a" + b"\xff" * 9 + b"\x01"),
        "another fingerprint": tokenizer_files(model, fingerprint="0" * 64),
        "another normaliser": tokenizer_files(model, form=["NFC"]),
        "settings without end": {SETTINGS_FILE: b"[" * 1_000_000},
        "settings that are a list": {SETTINGS_FILE: b"[]"},
        "settings of 5 MB": {SETTINGS_FILE: b"[" + b"[]," * 1_700_000 + b"[]]"},
        # Calibration.
        "texts of a length in words": {
            SPLIT_FILE: b'{"split_above": "long", "max_length": "longer"}'
        },
        "texts of no length": {SPLIT_FILE: b"{}"},
        "texts of a negative length": {SPLIT_FILE: b'{"split_above": -1, "max_length": -1}'},
        "texts of any length": {SPLIT_FILE: b'{"split_above": 1, "max_length": 1000000000}'},
        "texts split below nothing": {SPLIT_FILE: b'{"split_above": 9, "max_length": 8}'},
        "lists without end": {SPLIT_FILE: b"[" * 100_000},
        "an attention that the model lacks": alignment_head(b"encoder", b"0", b"0"),
        "a head that the model lacks": alignment_head(ATTENTION, b"9", b"0"),
        "a negative head": alignment_head(ATTENTION, b"-1", b"0"),
        "an impossible alignment step": alignment_head(ATTENTION, b"0", b"2"),
        "thresholds of no length": {QUALITY_FILE: b"{}"},
        "an extreme that equals its median": thresholds(1.0, 1.0),
        "an extreme without bounds": thresholds(1.0, math.inf),
        "a threshold of zero": thresholds(1.0, 2.0, 0.0),
        "a file for an engine that is noise": {
            "ctranslate2/model.bin": bytes(range(256)) * 10,
            "ctranslate2/config.json": b"{}",
            "ctranslate2/shared_vocabulary.json": b"[]",
        },
    }
    return {name: {**valid, **changed} for name, changed in found.items()}


# Hostile manifests, and other things in the place of a file.


def entry(data: bytes) -> dict[str, Any]:
    return {"size": len(data), "sha256": sha256(data).hexdigest()}


def manifest(files: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"format": FORMAT, "files": files, **more}, indent=1, sort_keys=True).encode()


NAMES = [
    *("../outside.json", "/etc/hostname", "ctranslate2/../../outside.json", "a/b/c.json"),
    *(".hidden.json", "a\x00.json", "a\\b.json", "a\n.json", "\ud800.json", "x" * 5_000 + ".json"),
    *("x" * 300 + ".json", "weights.pt", "weights.npz", "weights.pkl", "model.py", "model.so"),
    *("weights", MANIFEST, "", "."),
]


def manifests(valid: Content) -> dict[str, bytes]:
    files = {name: entry(data) for name, data in valid.items()}
    size = files[WEIGHTS]["size"]

    def with_weights(**facts: Any) -> bytes:
        return manifest({**files, WEIGHTS: {**files[WEIGHTS], **facts}})

    named = {
        f"a file named {name[:40]!r}, {len(name)}": manifest({**files, name: entry(b"{}")})
        for name in NAMES
    }
    return {
        **named,
        "a manifest of 70 KB": manifest({f"{i}.json": entry(b"{}") for i in range(700)}),
        "a manifest without end": b"[" * 60_000,
        "a manifest that is a list": b"[]",
        "a manifest that is not text": b"\xff" + manifest(files),
        "a manifest in other bytes": manifest(files).decode().encode("utf-16"),
        "a manifest with a blank": manifest(files) + b" ",
        "a manifest that says more": manifest(files, code="import os"),
        "a file named twice": manifest(files).replace(
            b'"files": {', b'"files": {"run.yaml": {},', 1
        ),
        "a future format": manifest(files, format=FORMAT + 1),
        "format 1": manifest(files, format=1),
        "a format in words": manifest(files, format=str(FORMAT)),
        "a size below nothing": with_weights(size=-1),
        "a size in parts": with_weights(size=float(size)),
        "a size that is true": with_weights(size=True),
        "a size of a petabyte": with_weights(size=2**50),
        "a size of 5,000 digits": manifest(files).replace(
            f'"format": {FORMAT}'.encode(), b'"format": ' + b"9" * 5_000
        ),
        "a hash in capitals": with_weights(sha256=files[WEIGHTS]["sha256"].upper()),
        "no hash": with_weights(sha256=None),
        "another hash": with_weights(sha256="0" * 64),
    }


def _place(name: str, make: Callable[[Path], Any]) -> Callable[[Path], None]:
    def put(folder: Path) -> None:
        (folder / name).unlink()
        make(folder / name)

    return put


def _link_folder(folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "real" / "config.json").write_bytes(b"{}")
    (folder / "linked").symlink_to("real")
    files = {p.name: entry(p.read_bytes()) for p in folder.iterdir() if p.is_file()}
    del files[MANIFEST]
    (folder / MANIFEST).write_bytes(manifest({**files, "linked/config.json": entry(b"{}")}))


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _moved(path: Path) -> None:
    outside = path.parent.parent / "outside"
    outside.write_bytes(b"anything")
    path.symlink_to(outside)


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the path of a socket is limited to about a hundred characters
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(here)


def _device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # /dev/zero
    except PermissionError:  # only root may create devices
        path.symlink_to("/dev/zero")


PLACES: dict[str, Callable[[Path], None]] = {
    "no file": _place(WEIGHTS, lambda path: None),
    "a link out": _place(WEIGHTS, _moved),
    "a link to itself": _place(WEIGHTS, lambda path: path.symlink_to(path.name)),
    "a link to endless zeros": _place(RUN, lambda path: path.symlink_to("/dev/zero")),
    "a pipe": _place(WEIGHTS, os.mkfifo),
    "a socket": _place(WEIGHTS, _socket),
    "a device": _place(MODEL_FILE, _device),
    "a folder": _place(RUN, Path.mkdir),
    "a linked folder": _link_folder,
    "a terabyte of nothing": _place(WEIGHTS, _sparse),
    "a manifest that is a pipe": _place(MANIFEST, os.mkfifo),
    "a manifest that is a folder": _place(MANIFEST, Path.mkdir),
    "a manifest that is a link": _place(MANIFEST, lambda path: path.symlink_to("/dev/zero")),
    "a manifest of a terabyte": _place(MANIFEST, _sparse),
}


def write(folder: Path, content: Content, manifest_bytes: bytes | None = None) -> None:
    for name, data in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    files = {name: entry(data) for name, data in content.items()}
    (folder / MANIFEST).write_bytes(manifest(files) if manifest_bytes is None else manifest_bytes)


def make(root: Path) -> dict[str, Path]:
    """Write all bundles and return their folders by name; `valid` is unchanged."""
    valid = valid_bundle()
    attacks = contents(valid)
    folders = {
        name: root / f"{i:03}"
        for i, name in enumerate(["valid", *attacks, *manifests(valid), *PLACES])
    }
    for name, content in {"valid": valid, **attacks}.items():
        write(folders[name], content)
    for name, content in manifests(valid).items():
        write(folders[name], valid, content)
    for name, place in PLACES.items():
        write(folders[name], valid)
        place(folders[name])
    return folders


def peak() -> float:
    """Return the peak megabytes of this process; getrusage would include its parent's."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def child(root: Path) -> None:
    """Open each bundle and print the outcome; the valid one first, to warm up."""
    os.chdir(root)
    folders = json.loads((root / "folders.json").read_bytes())
    Translator.load(folders.pop("valid")).translate(["one two"])
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGESIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + (2 << 30),) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (240, 240))
    initial = peak()
    for name, folder in folders.items():
        start = time.process_time()
        try:
            Translator.load(folder)
            outcome = "accepted"
        except RegardError as error:
            outcome = f"refused: {error}"
        except BaseException as error:
            outcome = f"crashed: {error!r}"
        result = {
            "name": name,
            "outcome": outcome[:1_000],
            "seconds": time.process_time() - start,
            "megabytes": peak() - initial,
        }
        print(json.dumps(result), flush=True)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    root = tmp_path_factory.mktemp("hostile")
    folders = make(root)
    (root / "folders.json").write_text(json.dumps({n: str(p) for n, p in folders.items()}))
    done = subprocess.run(
        [sys.executable, __file__, str(root)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        timeout=300,
    )
    found = {one["name"]: one for one in map(json.loads, done.stdout.splitlines())}
    assert set(found) == set(folders) - {"valid"}, f"ended with {done.returncode}"
    return {"bundles": found, "root": root}


def test_there_are_at_least_sixty_attacks(results: dict[str, Any]) -> None:
    assert len(results["bundles"]) >= 60


def test_each_is_refused_with_an_error_of_regard(results: dict[str, Any]) -> None:
    outcomes = {name: one["outcome"] for name, one in results["bundles"].items()}
    assert {n: text for n, text in outcomes.items() if not text.startswith("refused: ")} == {}


def test_each_is_refused_quickly(results: dict[str, Any]) -> None:
    seconds = {name: one["seconds"] for name, one in results["bundles"].items()}
    assert {name: value for name, value in seconds.items() if value > SECONDS} == {}


def test_refusing_takes_little_memory(results: dict[str, Any]) -> None:
    assert max(one["megabytes"] for one in results["bundles"].values()) <= MEGABYTES


def test_no_code_of_a_bundle_is_run(results: dict[str, Any]) -> None:
    assert not list(results["root"].rglob("canary"))


if __name__ == "__main__":
    child(Path(sys.argv[1]))
