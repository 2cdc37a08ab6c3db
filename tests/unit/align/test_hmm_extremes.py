"""The native kernel and NumPy compute the same posteriors and counts on extreme parameters too."""

from __future__ import annotations

import numpy as np
import pytest

from regard.align.hmm import (
    FLOOR,
    JUMPS,
    Lexicon,
    Model,
    WordPairs,
    reference_counts,
    reference_posteriors,
)
from regard.align.kernels import native_hmm

EXAMPLES = 60
pytestmark = pytest.mark.skipif(native_hmm._native is None, reason="there is no native kernel")


def extreme_values(random: np.random.Generator, *shape: int) -> np.ndarray:
    """Probabilities of all sizes from FLOOR to 1, most of them at one of the ends."""
    values = 10.0 ** random.uniform(np.log10(FLOOR), 0, shape)
    ends = random.random(shape)
    values[ends < 0.4] = FLOOR
    values[ends > 0.8] = 1.0
    return values.astype(np.float32)


def extreme_lexicon(random: np.random.Generator, sources: int, targets: int) -> Lexicon:
    present = random.random((sources, targets)) < random.choice([0.1, 0.5, 1.0])
    count = int(present.sum())
    jumps = extreme_values(random, 2, JUMPS)
    return Lexicon(
        rows=np.concatenate([[0], np.cumsum(present.sum(axis=1))]),
        targets=np.nonzero(present)[1].astype(np.int32),
        forward=extreme_values(random, count),
        backward=extreme_values(random, count),
        null_targets=extreme_values(random, targets),
        null_sources=extreme_values(random, sources),
        jumps=(jumps / jumps.sum(axis=1, keepdims=True)).astype(np.float32),
    )


def extreme_pairs(random: np.random.Generator, sources: int, targets: int) -> WordPairs:
    """Pairs of one word to a hundred; some words are unknown."""
    lengths = [random.choice([1, 2, 5, 20, 100], size=4) for _ in range(2)]
    texts = [
        random.integers(-1, size, int(each.sum())).astype(np.int32)
        for each, size in zip(lengths, (sources, targets), strict=True)
    ]
    source_ends, target_ends = (np.cumsum(each).astype(np.int64) for each in lengths)
    return WordPairs(texts[0], texts[1], source_ends, target_ends)


@pytest.mark.parametrize("model", ["ibm1", "hmm"])
@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_the_kernel_equals_numpy_on_extreme_parameters(seed: int, model: Model) -> None:
    random = np.random.default_rng(seed)
    sources, targets = random.integers(1, 30, 2).tolist()
    lexicon = extreme_lexicon(random, sources, targets)
    pairs = extreme_pairs(random, sources, targets)
    native = native_hmm.posteriors(lexicon, pairs, model)
    expected = reference_posteriors(lexicon, pairs, model)
    for found, wanted in zip(native, expected, strict=True):
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-3)
    counts = native_hmm.expected_counts(lexicon, pairs, model, agree=False)
    reference = reference_counts(lexicon, pairs, model, agree=False)
    for name in counts.__slots__:
        np.testing.assert_allclose(
            getattr(counts, name), getattr(reference, name), rtol=2e-3, atol=2e-2, err_msg=name
        )
