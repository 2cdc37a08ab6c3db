"""Random sentences and corrupted copies of them, for tests of metrics."""

from __future__ import annotations

from random import Random

WORDS = ("the", "a", "cat", "dog", "sits", "barks", "on", "under", "mat", "and", "loudly", ",")


def sentence(random: Random, words: int) -> str:
    return " ".join(random.choice(WORDS) for _ in range(words))


def corrupt(random: Random, text: str, share: float) -> str:
    """Replace a share of the words by random ones."""
    return " ".join(
        random.choice(WORDS) if random.random() < share else word for word in text.split()
    )
