"""Alarms: what is usual for a model is learnt; what is not is told, with its reason."""

from __future__ import annotations

import random

import pytest
import torch

from regard.align.extraction import WordAlignment
from regard.align.tokenized_text import TokenizedText
from regard.evaluate.quality import (
    FLAGGED,
    QualityThresholds,
    assess_quality,
    calibrate_thresholds,
    measure_features,
)
from regard.text.tokenizer import TokenizedPieces
from regard.text.words import split_words

SURE = -0.1


def text(raw: str) -> TokenizedText:
    return TokenizedText(raw, TokenizedPieces((), (), ()), split_words(raw))


def pair(source: str, target: str, links: dict[int, int] | None = None) -> WordAlignment:
    """Each target word looks at the source word of its place, unless `links` says otherwise."""
    read, said = text(source), text(target)
    weights = torch.zeros(len(said.words), len(read.words) + 1)
    for j in range(len(said.words)):
        weights[j, (links or {}).get(j, min(j, len(read.words)))] = 1.0
    return WordAlignment(read, said, weights, frozenset())


@pytest.fixture(scope="module")
def bounds() -> QualityThresholds:
    chance = random.Random(1)
    signs = []
    for _ in range(1_000):
        words_ = [chance.choice("abcdefghij") * chance.randint(2, 8) for _ in range(12)]
        said = [word.upper() for word in words_]
        logps = [-abs(chance.gauss(0.2, 0.2)) for _ in range(13)]
        signs.append(measure_features(pair(" ".join(words_), " ".join(said)), logps))
    return calibrate_thresholds(signs)


SOURCE = "one two three four five six seven eight"
GOOD = "eins zwo drei vier fünf sechs sieben acht"


def test_what_is_usual_is_not_flagged(bounds: QualityThresholds) -> None:
    alarm = assess_quality(bounds, pair(SOURCE, GOOD), [SURE] * 9)
    assert not alarm.needs_review and alarm.reasons == () and alarm.unattended == ()


def test_a_loop_is_told(bounds: QualityThresholds) -> None:
    alarm = assess_quality(
        bounds, pair(SOURCE, "eins zwo drei eins zwo drei eins zwo drei"), [SURE] * 10
    )
    assert alarm.needs_review and "it repeats itself" in alarm.reasons


def test_what_the_source_repeats_may_be_repeated(bounds: QualityThresholds) -> None:
    alarm = assess_quality(
        bounds, pair("very very very very old", "sehr sehr sehr sehr alt"), [SURE] * 6
    )
    assert "it repeats itself" not in alarm.reasons


def test_words_that_nothing_looked_at_are_named(bounds: QualityThresholds) -> None:
    looks = dict.fromkeys(range(8), 0)
    alarm = assess_quality(bounds, pair(SOURCE, GOOD, looks), [SURE] * 9)
    assert alarm.needs_review and "source words in a row were never looked at" in alarm.reasons
    assert [SOURCE[a:b] for a, b in alarm.unattended] == SOURCE.split()[1:]


def test_an_unlikely_end_is_told(bounds: QualityThresholds) -> None:
    alarm = assess_quality(bounds, pair(SOURCE, GOOD), [SURE] * 8 + [-9.0])
    assert "one word, or its end, is very unlikely" in alarm.reasons


def test_what_is_too_short_is_told(bounds: QualityThresholds) -> None:
    alarm = assess_quality(bounds, pair(SOURCE * 3, "eins zwo"), [SURE] * 3)
    assert "it is short for its source" in alarm.reasons


def test_of_what_it_was_learnt_from_few_are_flagged(bounds: QualityThresholds) -> None:
    assert bounds.threshold >= 1
    assert 0 < FLAGGED < 0.05


def test_an_empty_translation_of_an_empty_text_is_no_reason_to_alarm(
    bounds: QualityThresholds,
) -> None:
    assert not assess_quality(bounds, pair("", ""), [SURE]).needs_review
