"""One value for how texts are translated: from keyword arguments, requests and messages."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from regard.errors import ConfigError, CorpusError
from regard.inference.engine import SamplingOptions
from regard.serve.schemas import TranslateRequest
from regard.tasks.translation.options import (
    DOCUMENT_OPTIONS,
    TRANSLATE_OPTIONS,
    TranslateKeywords,
    TranslateOptions,
)
from tests.command import run_main

EXAMPLES: dict[str, Any] = {
    "to": "de",
    "beam_size": 3,
    "n_best": 2,
    "length_penalty": 0.5,
    "sampling": SamplingOptions(seed=3, top_k=5),
    "prefix": "A dog",
    "min_length": 4,
    "no_repeat_ngram": 2,
    "forbid": ("cat",),
    "logps": True,
    "alignments": True,
    "align_with": "attention",
    "quality": True,
}


def test_keyword_arguments_are_the_fields() -> None:
    assert set(TranslateKeywords.__annotations__) == TRANSLATE_OPTIONS == set(EXAMPLES)
    assert all(
        getattr(TranslateOptions(), field.name) == field.default
        for field in fields(TranslateOptions)
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_option_survives_a_message(name: str) -> None:
    options = TranslateOptions(**{name: EXAMPLES[name]})
    received = TranslateOptions.from_json(json.loads(json.dumps(options.to_json())))
    assert received == options != TranslateOptions()
    assert hash(received) == hash(options) != hash(TranslateOptions())  # jobs share a batch


@pytest.mark.parametrize("name", EXAMPLES)
def test_options_without_effect_are_refused_by_name(name: str) -> None:
    options = TranslateOptions(**{name: EXAMPLES[name]})
    options.check_used(TRANSLATE_OPTIONS, "here.")
    with pytest.raises(ConfigError, match=name):
        options.check_used(TRANSLATE_OPTIONS - {name}, "here.")


def test_documents_use_no_option_of_single_texts() -> None:
    assert set(EXAMPLES) - DOCUMENT_OPTIONS == {
        *("n_best", "sampling", "prefix", "min_length", "no_repeat_ngram", "forbid"),
        *("logps", "alignments"),
    }


def test_every_option_of_a_request_reaches_its_segments() -> None:
    served = set(TranslateRequest.model_fields) & TRANSLATE_OPTIONS
    values = {name: EXAMPLES[name] for name in served - {"sampling", "forbid"}}
    request = TranslateRequest.model_validate(
        {**values, "texts": ["A dog."], "forbid": ["cat"], "sampling": {"seed": 3, "top_k": 5}}
    )
    expected = {name: EXAMPLES[name] for name in (served | {"to"}) - {"prefix"}}
    assert request.segment_options("de") == TranslateOptions(**expected)


def test_texts_that_are_translated_by_themselves_keep_their_draws_and_prefixes() -> None:
    options = TranslateOptions(sampling=SamplingOptions(offset=11), prefix=["a", "b", "c"])
    part = options.for_rows(range(1, 3))
    assert part == TranslateOptions(sampling=SamplingOptions(offset=12), prefix=["b", "c"])
    assert TranslateOptions(prefix="a").for_rows(range(1, 3)) == TranslateOptions(prefix="a")


def test_values_that_are_no_lists_are_refused() -> None:
    with pytest.raises(ConfigError, match="forbid"):
        TranslateOptions(forbid="dog")
    with pytest.raises(CorpusError, match="prefix"):
        TranslateOptions(prefix=["a"]).check_prefixes(2)


def test_a_large_file_is_sent_to_a_server_line_by_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It used to be refused as a job, which needs a bundle."""
    monkeypatch.setattr("regard.cli.translate.JOB_BYTES", 1)
    source = tmp_path / "in.en"
    source.write_text("A dog.\n")
    words = ["translate", "--server", "http://127.0.0.1:9", "--source", str(source)]
    done = run_main([*words, "--out", str(tmp_path / "out.de")])
    assert done.status != 0 and "cannot be reached" in done.stderr
