"""Subword sampling follows the unigram probabilities and is the same in every process."""

from __future__ import annotations

import itertools
import math
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.errors import ConfigError
from regard.text import SentencePiece, normalize
from regard.text.sampling import SubwordSampler

LINES = [
    f"the {a} {b} sleeps under a {c} tree, slowly sleeping"
    for a, b, c in itertools.product(
        ("old", "young", "sleepy", "slow"), ("cat", "dog", "bird", "fox"), ("tall", "small", "old")
    )
]


@pytest.fixture(scope="module")
def tokenizer() -> SentencePiece:
    return SentencePiece.train(LINES, size=340)


def test_samples_depend_on_the_seed_only_and_decode_to_the_same_text(tokenizer) -> None:
    samples = [tokenizer.sample(LINES[:8], alpha=0.2, seed=seed) for seed in (1, 1, 2, 1 << 40)]
    assert samples[0] == samples[1] != samples[2]
    for sample in samples:
        assert [tokenizer.decode(ids) for ids in sample] == LINES[:8]


@settings(max_examples=300, deadline=None)
@given(text=st.text(), seed=st.integers(0, 99), alpha=st.sampled_from([0.0, 0.2, 1.0]))
def test_every_string_can_be_sampled(tokenizer, text: str, seed: int, alpha: float) -> None:
    (ids,) = tokenizer.sample([text], alpha=alpha, seed=seed)
    assert tokenizer.decode(ids) == normalize(text)
    assert not {0, 1, 2, 3} & set(ids)


def test_a_large_alpha_samples_the_most_likely_segmentation(tokenizer) -> None:
    assert tokenizer.sample(LINES, alpha=1e4, seed=0) == tokenizer.encode(LINES)


def test_samples_follow_the_probabilities_of_all_segmentations() -> None:
    """Compares with an enumeration of all segmentations: p ∝ exp(α Σ score)."""
    scores = {"a": -2.0, "b": -2.5, "ab": -3.0, "ba": -3.2, "aba": -4.5, "bab": -4.0}
    pieces = {piece: (i, score) for i, (piece, score) in enumerate(scores.items())}
    word, alpha = "abab", 0.7

    def segmentations(rest: str) -> list[tuple[str, ...]]:
        if not rest:
            return [()]
        return [
            (piece, *others)
            for piece in pieces
            if rest.startswith(piece)
            for others in segmentations(rest[len(piece) :])
        ]

    weights = {s: math.exp(alpha * sum(scores[p] for p in s)) for s in segmentations(word)}
    total = sum(weights.values())
    sampler, generator = SubwordSampler(pieces, range(256)), random.Random(0)
    names = list(pieces)
    counts = Counter(
        tuple(names[i] for i in sampler.sample(word, alpha, generator)) for _ in range(20_000)
    )
    assert set(counts) == set(weights)
    for segmentation, weight in weights.items():
        assert counts[segmentation] / 20_000 == pytest.approx(weight / total, abs=0.012)


def test_another_process_samples_the_same(tokenizer, tmp_path: Path) -> None:
    """SentencePiece's own sampler does not."""
    tokenizer.save(tmp_path)
    code = (
        "from pathlib import Path; from regard.text import SentencePiece\n"
        f"t = SentencePiece.load(Path({str(tmp_path)!r}))\n"
        f"print(t.sample({LINES[:5]!r}, alpha=0.1, seed=7))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(tokenizer.sample(LINES[:5], alpha=0.1, seed=7))


def test_sampling_from_a_bpe_vocabulary_is_refused() -> None:
    bpe = SentencePiece.train(LINES, size=340, kind="bpe")
    with pytest.raises(ConfigError, match="unigram"):
        bpe.sample(LINES[:1], alpha=0.1, seed=0)
