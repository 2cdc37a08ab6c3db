"""Quality warnings: calibration, scores and reasons."""

from __future__ import annotations

import random

import numpy as np
import pytest

from regard.align.tokenized_text import TokenizedText
from regard.align.word_alignment import WordAlignment
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
    """Each target word attends to the source word at its index, or to that given by `links`."""
    sources, targets = text(source), text(target)
    weights = np.zeros((len(targets.words), len(sources.words) + 1), np.float32)
    for j in range(len(targets.words)):
        weights[j, (links or {}).get(j, min(j, len(sources.words)))] = 1.0
    return WordAlignment(sources, targets, (weights,), frozenset())


@pytest.fixture(scope="module")
def thresholds() -> QualityThresholds:
    generator = random.Random(1)
    features = []
    for _ in range(1_000):
        words = [generator.choice("abcdefghij") * generator.randint(2, 8) for _ in range(12)]
        output = [word.upper() for word in words]
        logps = [-abs(generator.gauss(0.2, 0.2)) for _ in range(13)]
        features.append(measure_features(pair(" ".join(words), " ".join(output)), logps))
    return calibrate_thresholds(features)


SOURCE = "one two three four five six seven eight"
GOOD = "eins zwo drei vier fünf sechs sieben acht"


def test_a_good_translation_needs_no_review(thresholds: QualityThresholds) -> None:
    report = assess_quality(thresholds, pair(SOURCE, GOOD), [SURE] * 9)
    assert not report.needs_review and report.reasons == () and report.unattended == ()


def test_repetition_is_reported(thresholds: QualityThresholds) -> None:
    report = assess_quality(
        thresholds, pair(SOURCE, "eins zwo drei eins zwo drei eins zwo drei"), [SURE] * 10
    )
    assert report.needs_review and "repeated words" in report.reasons


def test_repetition_of_the_source_is_not_reported(thresholds: QualityThresholds) -> None:
    report = assess_quality(
        thresholds, pair("very very very very old", "sehr sehr sehr sehr alt"), [SURE] * 6
    )
    assert "repeated words" not in report.reasons


def test_unattended_words_are_reported(thresholds: QualityThresholds) -> None:
    links = dict.fromkeys(range(8), 0)
    report = assess_quality(thresholds, pair(SOURCE, GOOD, links), [SURE] * 9)
    assert report.needs_review and "consecutive source words have no attention" in report.reasons
    assert [SOURCE[a:b] for a, b in report.unattended] == SOURCE.split()[1:]


def test_an_unlikely_end_is_reported(thresholds: QualityThresholds) -> None:
    report = assess_quality(thresholds, pair(SOURCE, GOOD), [SURE] * 8 + [-9.0])
    assert "one token or the end is very unlikely" in report.reasons


def test_a_short_translation_is_reported(thresholds: QualityThresholds) -> None:
    report = assess_quality(thresholds, pair(SOURCE * 3, "eins zwo"), [SURE] * 3)
    assert "short for its source" in report.reasons


def test_few_calibration_translations_are_flagged(thresholds: QualityThresholds) -> None:
    assert thresholds.threshold >= 1
    assert 0 < FLAGGED < 0.05


def test_an_empty_translation_of_an_empty_text_needs_no_review(
    thresholds: QualityThresholds,
) -> None:
    assert not assess_quality(thresholds, pair("", ""), [SURE]).needs_review
