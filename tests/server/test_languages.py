"""The pairs of languages of a server, and the names of languages."""

from __future__ import annotations

import re

import pytest

from regard.serve.compatibility import (
    NAMES,
    SHORT_CODES,
    LanguagePairs,
    base_language,
    language_name,
)
from regard.serve.models import NoModelError
from regard.tasks.translation.bundle_parts import ModelLanguages
from tests.server.served_model import served_model

SEVERAL = served_model(
    "many", bundled=ModelLanguages((("en", "de"), ("en", "pt-BR"), ("en", "fr"), (None, "it")))
)
MODELS = [served_model("en-de"), served_model("fr-de"), SEVERAL, served_model("de-en")]


@pytest.mark.parametrize(
    ("code", "name"),
    [("de", "German"), ("nb", "Norwegian Bokmål"), ("gd", "Scottish Gaelic"), ("zu", "Zulu")],
)
def test_languages_have_names(code: str, name: str) -> None:
    assert language_name(code) == name
    assert language_name("tlh") == "tlh"
    assert all(re.fullmatch("[a-z]{2}", code) for code in NAMES) and len(NAMES) > 120


@pytest.mark.parametrize("code", ["pt", "PT", " pt-BR ", "pt_br", "pt-Latn-BR", "por", "POR-BR"])
def test_regions_and_scripts_are_ignored(code: str) -> None:
    assert base_language(code) == "pt"


def test_codes_of_three_letters() -> None:
    """Both standards of ISO 639-2: for translators and for libraries."""
    assert [base_language(code) for code in ("deu", "ger", "fra", "fre", "zho", "chi")] == [
        *("de", "de", "fr", "fr", "zh", "zh")
    ]
    assert base_language("nds") == "nds"
    assert set(SHORT_CODES.values()) == set(NAMES)


def test_pairs_are_listed_once_in_the_order_of_the_models() -> None:
    pairs = LanguagePairs(MODELS)
    assert pairs.sources() == ["en", "fr", "de"]
    assert pairs.targets() == ["de", "pt", "fr", "en"]
    assert pairs.sources("de") == ["en", "fr"] and pairs.sources("xx") == []
    assert pairs.targets("en") == ["de", "pt", "fr"] and pairs.targets("fr") == ["de"]
    assert LanguagePairs([]).sources() == []


def test_the_first_model_of_a_pair_translates_it_with_its_own_code() -> None:
    pairs = LanguagePairs(MODELS)
    assert pairs.find("EN_us", "DE-at") == ("en", MODELS[0], "de")
    assert pairs.find("en", "pt") == ("en", SEVERAL, "pt-BR")
    assert pairs.find("fr", "de") == ("fr", MODELS[1], "de")
    assert LanguagePairs(reversed(MODELS)).find("en", "de") == ("en", SEVERAL, "de")


def test_sources_of_a_target() -> None:
    pairs = LanguagePairs(MODELS)
    assert pairs.sources_of("de-AT") == ["en", "fr"] and pairs.sources_of("en-GB") == ["de"]
    with pytest.raises(NoModelError, match="xx is not supported"):
        pairs.sources_of("xx")


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("en", "xx", "xx is not supported. The target languages are: de, pt, fr, en."),
        ("xx", "de", "xx is not supported. The source languages are: en, fr, de."),
        ("x" * 50, "de", f"{'x' * 20} is not supported. The source languages"),
        ("en", "y" * 50, f"{'y' * 20} is not supported. The target languages"),
        (
            "fr",
            "en",
            "English (en) is not available as a target language from French (fr). It is translated "
            "from: de.",
        ),
    ],
)
def test_pairs_that_are_not_served_are_named(source: str, target: str, message: str) -> None:
    with pytest.raises(NoModelError, match="^" + re.escape(message)):
        LanguagePairs(MODELS).find(source, target)
