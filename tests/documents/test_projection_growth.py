"""The time to project markup grows with the number of elements, whatever the links are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from regard.documents.marked_text import AlignedTranslation
from regard.text.words import split_words
from tests.documents.identity import SPOILED, translate_document
from tests.growth.measure import Work, measure_growth
from tests.growth.stage_clock import StageClock

SENTENCE = 20  # words that are aligned at once

HOSTILE: dict[str, Callable[[int], str]] = {
    "one word": lambda n: "<b>a</b>" * n,
    "words": lambda n: "<b>a</b> " * n,
    "different words": lambda n: " ".join(f"<b>w{k} w{k // 2}</b>" for k in range(n)),
    "nested": lambda n: ("<b>" * 20 + "a " + "</b> c " * 20) * (n // 20),
    "empty": lambda n: "a <b></b> " * n,
    "breaks": lambda n: "a<br>" * n,
    "crossing": lambda n: "<b>a <i>b</b> c</i> " * n,
    "placeholders": lambda n: " ".join(f"{{a{k}}} word" for k in range(n)),
    "one placeholder": lambda n: "{a} word " * n,
    "placeholders in a word": lambda n: "word{a}" * n,
    "code": lambda n: "`x y` word " * n,
    "soft hyphens": lambda n: "a\u00ad" * n,
    "a large one and small ones": lambda n: f"<i>{'a ' * n}</i> {'<b>a</b> ' * n}",
}


def links(text: str, kind: str) -> AlignedTranslation:
    """Capitals, with the right links or others of the same number, in parts of a few words."""
    words, random = split_words(text), np.random.default_rng(0)
    parts = []
    for start in range(0, len(words), SENTENCE):
        size = min(SENTENCE, len(words) - start)
        part = np.eye(size, size + 1, dtype=np.float32)
        if kind == "none":
            part[:] = 0
        elif kind == "partial":
            part[random.random(size) < 0.5] = 0
        elif kind == "shuffled":
            part = part[random.permutation(size)]
        elif kind == "dense":
            part = random.random(part.shape, np.float32) / size
        parts.append(part)
    return AlignedTranslation(text.upper(), words, words, parts)


def prepare(name: str, kind: str, size: int) -> Work:
    content = ('{"a": "x ' + HOSTILE[name](size) + '"}').encode()

    def work() -> None:
        translate_document("json", content, lambda text: links(text, kind))

    return work


def growth_errors(name: str, kind: str, size: int) -> list[str]:
    return measure_growth(name, lambda n: prepare(name, kind, n), size, StageClock()).errors


@pytest.mark.parametrize("kind", ["right", "shuffled"])
@pytest.mark.parametrize("name", HOSTILE)
def test_projection_takes_linear_time(name: str, kind: str) -> None:
    assert growth_errors(name, kind, 20) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["right", *SPOILED])
@pytest.mark.parametrize("name", HOSTILE)
def test_projection_of_large_texts_takes_linear_time(name: str, kind: str) -> None:
    assert growth_errors(name, kind, 400) == []
