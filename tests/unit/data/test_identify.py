"""Identification of the language of a whole side."""

from __future__ import annotations

import pytest

from regard.data.doctor.language import declared_language, differ, identify_language

ENGLISH = "A man in a blue shirt is standing on a ladder and cleans the window."
CZECH = "Dva mladí muži stojí venku na zahradě poblíž mnoha keřů a dívají se na své ruce."


def test_a_language_needs_enough_text() -> None:
    assert identify_language([]) is None
    assert identify_language([ENGLISH]) is None
    assert identify_language([ENGLISH] * 30) == "en"
    assert identify_language([CZECH] * 300 + [ENGLISH] * 30) == "cs"


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("data/train.en", "en"),
        ("train.fr.gz", "fr"),
        ("s3://bucket/train.pt-BR.zst", "pt"),
        ("train.txt", None),
        ("train", None),
        ("train.src", None),
    ],
)
def test_file_names_declare_languages(path: str, language: str | None) -> None:
    assert declared_language(path) == language


def test_languages_that_cannot_be_told_apart_do_not_differ() -> None:
    assert differ("en", "de")
    assert not differ("nb", "no") and not differ("sr", "hr")
    assert not differ("en", None) and not differ(None, "de") and not differ("en", "en")
