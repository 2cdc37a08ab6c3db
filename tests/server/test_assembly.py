"""The translation of a text is assembled from the hypotheses of its segments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regard.inference.engine import Splitting
from regard.serve.assembly import assemble, assemble_aligned
from regard.serve.document_worker import read_translation
from regard.serve.frames import encode_weights
from regard.serve.limits import CheckedRequest, RequestSegment
from regard.serve.schemas import TranslateRequest
from tests.server.served_model import served_model

TEXT = "Ein Hund.\n\nZwei  Katzen."
SPANS = [(0, 9), (11, 24)]
ALIGNMENTS = [
    {"source": [(0, 3), (4, 8)], "target": [(0, 1), (2, 5)], "links": [(0, 0), (1, 1)]},
    {"source": [(0, 4), (6, 12)], "target": [(0, 3), (4, 8)], "links": [(0, 0), (1, 1)]},
]
WEIGHTS = [np.arange(6, dtype=np.float32).reshape(2, 3) / 15, np.eye(2, 3, dtype=np.float32)]


def checked(**options: Any) -> CheckedRequest:
    segments = [
        RequestSegment((1, i), span, TEXT[slice(*span)], 4, "") for i, span in enumerate(SPANS)
    ]
    request = TranslateRequest(texts=["x", TEXT], **options)
    model = served_model(length_penalty=0.5, splitting=Splitting(5, 5))
    return CheckedRequest(request, model, [[], segments], 5, None)


def hypotheses(*texts: str, score: float, length: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {"text": text, "score": score - rank, "length": length, **more}
        for rank, text in enumerate(texts)
    ]


FIRST = hypotheses("A dog.", "One dog.", "Dog.", score=-1.0, length=4)
SECOND = hypotheses("Two cats.", "Cats.", score=-0.5, length=9)


def test_segments_are_joined_by_the_space_between_them() -> None:
    whole = assemble(checked(), 1, [FIRST, SECOND])
    assert whole.text == "A dog.\n\nTwo cats."
    # scores are sums of log p divided by length^0.5
    assert whole.score == pytest.approx((-1.0 * 4**0.5 - 0.5 * 9**0.5) / 13**0.5)
    assert (whole.alignment, whole.warnings, whole.unaligned, whole.n_best) == (None, [], [], [])
    other = assemble(checked(length_penalty=2.0), 1, [FIRST, SECOND])
    assert other.score == pytest.approx((-1.0 * 4**2 - 0.5 * 9**2) / 13**2)
    none = assemble(checked(length_penalty=0.0), 1, [FIRST, SECOND])
    assert none.score == pytest.approx(-1.5)
    empty = assemble(checked(), 0, [])
    assert (empty.text, empty.score) == ("", 0.0)


def test_ranks_combine_the_hypotheses_of_the_same_rank() -> None:
    whole = assemble(checked(n_best=2), 1, [FIRST, SECOND])
    assert [each.text for each in whole.n_best] == ["A dog.\n\nTwo cats.", "One dog.\n\nCats."]
    assert whole.text == whole.n_best[0].text and whole.score == whole.n_best[0].score
    # a segment with fewer hypotheses repeats its last; there are no more than the longest list has
    many = assemble(checked(n_best=5), 1, [FIRST, SECOND])
    assert [each.text for each in many.n_best][2:] == ["Dog.\n\nCats."]
    assert len(assemble(checked(n_best=5), 1, [SECOND, FIRST]).n_best) == 3


def test_alignments_are_those_of_the_whole_text() -> None:
    found = [
        hypotheses("A dog.", score=-1.0, length=1, alignment=ALIGNMENTS[0]),
        hypotheses("Two cats.", score=-1.0, length=1, alignment=ALIGNMENTS[1]),
    ]
    alignment = assemble(checked(alignments=True), 1, found).alignment
    assert alignment is not None
    assert [TEXT[a:b] for a, b in alignment.source] == ["Ein", "Hund", "Zwei", "Katzen"]
    joined = "A dog.\n\nTwo cats."
    assert [joined[a:b] for a, b in alignment.target] == ["A", "dog", "Two", "cats"]
    assert alignment.links == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_warnings_name_words_of_the_whole_text_and_reasons_once() -> None:
    found = [
        hypotheses("x", "y", score=-1.0, length=1, reasons=["repeats"], unattended=[(4, 8)]),
        hypotheses("z", score=-1.0, length=1, reasons=["omits", "repeats"], unattended=[(0, 4)]),
    ]
    whole = assemble(checked(quality=True), 1, found)
    assert [TEXT[a:b] for a, b in whole.unaligned] == ["Hund", "Zwei"]
    assert whole.warnings == [
        "Check the translation: repeats.",
        "Check the translation: omits.",
        "Source words without a counterpart: Hund Zwei.",
    ]


def test_documents_get_the_weights_of_each_segment() -> None:
    found = [
        hypotheses(
            text, "other", score=-1.0, length=1, alignment=part, weights=encode_weights(weights)
        )
        for text, part, weights in zip(("A dog.", "Two cats."), ALIGNMENTS, WEIGHTS, strict=True)
    ]
    aligned = read_translation(assemble_aligned(checked(alignments=True), 1, found))
    assert aligned.text == "A dog.\n\nTwo cats." and aligned.parts is not None
    for actual, expected in zip(aligned.parts, WEIGHTS, strict=True):
        np.testing.assert_array_equal(actual, expected)
    empty = {"source": [(0, 3), (4, 8)], "target": [], "links": []}
    found[0] = hypotheses("", score=-1.0, length=1, alignment=empty, weights="")
    parts = read_translation(assemble_aligned(checked(), 1, found)).parts or ()
    assert [part.shape for part in parts] == [(0, 3), (2, 3)]
    found[0][0]["reasons"] = ["omits"]
    omitting = read_translation(assemble_aligned(checked(), 1, found))
    assert omitting.warnings == ("Check the translation: omits.",)


def test_documents_without_alignments_have_texts_and_warnings() -> None:
    found = [[each | {"reasons": ["omits"]} for each in FIRST], SECOND]
    plain = read_translation(assemble_aligned(checked(), 1, found))
    assert plain.text == "A dog.\n\nTwo cats." and plain.parts is None and not plain.source_words
    assert plain.warnings == ("Check the translation: omits.",)
