"""The manifest of prepared data, and shards that do not fit it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regard.data.loading.shards import (
    FORMAT,
    MAX_TOKENS,
    PARTS,
    PreparedData,
    Shard,
    describe_drops,
    shards_fingerprint,
)
from regard.errors import ArtifactError

ARRAYS = {
    "source": np.array([5, 6, 7, 8], np.uint16),
    "target": np.array([9, 10, 11], np.uint16),
    "lengths": np.array([1, 2, 0, 0, 3, 1], np.uint16),
}


def entry(folder: Path, name: str, corpus: str) -> dict[str, Any]:
    """Write a shard of three pairs, and return its entry in the manifest."""
    for part, array in ARRAYS.items():
        (folder / f"{name}.{part}").write_bytes(array.tobytes())
    sums = {part: hashlib.sha256(array.tobytes()).hexdigest() for part, array in ARRAYS.items()}
    return {"name": name, "corpus": corpus, "pairs": 3, "tokens": [4, 3], "sha256": sums}


def write_manifest(folder: Path, **changes: Any) -> PreparedData:
    manifest = {
        "format": FORMAT,
        "vocabulary": 100,
        "tokenizer": "abc",
        "dtype": "uint16",
        "splits": {
            "train": [entry(folder, "train-00000", "a"), entry(folder, "train-00001", "b")],
            "valid": [],
        },
    } | changes
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return PreparedData.open(str(folder))


def test_a_manifest_without_optional_fields(tmp_path: Path) -> None:
    data = write_manifest(tmp_path)
    assert (data.root, data.tokenizer) == (str(tmp_path), "abc")
    assert (data.vocabulary, data.target_vocabulary) == (100, 100)
    assert (data.labels, data.read, data.dropped, data.valid_dropped) == ((), 0, {}, {})
    first, second = data.shards("train")
    assert (first.name, first.corpus, first.pairs, first.tokens) == ("train-00000", "a", 3, (4, 3))
    assert second.corpus == "b" and data.shards("valid") == ()
    with pytest.raises(ArtifactError, match=r"no split 'test'\. Splits: train, valid\."):
        data.shards("test")


def test_a_manifest_with_all_fields(tmp_path: Path) -> None:
    rows = {"read": 9, "dropped": {"empty": 2}, "valid dropped": {"too long": 1}}
    data = write_manifest(tmp_path, target_vocabulary=50, labels=["x", "y"], rows=rows)
    assert (data.vocabulary, data.target_vocabulary, data.labels) == (100, 50, ("x", "y"))
    assert (data.read, data.dropped, data.valid_dropped) == (9, {"empty": 2}, {"too long": 1})
    assert (
        describe_drops({"empty": 2_000, "twice": 0, "too long": 1}) == "empty: 2,000, too long: 1"
    )


@pytest.mark.parametrize("version", [FORMAT - 1, FORMAT + 1, None, "1"])
def test_other_formats_are_refused(tmp_path: Path, version: Any) -> None:
    with pytest.raises(ArtifactError, match=f"format {version} is not supported"):
        write_manifest(tmp_path, format=version)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff{}"])
def test_a_damaged_manifest_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(ArtifactError, match=r"manifest\.json: not a manifest"):
        PreparedData.open(str(tmp_path))


def test_pairs_are_read_from_the_flat_ids(tmp_path: Path) -> None:
    opened = write_manifest(tmp_path).shards("train")[0].open()
    pairs = [tuple(side.tolist() for side in opened.pair(i)) for i in range(3)]
    assert pairs == [([5], [9, 10]), ([], []), ([6, 7, 8], [11])]
    assert opened.starts.tolist() == [[0, 0], [1, 2], [1, 2]]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_missing_cut_or_changed_is_named(tmp_path: Path, part: str) -> None:
    shard = write_manifest(tmp_path).shards("train")[0]
    shard.verify()
    path = tmp_path / f"train-00000.{part}"
    content = path.read_bytes()
    path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    with pytest.raises(ArtifactError, match=rf"train-00000\.{part}: its SHA-256 differs"):
        shard.verify()
    for wrong in (content[:-2], content + b"\0\0"):
        path.write_bytes(wrong)
        with pytest.raises(ArtifactError, match=rf"\.{part}: has {len(wrong)} bytes, but"):
            shard.open()
    path.unlink()
    with pytest.raises(ArtifactError, match=rf"\.{part}: no such file"):
        shard.open()


def test_lengths_add_up_to_the_ids(tmp_path: Path) -> None:
    shard = write_manifest(tmp_path).shards("train")[0]
    lengths = np.array([1, 2, 0, 1, 3, 1], np.uint16)
    (tmp_path / "train-00000.lengths").write_bytes(lengths.tobytes())
    with pytest.raises(ArtifactError, match=r"add up to \[4, 4\] ids, but .* \[4, 3\]"):
        shard.open()


def test_texts_are_read_in_order(tmp_path: Path) -> None:
    shard = write_manifest(tmp_path).shards("train")[0]
    (tmp_path / "train-00000.source.txt").write_text("a\n\né \n", "utf-8")
    (tmp_path / "train-00000.target.txt").write_text("x\n", "utf-8")
    assert shard.read_texts("source") == ("a", "", "é ")
    assert shard.read_texts("target") == ("x",)


def test_the_fingerprint_depends_on_contents_and_order_only(tmp_path: Path) -> None:
    shards = write_manifest(tmp_path).shards("train")
    whole = shards_fingerprint(shards)
    assert (
        shards_fingerprint([replace(shard, root="elsewhere", name="x") for shard in shards])
        == whole
    )
    others: list[list[Shard]] = [
        list(shards[::-1]),
        list(shards[:1]),
        [shards[0], replace(shards[1], corpus="a")],
        [shards[0], replace(shards[1], checksums=("", "", ""))],
    ]
    assert len({whole, *map(shards_fingerprint, others)}) == 5


def test_the_longest_sequence_and_its_special_tokens_fit_a_length() -> None:
    assert np.iinfo(np.uint16).max == MAX_TOKENS + 2
