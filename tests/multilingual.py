"""A toy corpus of number words in three languages, and a model for three of its directions."""

from __future__ import annotations

import random
from pathlib import Path

from tests.toy_corpus import SMALL, TRANSFORMER

WORDS = {
    "en": ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"],
    "fr": ["nul", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf"],
    "de": ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"],
}
PAIRS = (("en", "fr"), ("en", "de"), ("fr", "en"))


def write_texts(folder: Path, name: str, count: int) -> None:
    """Write the same sentences in all languages to NAME.en, NAME.fr and NAME.de."""
    draws = random.Random(name)
    sentences = [draws.choices(range(1, 7), k=draws.randint(1, 3)) for _ in range(count)]
    for language, words in WORDS.items():
        lines = (" ".join(words[number] for number in numbers) for numbers in sentences)
        (folder / f"{name}.{language}").write_text("".join(f"{line}\n" for line in lines))


def corpora(folder: Path, name: str) -> str:
    """Return the corpora of all directions in a run file."""
    return "".join(
        f"    - {{files: [{folder}/{name}.{s}, {folder}/{name}.{t}], languages: [{s}, {t}]}}\n"
        for s, t in PAIRS
    )


def run_file(folder: Path, *, valid: bool = True) -> str:
    """Write the corpora and a run file; return its path."""
    write_texts(folder, "train", 300)
    write_texts(folder, "valid", 6)
    data = f"data:\n  vocabulary: 320\n  train:\n{corpora(folder, 'train')}"
    if valid:
        data += f"  valid:\n{corpora(folder, 'valid')}"
    path = folder / "run.yaml"
    path.write_text(f"extends: {TRANSFORMER}\n{data}train: {{guided_alignment: null}}\n")
    return str(path)


def settings(steps: int) -> list[str]:
    """Return the options of `regard train` for a small model."""
    values = [
        "model.embedding_dim=32",
        *(f"model.{setting}".replace("=16", "=32") for setting in SMALL[TRANSFORMER]),
        *(f"model.{part}.dropout=0" for part in ("encoder", "decoder")),
        *(f"model.{part}.norm=post" for part in ("encoder", "decoder")),  # as MarianMT
        "train.batch_tokens=512",
        f"train.steps={steps}",
        f"train.validate_every={steps}",
        f"train.save_every={steps}",
        "train.ema=0",
        "train.optimizer.rate=0.01",
        "search.beam_size=1",
    ]
    return [part for value in values for part in ("--set", value)]
