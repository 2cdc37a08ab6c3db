"""Identification of the language of a text, with its accuracy on Tatoeba and Multi30k."""

from __future__ import annotations

import gzip
import subprocess
import sys
from itertools import islice

import pytest

from regard.text.languages import known_languages, language_probabilities, probability_of
from tests.conftest import DATA

CORPORA = {"en": "tatoeba-en-fr", "fr": "tatoeba-en-fr", "de": "multi30k"}


def read(language: str, count: int) -> list[str]:
    path = DATA / CORPORA[language] / f"train.{language}.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in islice(file, count)]


def test_probabilities_of_known_languages() -> None:
    probabilities = language_probabilities("Wir gehen morgen mit den Kindern in den Wald.")
    assert set(probabilities) == known_languages() >= {"en", "de", "fr", "cs", "ja"}
    assert next(iter(probabilities)) == "de" and probability_of("de", probabilities) > 0.9
    assert sum(probabilities.values()) == pytest.approx(1, abs=1e-3)
    assert probability_of("tlh", probabilities) == 0
    norwegian = language_probabilities("Jeg vet ikke hva jeg skal gjøre med alle disse bøkene.")
    assert probability_of("nb", norwegian) == probability_of("no", norwegian) > 0.5


@pytest.mark.parametrize("text", ["", " ", "123", "…", "🙂", "\ud800"])
def test_a_text_without_letters_has_no_language(text: str) -> None:
    assert max(language_probabilities(text).values()) < 0.1


def test_the_model_is_loaded_when_it_is_needed() -> None:
    code = (
        "import regard.serve.app, regard.data.doctor.examine\n"
        "from regard.text.languages import _load, known_languages\n"
        "before = _load.cache_info().currsize\n"
        "known_languages()\n"
        "print(before, _load.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "0 1\n", done.stderr


@pytest.mark.skipif(not (DATA / "multi30k").is_dir(), reason=f"no corpora at {DATA}")
def test_most_short_sentences_are_identified() -> None:
    """Of 500 sentences of each language, among the three; docs/experiments.md has more."""
    correct = {}
    for language in CORPORA:
        lines = read(language, 500)
        guesses = [
            max(CORPORA, key=lambda code: probability_of(code, probabilities))
            for probabilities in map(language_probabilities, lines)
        ]
        correct[language] = guesses.count(language)
    assert min(correct.values()) >= 498, correct
