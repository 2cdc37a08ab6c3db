"""The word aligner: its links, its kernel, and training that can be interrupted."""

from __future__ import annotations

import gzip
from pathlib import Path
from random import Random

import numpy as np
import pytest

from regard.align import aligner_training
from regard.align.aligner_training import train_aligner
from regard.align.chunks import corpus_readers
from regard.align.hmm import Lexicon, reference_counts, reference_posteriors
from regard.align.kernels import native_hmm
from regard.align.word_aligner import (
    MAX_HMM_WORDS,
    WordAligner,
    aligner_words,
    encode_pairs,
    to_links,
)
from regard.data import storage
from regard.data.formats import files
from regard.data.formats.corpus import open_corpus
from regard.data.preparation.runner import InProcessRunner, ProcessRunner
from regard.errors import ArtifactError, CorpusError

WORDS = 60
needs_kernel = pytest.mark.skipif(native_hmm._native is None, reason="there is no native kernel")


def make_corpus(folder: Path, pairs: int = 1_500) -> list[set[tuple[int, int]]]:
    """Sentences of which neighbors are sometimes swapped; `uh` has no counterpart."""
    random = Random(7)
    sources, targets, links = [], [], []
    for _ in range(pairs):
        words = [random.randrange(WORDS) for _ in range(random.randint(2, 12))]
        order = list(range(len(words)))
        for i in range(0, len(order) - 1, 2):
            if random.random() < 0.3:
                order[i], order[i + 1] = order[i + 1], order[i]
        target: list[str] = []
        pair = set()
        for i in order:
            if random.random() < 0.15:
                target.append("uh")
            pair.add((i, len(target)))
            target.append(f"t{words[i]}")
        sources.append(" ".join(f"s{word}" for word in words))
        targets.append(" ".join(target))
        links.append(pair)
    for name, lines in (("source", sources), ("target", targets)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return links


def train(
    folder: Path, work: str = "work", runner=None, suffix: str = "", **options
) -> WordAligner:
    corpus = open_corpus(str(folder / f"source{suffix}"), str(folder / f"target{suffix}"))
    work, runner = str(folder / work), runner or InProcessRunner()
    return train_aligner(corpus_readers(corpus, work, runner), work, runner, **options)


def read_pairs(folder: Path) -> list[tuple[list[str], list[str]]]:
    sides = [(folder / name).read_text().splitlines() for name in ("source", "target")]
    return [(aligner_words(s), aligner_words(t)) for s, t in zip(*sides, strict=True)]


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> tuple[Path, WordAligner, list[set[tuple[int, int]]]]:
    folder = tmp_path_factory.mktemp("aligner")
    gold = make_corpus(folder)
    return folder, train(folder), gold


def test_it_finds_the_dictionary_and_leaves_fillers_unlinked(trained) -> None:
    folder, aligner, gold = trained
    found = aligner.links(read_pairs(folder))
    right = sum(len(links & expected) for links, expected in zip(found, gold, strict=True))
    made, all_gold = sum(map(len, found)), sum(map(len, gold))
    assert right / made > 0.99 and right / all_gold > 0.97


@needs_kernel
@pytest.mark.parametrize("model", ["ibm1", "hmm"])
def test_the_native_kernel_equals_numpy(trained, model) -> None:
    folder, aligner, _ = trained
    pairs = read_pairs(folder)[:100]
    pairs[3] = ([], pairs[3][1])
    pairs[5] = (["unknown", *pairs[5][0]], ["never", "seen"])
    encoded = encode_pairs(pairs, aligner.sources, aligner.targets)
    native = native_hmm.posteriors(aligner.lexicon, encoded, model)
    expected = reference_posteriors(aligner.lexicon, encoded, model)
    for one, other in zip(native, expected, strict=True):
        for a, b in zip(one, other, strict=True):
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, atol=1e-3)
        assert to_links(sum(one) / 2) == to_links(sum(other) / 2)
    for agree in (False, True):
        counts = native_hmm.expected_counts(aligner.lexicon, encoded, model, agree=agree)
        reference = reference_counts(aligner.lexicon, encoded, model, agree=agree)
        for name in counts.__slots__:
            a, b = getattr(counts, name), getattr(reference, name)
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=2e-2, err_msg=name)


def test_training_without_the_kernel_gives_the_same_links(trained, tmp_path, monkeypatch) -> None:
    make_corpus(tmp_path, pairs=200)
    with_kernel = train(tmp_path)
    monkeypatch.setattr(native_hmm, "_native", None)
    without = train(tmp_path, "numpy")
    pairs = read_pairs(tmp_path)
    same = [a == b for a, b in zip(with_kernel.links(pairs), without.links(pairs), strict=True)]
    assert sum(same) / len(same) > 0.99


@pytest.fixture
def small_chunks(monkeypatch) -> None:
    monkeypatch.setattr("regard.align.chunks.PAIRS", 300)


def test_every_number_of_workers_gives_the_same_bytes(trained, tmp_path, small_chunks) -> None:
    make_corpus(tmp_path)
    alone = train(tmp_path, "alone").to_bytes()
    with ProcessRunner(2) as runner:
        assert train(tmp_path, "two", runner).to_bytes() == alone


