"""Sentences made of a few words, and worse copies of them, for whatever scores outputs."""

from __future__ import annotations

from random import Random

WORDS = ("the", "a", "cat", "dog", "sits", "barks", "on", "under", "mat", "and", "loudly", ",")


def sentence(random: Random, words: int) -> str:
    return " ".join(random.choice(WORDS) for _ in range(words))


def spoil(random: Random, text: str, share: float) -> str:
    """The text with a share of its words replaced, whatever they were."""
    return " ".join(
        random.choice(WORDS) if random.random() < share else word for word in text.split()
    )
