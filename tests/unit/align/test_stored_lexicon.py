"""The files of the aligner's lexicon: first values, normalization, and the entries of a chunk."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regard.align import chunks
from regard.align.chunks import ChunkWords, choose_edges
from regard.align.hmm import FLOOR, JUMPS
from regard.align.stored_lexicon import (
    FIRST_JUMPS,
    JUMP_PRIOR,
    StoredLexicon,
    load_chunk_lexicon,
    write_first_lexicon,
    write_next_lexicon,
)
from regard.data.preparation.runner import TaskResult

# Source words 0 to 4 and target words 0 to 3; source word 1 has no entry.
ENTRIES = [(0, 1), (0, 3), (2, 0), (3, 0), (3, 1), (3, 2), (4, 1)]
EDGES = (0, 3, 5)  # of two parts
SIZES = (5, 4)


def write(folder: Path):
    return lambda name, content: (folder / name).write_bytes(bytes(content))


def first_lexicon(folder: Path) -> StoredLexicon:
    keys = [
        np.array([s << 32 | t for s, t in ENTRIES if low <= s < high], np.int64)
        for low, high in pairwise(EDGES)
    ]
    facts = write_first_lexicon("first", keys, EDGES, SIZES, write(folder))
    assert facts == {"edges": list(EDGES), "entries": len(ENTRIES)}
    return StoredLexicon(str(folder), "first", EDGES)


def table(stored: StoredLexicon) -> dict[tuple[int, int], tuple[float, float]]:
    """The probabilities of each entry, forward and backward."""
    values = {}
    for number in range(len(stored)):
        part = stored.part(number)
        assert (part.first, part.stop) == EDGES[number : number + 2]
        assert part.rows[0] == 0 and len(part.rows) == part.stop - part.first + 1
        entries = zip(part.sources, part.targets, part.forward, part.backward, strict=True)
        values |= {(int(s), int(t)): (float(f), float(b)) for s, t, f, b in entries}
    return values


def test_the_entries_of_a_word_are_equally_likely_at_first(tmp_path: Path) -> None:
    stored = first_lexicon(tmp_path)
    expected = {
        (s, t): (1 / sum(x == s for x, _ in ENTRIES), 1 / sum(y == t for _, y in ENTRIES))
        for s, t in ENTRIES
    }
    actual = table(stored)
    assert list(actual) == ENTRIES
    for entry, probabilities in expected.items():
        assert actual[entry] == pytest.approx(probabilities)
    words = stored.words()
    np.testing.assert_allclose(words["null_targets"], np.full(4, 1 / 4))
    np.testing.assert_allclose(words["null_sources"], np.full(5, 1 / 5))
    np.testing.assert_allclose(words["jumps"], [FIRST_JUMPS / FIRST_JUMPS.sum()] * 2, rtol=1e-6)


def test_counts_are_normalized_and_entries_without_counts_are_pruned(tmp_path: Path) -> None:
    stored = first_lexicon(tmp_path)
    forward = np.array([1, 3, 0, 2, 0, 6, 5], np.float32)
    backward = np.array([2, 0, 0, 4, 1, 8, 3], np.float32)
    sums: dict[str, Any] = {
        "null_targets": np.array([1, 0, 3, 4], np.float32),
        "null_sources": np.array([0, 0, 5, 0, 5], np.float32),
        "jumps": np.arange(2.0 * JUMPS).reshape(2, JUMPS),
    }
    counts = [(forward[:3], backward[:3]), (forward[3:], backward[3:])]
    facts = write_next_lexicon(stored, counts, sums, "next", write(tmp_path))
    assert facts == {"edges": list(EDGES), "entries": 6}
    following = StoredLexicon(str(tmp_path), "next", EDGES)
    actual = table(following)
    assert list(actual) == [entry for entry in ENTRIES if entry != (2, 0)]
    for (s, t), probabilities in actual.items():
        at = ENTRIES.index((s, t))
        of_source = sum(forward[i] for i, (x, _) in enumerate(ENTRIES) if x == s)
        of_target = sum(backward[i] for i, (_, y) in enumerate(ENTRIES) if y == t)
        expected = (
            max(FLOOR, forward[at] / of_source),
            max(FLOOR, backward[at] / max(of_target, 1)),
        )
        assert probabilities == pytest.approx(expected, rel=1e-6)
    words = following.words()
    np.testing.assert_allclose(words["null_targets"], [1 / 8, FLOOR, 3 / 8, 4 / 8], rtol=1e-6)
    np.testing.assert_allclose(words["null_sources"], [FLOOR, FLOOR, 0.5, FLOOR, 0.5], rtol=1e-6)
    smoothed = sums["jumps"] + JUMP_PRIOR
    expected_jumps = smoothed / smoothed.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(words["jumps"], expected_jumps, rtol=1e-6)
    sums["jumps"] = np.zeros((2, JUMPS))  # no pair had two words: the jumps stay
    counts[0] = (forward[:2], backward[:2])
    write_next_lexicon(following, counts, sums, "last", write(tmp_path))
    last = StoredLexicon(str(tmp_path), "last", EDGES).words()
    np.testing.assert_array_equal(last["jumps"], words["jumps"])


def test_a_chunk_gets_the_entries_of_its_cells(tmp_path: Path) -> None:
    """Source word 1 has no entry, and the chunk has cells that are no entries."""
    stored = first_lexicon(tmp_path)
    words = ChunkWords(np.array([0, 1, 2, 3, 4], np.int32), np.array([0, 1, 3], np.int32))
    cells = [[0, 2], [0, 1, 2], [0], [0, 1], [2]]  # of each source word, as places of target words
    rows = np.concatenate([[0], np.cumsum([len(row) for row in cells])])
    write(tmp_path)("chunk.rows", rows.astype(np.int64))
    write(tmp_path)("chunk.cells", np.concatenate(cells).astype(np.uint16))
    chunk = load_chunk_lexicon(stored, "chunk", words)
    assert chunk.lexicon.rows.tolist() == [0, 1, 1, 2, 4, 4]
    assert chunk.lexicon.targets.tolist() == [2, 0, 0, 1]  # (0, 3), (2, 0), (3, 0) and (3, 1)
    assert chunk.entries.tolist() == [1, 2, 0, 1] and chunk.edges == [0, 2, 4]
    np.testing.assert_allclose(chunk.lexicon.forward, [1 / 2, 1, 1 / 3, 1 / 3], rtol=1e-6)
    np.testing.assert_allclose(chunk.lexicon.backward, [1, 1 / 2, 1 / 2, 1 / 3], rtol=1e-6)
    np.testing.assert_allclose(chunk.lexicon.null_targets, [1 / 4] * 3)
    np.testing.assert_allclose(chunk.lexicon.null_sources, [1 / 5] * 5)


@pytest.mark.parametrize(
    ("cells", "edges"),
    [(100, [0, 4]), (10, [0, 4]), (9, [0, 2, 4]), (4, [0, 2, 3, 4]), (1, [0, 1, 2, 3, 4])],
)
def test_parts_have_about_the_same_number_of_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells: int, edges: list[int]
) -> None:
    """Source words 0 to 3 have 1, 3, 2 and 3 cells in two chunks."""
    monkeypatch.setattr(chunks, "PART_CELLS", cells)
    for name, ids, rows in (("a", [2, 0], [0, 1, 3]), ("b", [1, 3], [0, 3, 6])):
        write(tmp_path)(f"{name}.source_ids", np.array(ids, np.int32))
        write(tmp_path)(f"{name}.rows", np.array(rows, np.int64))
    done = [TaskResult(name, {}, {}, True) for name in ("a", "b")]
    assert choose_edges(str(tmp_path), done, 4) == edges
    monkeypatch.setattr(chunks, "MAX_PARTS", 2)
    assert len(choose_edges(str(tmp_path), done, 4)) <= 3