def test_a_training_killed_at_any_file_resumes_to_the_same_bytes(tmp_path, monkeypatch) -> None:
    """It is killed at every 23rd file that it writes or removes, within all stages and between."""
    monkeypatch.setattr("regard.align.chunks.PAIRS", 40)
    make_corpus(tmp_path, pairs=120)
    whole = train(tmp_path, "whole").to_bytes()
    write, remove = storage.write_bytes, storage.remove_file
    before_kill = 0

    def count_file(path: str) -> None:
        nonlocal before_kill
        before_kill -= "_ids" not in path  # these are written again by every run
        if before_kill < 0:
            raise KeyboardInterrupt

    def write_some(path: str, content: bytes) -> None:
        count_file(path)
        write(path, content)

    def remove_some(path: str) -> None:
        count_file(path)
        remove(path)

    monkeypatch.setattr(storage, "write_bytes", write_some)
    monkeypatch.setattr(storage, "remove_file", remove_some)
    for _ in range(50):
        before_kill = 23
        try:
            resumed = train(tmp_path, "killed")
        except KeyboardInterrupt:
            continue
        break
    assert resumed.to_bytes() == whole
    left = {path.name.split("-")[0] for path in (tmp_path / "killed").iterdir()}
    assert left <= {"cut.json", "chunk", "cells", "lexicon"}  # counts and sums are removed


def test_compressed_files_are_read_once_and_give_the_same_bytes(
    tmp_path, small_chunks, monkeypatch
) -> None:
    make_corpus(tmp_path)
    plain = train(tmp_path, "plain").to_bytes()
    for name in ("source", "target"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    opened = []
    monkeypatch.setattr(
        files, "open_binary", lambda path, of=files.open_binary: opened.append(path) or of(path)
    )
    assert train(tmp_path, "compressed", suffix=".gz").to_bytes() == plain
    assert sorted(opened) == [str(tmp_path / "source.gz"), str(tmp_path / "target.gz")]


def test_saved_and_loaded_it_gives_the_same_posteriors(trained, tmp_path) -> None:
    folder, aligner, _ = trained
    aligner.save(tmp_path / "aligner.safetensors")
    loaded = WordAligner.load(tmp_path / "aligner.safetensors")
    pairs = read_pairs(folder)[:50]
    for a, b in zip(aligner.posteriors(pairs), loaded.posteriors(pairs), strict=True):
        np.testing.assert_array_equal(a, b)
    assert loaded.facts["pairs"] == 1_500 and loaded.to_bytes() == aligner.to_bytes()


@pytest.mark.parametrize("cut", [0, 7, 100, -1])
def test_a_truncated_file_is_refused(trained, tmp_path, cut) -> None:
    path = tmp_path / "aligner.safetensors"
    path.write_bytes(trained[1].to_bytes()[:cut])
    with pytest.raises(ArtifactError, match="aligner"):
        WordAligner.load(path)


@pytest.mark.parametrize(
    ("field", "place", "value"),
    [("targets", 0, 1 << 30), ("targets", 0, -5), ("rows", 1, -1), ("forward", 0, np.nan)],
)
def test_numbers_out_of_range_are_refused(trained, tmp_path, field, place, value) -> None:
    _, aligner, _ = trained
    arrays = {name: getattr(aligner.lexicon, name).copy() for name in Lexicon.__slots__}
    arrays[field][place] = value
    damaged = WordAligner(aligner.sources, aligner.targets, Lexicon(**arrays), {})
    damaged.save(tmp_path / "aligner.safetensors")
    with pytest.raises(ArtifactError, match="not a word aligner"):
        WordAligner.load(tmp_path / "aligner.safetensors")


@needs_kernel
def test_arrays_that_do_not_fit_never_reach_the_kernel(trained) -> None:
    _, aligner, _ = trained
    encoded = encode_pairs([(["s1"], ["t1"])], aligner.sources, aligner.targets)
    encoded.source[0] = 1 << 20
    with pytest.raises(ValueError, match="do not fit together"):
        native_hmm.posteriors(aligner.lexicon, encoded)


def test_long_pairs_are_aligned_by_model_1(trained) -> None:
    _, aligner, _ = trained
    words = [n % WORDS for n in range(MAX_HMM_WORDS + 1)]
    long = [f"s{n}" for n in words], [f"t{n}" for n in words]
    short = ["s1", "s2"], ["t2", "t1"]
    first, second, third = aligner.posteriors([short, long, short])
    np.testing.assert_array_equal(first, third)
    assert second.shape == (len(words), len(words))
    assert to_links(first) == {(0, 1), (1, 0)}


def test_empty_sides_have_no_links(trained) -> None:
    _, aligner, _ = trained
    assert aligner.links([([], []), (["s1"], []), ([], ["t1"])]) == [frozenset()] * 3
    assert aligner.links([]) == []


def test_a_corpus_without_words_is_refused(tmp_path) -> None:
    for name in ("source", "target"):
        (tmp_path / name).write_text("\n\n")
    with pytest.raises(CorpusError, match="no pairs"):
        train(tmp_path)


def test_pairs_that_are_too_long_to_train_on_are_counted(tmp_path, monkeypatch) -> None:
    make_corpus(tmp_path, pairs=100)
    monkeypatch.setattr(aligner_training, "MAX_TRAINING_WORDS", 6)
    facts = train(tmp_path).facts
    assert facts["pairs"] + facts["skipped"] == 100 and facts["skipped"] > 10
