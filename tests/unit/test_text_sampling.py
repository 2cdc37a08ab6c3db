"""Subword sampling: drawn by the model's own probabilities, and the same in every process."""

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


def test_samples_vary_with_the_seed_alone_and_decode_to_the_same_text(tokenizer) -> None:
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


def test_the_likeliest_way_alone_is_what_encode_gives(tokenizer) -> None:
    assert tokenizer.sample(LINES, alpha=1e4, seed=0) == tokenizer.encode(LINES)


def test_draws_follow_the_probabilities_of_all_ways() -> None:
    """Against an enumeration of every way to cut a word: p ∝ exp(α Σ score)."""
    scores = {"a": -2.0, "b": -2.5, "ab": -3.0, "ba": -3.2, "aba": -4.5, "bab": -4.0}
    pieces = {piece: (i, score) for i, (piece, score) in enumerate(scores.items())}
    word, alpha = "abab", 0.7

    def ways(rest: str) -> list[tuple[str, ...]]:
        if not rest:
            return [()]
        return [(p, *w) for p in pieces if rest.startswith(p) for w in ways(rest[len(p) :])]

    weights = {w: math.exp(alpha * sum(scores[p] for p in w)) for w in ways(word)}
    total = sum(weights.values())
    cutter, draws = SubwordSampler(pieces, range(256)), random.Random(0)
    names = list(pieces)
    often = Counter(
        tuple(names[i] for i in cutter.sample(word, alpha, draws)) for _ in range(20_000)
    )
    assert set(often) == set(weights)
    for way, weight in weights.items():
        assert often[way] / 20_000 == pytest.approx(weight / total, abs=0.012)


def test_another_process_draws_the_same(tokenizer, tmp_path: Path) -> None:
    """What SentencePiece's own sampling does not do."""
    tokenizer.save(tmp_path)
    code = (
        "from pathlib import Path; from regard.text import SentencePiece\n"
        f"t = SentencePiece.load(Path({str(tmp_path)!r}))\n"
        f"print(t.sample({LINES[:5]!r}, alpha=0.1, seed=7))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(tokenizer.sample(LINES[:5], alpha=0.1, seed=7))


def test_a_bpe_vocabulary_has_nothing_to_draw_by() -> None:
    bpe = SentencePiece.train(LINES, size=340, kind="bpe")
    with pytest.raises(ConfigError, match="unigram"):
        bpe.sample(LINES[:1], alpha=0.1, seed=0)
