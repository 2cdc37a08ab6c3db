"""Prepared images and feature grids."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from regard.data.formats.images import FeatureGrid, ImageFrame, encode_png
from regard.data.loading.shards import ImageShards, from_ids, to_ids
from regard.data.preparation import prepare as preparation
from regard.data.preparation.fields import hash_texts
from regard.data.preparation.prepare import prepare_images
from regard.data.preparation.runner import InProcessRunner
from regard.errors import ArtifactError, CorpusError


def draw(folder: Path, count: int) -> list[str]:
    for number in range(count):
        image = np.full((8, 8, 3), number, np.uint8)
        (folder / f"{number}.png").write_bytes(encode_png(image))
    return [str(folder / f"{number}.png") for number in range(count)]


def test_images_are_found_by_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "IMAGES_PER_SHARD", 3)
    names, out = draw(tmp_path, 7), str(tmp_path / "out")
    prepare_images([*names, *names[:2]], out, ImageFrame(4, 4), InProcessRunner())
    shards = ImageShards.open(out)
    assert [count for _, count in shards.shards] == [3, 3, 1]
    order = [6, 0, 3, 3, 2]
    images = shards.read(hash_texts([names[i] for i in order]))
    assert images.shape == (5, 4, 4, 3) and images[:, 0, 0, 0].tolist() == order


def test_hashes_are_converted_to_ids_and_back() -> None:
    hashes = np.array([0, 1, 2**63 + 12_345, 2**64 - 1], np.uint64)
    ids = to_ids(hashes)
    assert ids.shape == (4, 4) and ids.max() < 1 << 16
    assert np.array_equal(from_ids(ids.astype(np.int64)), hashes)


def test_only_changed_images_are_prepared_again(tmp_path: Path) -> None:
    names, out, reports = draw(tmp_path, 2), str(tmp_path / "out"), []
    prepare_images(names, out, ImageFrame(8, 8), InProcessRunner(), reports.append)
    prepare_images(names, out, ImageFrame(8, 8), InProcessRunner(), reports.append)
    assert [(progress.done, progress.reused) for progress in reports] == [
        *((0, 0), (1, 0)),
        *((0, 0), (1, 1)),  # each stage reports its start, from which a display makes its bar
    ]
    Path(names[0]).write_bytes(encode_png(np.full((8, 8, 3), 77, np.uint8)))
    prepare_images(names, out, ImageFrame(8, 8), InProcessRunner(), reports.append)
    assert reports[-1].reused == 0
    assert ImageShards.open(out).read(hash_texts(names))[0].max() == 77


def test_a_missing_image_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"nowhere\.png"):
        prepare_images(["nowhere.png"], str(tmp_path / "out"), ImageFrame(8, 8), InProcessRunner())


def test_damaged_image_shards_are_refused(tmp_path: Path) -> None:
    names, out = draw(tmp_path, 2), tmp_path / "out"
    with pytest.raises(ArtifactError, match=r"images\.json"):
        ImageShards.open(str(out))
    prepare_images(names, str(out), ImageFrame(8, 8), InProcessRunner())
    opened = ImageShards.open(str(out))
    with pytest.raises(ArtifactError, match="missing"):
        opened.read(np.array([7], np.uint64))
    pixels = out / "images-00000.pixels"
    pixels.write_bytes(pixels.read_bytes()[:-1])
    with pytest.raises(ArtifactError, match=r"images-00000\.pixels: truncated"):
        opened.read(hash_texts(names))
    manifest = out / "images.json"
    content = manifest.read_text()
    for version in (0, 2):
        manifest.write_text(content.replace('"format": 1', f'"format": {version}'))
        with pytest.raises(ArtifactError, match="incomplete, or written by another version"):
            ImageShards.open(str(out))
    manifest.write_text(content)
    ImageShards.open(str(out))
    (out / "images.hashes").write_bytes(b"12345678")
    with pytest.raises(ArtifactError, match="incomplete"):
        ImageShards.open(str(out))


def test_grids_are_read_from_safetensors(tmp_path: Path) -> None:
    path, numbers = tmp_path / "f.safetensors", np.random.default_rng(0)
    grids = {str(i): numbers.normal(size=(2, 3, 5)).astype(np.float32) for i in range(3)}
    save_file(grids, path)
    names, out = [f"{path}#{key}" for key in grids], str(tmp_path / "out")
    prepare_images(names, out, FeatureGrid(2, 3, 5), InProcessRunner())
    features = ImageShards.open(out).read(hash_texts(names[::-1]))
    assert features.dtype == np.float16
    np.testing.assert_allclose(features[0], grids["2"], atol=2e-3)


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("f.safetensors", "file.safetensors#key"),
        ("gone.safetensors#a", "no such file"),
        ("f.safetensors#b", "no grid 'b'"),
        ("f.safetensors#a", "2 × 2 × 2"),
        ("f.safetensors#nan", "not finite"),
        ("damaged.safetensors#a", "cannot be read"),
    ],
)
def test_an_invalid_grid_is_refused(name: str, cause: str, tmp_path: Path) -> None:
    nan = np.full((2, 3, 5), np.nan, np.float32)
    save_file({"a": np.zeros((2, 2, 2), np.float32), "nan": nan}, tmp_path / "f.safetensors")
    (tmp_path / "damaged.safetensors").write_bytes(b"\xff" * 40)
    with pytest.raises(CorpusError, match=r"safetensors") as raised:
        FeatureGrid(2, 3, 5).read(f"{tmp_path}/{name}")
    assert cause in str(raised.value)
