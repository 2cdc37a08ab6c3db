"""A small English–German corpus of phrases, with sentence pairs that all differ."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

PHRASES = (
    "the dog=der Hund, the man=der Mann, a woman=eine Frau, my brother=mein Bruder, it=es",
    "runs=läuft, sleeps=schläft, sings=singt, waits=wartet, works=arbeitet, laughs=lacht",
    "in the garden=im Garten, at home=zu Hause, in the city=in der Stadt, at school=in der Schule",
    "today=heute, tomorrow=morgen, every day=jeden Tag, again=wieder, on Monday=am Montag",
)
SETS = {"train": 500, "valid": 20, "test": 20, "mine": 60}  # of 5 · 6 · 4 · 5 sentences


def write_phrases(folder: Path) -> None:
    """Write train.en, train.de and so on."""
    words = [[pair.split("=") for pair in phrases.split(", ")] for phrases in PHRASES]
    pairs = list(itertools.product(*words))
    random.Random(1).shuffle(pairs)
    for name, count in SETS.items():
        chosen, pairs = pairs[:count], pairs[count:]
        for side, language in enumerate(("en", "de")):
            lines = [" ".join(phrase[side] for phrase in pair) + ".\n" for pair in chosen]
            (folder / f"{name}.{language}").write_text("".join(lines), encoding="utf-8")
