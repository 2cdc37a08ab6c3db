"""The page of the server: its parts that need neither a server nor a browser."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from regard.evaluate import quality
from regard.text import sentences
from regard.text.sentences import split_sentences

pytest.importorskip("starlette", reason="needs starlette: pip install 'regard[serve]'")

from regard.serve.pages import page_script, translation_page
from regard.serve.settings import ServerSettings

CASES = Path(__file__).parents[3] / "web" / "fixtures" / "sentences.json"


def test_page_splits_sentences_by_the_same_rules() -> None:
    cases = json.loads(CASES.read_text(encoding="utf-8"))
    for case in cases:
        text = case["text"]
        assert [text[slice(*span)] for span in split_sentences(text)] == case["sentences"]
    words = " ".join(case["text"] for case in cases).replace(".", " ").split()
    assert set(words) >= (sentences._ABBREVIATIONS | sentences._NUMBERED)


def test_page_has_plain_words_for_every_warning() -> None:
    script = page_script()
    assert [reason for reason in quality._REASONS.values() if reason not in script] == []


def test_page_names_the_limits_and_loads_only_its_own_scripts() -> None:
    page = translation_page(ServerSettings(max_characters=1234, max_texts=5, max_beam_size=3))
    for attribute in ("characters=1234", "texts=5", "beam-size=3"):
        name, _, value = attribute.partition("=")
        assert f'data-max-{name}="{value}"' in page
    assert re.findall(r'src="([^"?]*)', page) == ["page.js"]
    assert "<script>" not in page


def test_script_is_small_and_safe() -> None:
    script = page_script()
    assert len(gzip.compress(script.encode())) < 25 * 1024
    assert "outerHTML" not in script and "document.write" not in script and "eval(" not in script
    assert not re.search(r"https?://(?!www\.w3\.org)", script.partition("*/")[2])
