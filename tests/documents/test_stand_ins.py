"""Placeholder codes of kept texts: the model's input, and the restored text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from regard.documents.formats.strings import mark_string
from regard.documents.marked_text import (
    AlignedTranslation,
    InlineElement,
    MarkedText,
    render_markup,
)
from regard.documents.placeholders import hide_kept_texts, protect_placeholders, replace_ranges
from regard.documents.sandbox import SandboxReader
from regard.tasks.translation.documents import DocumentJob
from regard.text.words import split_words


def hidden(text: str) -> tuple[str, dict[str, str]]:
    marked, texts = hide_kept_texts(protect_placeholders(mark_string(text)))
    return marked.text, texts


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("See :func:`print` and {name}.", "See K1Z and K2Z."),
        ("KZ: see {name}.", "KZ: see Q1X."),
        ("{count}th of {a}{b}", "{count}th of K1Z{b}"),
        ("a `from<raise>` clause", "a K1Z clause"),
        ("nothing", "nothing"),
    ],
)
def test_the_text_that_is_sent(text: str, sent: str) -> None:
    assert hidden(text)[0] == sent


def test_elements_move_with_the_text() -> None:
    marked = MarkedText(
        "a {long} b", (InlineElement(0, 8, "<i>", "</i>"), InlineElement(9, 10, "<b>", "</b>"))
    )
    assert render_markup(replace_ranges(marked, [(2, 8, "K1Z")])) == "<i>a K1Z</i> <b>b</b>"
    assert render_markup(replace_ranges(marked, [(1, 1, "!")])) == "<i>a! {long}</i> <b>b</b>"


@pytest.mark.parametrize(
    ("target", "written", "notes"),
    [
        ("Voyez K1Z maintenant.", "Voyez :func:`print` maintenant.", 0),
        ("Voyez K1Z, K1Z maintenant.", "Voyez :func:`print`, :func:`print` maintenant.", 1),
        ("Voyez maintenant.", "Voyez :func:`print` maintenant.", 1),
    ],
)
def test_a_translation_gets_the_kept_texts(target: str, written: str, notes: int) -> None:
    source = b'{"a": "See :func:`print` now."}'
    job = DocumentJob(source, SandboxReader("json"), name="x.json")
    assert job.texts == ["See K1Z now."]
    words: Sequence[str] = ("Voyez", "K1Z", "maintenant", ".")
    columns = split_words(job.texts[0])
    rows = split_words(target)
    weights = np.zeros((len(rows), len(columns) + 1), np.float32)
    for row, (start, end) in enumerate(rows):
        if target[start:end] in words and target[start:end] != "K1Z":
            weights[row, words.index(target[start:end])] = 1
    result = AlignedTranslation(target, columns, rows, [weights])
    found = job.finish({job.texts[0]: result})
    assert found.content.decode() == f'{{"a": "{written}"}}'
    (segment,) = found.report.segments
    assert segment.source == "See :func:`print` now."
    assert segment.target == written
    assert len(segment.notes) == notes
