"""The file of the links between the pieces of training pairs."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import xxhash
from safetensors.numpy import load, save

from regard.data.loading.piece_links import FORMAT, Ids, PieceLinks
from regard.errors import ArtifactError
from tests.linked_pairs import PAIRS, batch_of, make_links


def test_the_key_of_a_pair_is_stable_and_the_same_in_both_directions() -> None:
    """XXH3 of the ids as little-endian uint32, seeded by the length of the first side."""

    def key_of(source: Ids, target: Ids) -> int:
        return int(PieceLinks.from_pairs([(source, target, [])], {}).keys[0])

    assert key_of((5, 6), (7,)) == xxhash.xxh3_64_intdigest(struct.pack("<3I", 5, 6, 7), 8)
    assert key_of((7,), (5, 6)) == key_of((5, 6), (7,)) != key_of((5,), (6, 7))


def test_both_directions_find_the_same_links() -> None:
    stored = make_links()
    for order in (slice(None), slice(None, None, -1)):
        known, rows, links = stored.of(batch_of([pair[order] for pair, _ in PAIRS]))
        assert known.all()
        for row, (_, wanted) in enumerate(PAIRS):
            found = [tuple(link[order]) for link in links[rows == row].tolist()]
            assert found == wanted


def test_links_survive_writing_and_reading(tmp_path: Path) -> None:
    stored = make_links(data="some")
    stored.write(tmp_path / "links")
    found = PieceLinks.open(tmp_path / "links")
    assert found.facts == {"data": "some"}
    assert found.fingerprint == stored.fingerprint
    known, rows, links = found.of(batch_of([*(pair for pair, _ in PAIRS), ((9,), (9, 9))]))
    assert known.tolist() == [True] * len(PAIRS) + [False]  # also of the pair without links
    for row, (_, wanted) in enumerate(PAIRS):
        assert [tuple(link) for link in links[rows == row].tolist()] == wanted
    assert len(rows) == 6


def test_a_repeated_pair_is_stored_once() -> None:
    one, other = ((5, 6), (7, 8)), ((7, 8), (5, 6))
    twice = PieceLinks.from_pairs([(*one, [(0, 1)]), ((3,), (3,), []), (*other, [(1, 1)])], {})
    assert len(twice.keys) == 2
    assert twice.starts.tolist() == [0, 0, 1]
    assert twice.links.tolist() == [[0, 1]]


def _damage(path: Path, way: str) -> None:
    content = path.read_bytes()
    arrays = load(content)
    facts = {"format": FORMAT, "fingerprint": make_links().fingerprint}
    match way:
        case "missing":
            path.unlink()
        case "empty":
            path.write_bytes(b"")
        case "cut":
            path.write_bytes(content[:-3])
        case "text":
            path.write_text("0-0 1-1\n" * 100)
        case "one bit":
            path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        case "a huge header":
            path.write_bytes((1 << 60).to_bytes(8, "little") + content[8:])
        case "other tensors":
            path.write_bytes(save({"weights": arrays["keys"]}, facts))
        case "other types":
            path.write_bytes(save({**arrays, "links": arrays["links"].astype(np.int16)}, facts))
        case "another version":
            path.write_bytes(save(arrays, {**facts, "format": "piece links, 1"}))
        case "starts beyond the links":
            arrays["starts"][-1] += 1 << 40
            path.write_bytes(save(arrays, facts))
        case "starts that fall":
            arrays["starts"][1] = -(1 << 40)
            path.write_bytes(save(arrays, facts))
        case "keys in no order":
            path.write_bytes(save({**arrays, "keys": arrays["keys"][::-1].copy()}, facts))


@pytest.mark.parametrize(
    "way",
    [
        *("missing", "empty", "cut", "text", "one bit", "a huge header", "other tensors"),
        *("other types", "another version", "starts beyond the links", "starts that fall"),
        "keys in no order",
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, way: str) -> None:
    path = tmp_path / "guide.safetensors"
    make_links().write(path)
    _damage(path, way)
    with pytest.raises(ArtifactError, match=r"guide\.safetensors: .*Prepare the data again"):
        PieceLinks.open(path)
