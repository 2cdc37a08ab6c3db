"""Size of pages and time until the viewer is usable."""

from __future__ import annotations

import gzip
from statistics import median

import pytest

from regard.config.load import load_config
from regard.explain.page import viewer_script
from regard.inference.engine import SearchOptions, Splitting
from regard.tasks.translation.loading import build_translation_model
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import SentencePiece
from tests.bundles import LINES
from tests.unpacked_record import unpacked

READY = "() => performance.getEntriesByName('regard-ready')[0].startTime"  # since navigation start
TRIES = 3


def seconds(new_viewer, path) -> float:
    viewer = new_viewer()
    return median(viewer.open(path).page.evaluate(READY) / 1000 for _ in range(TRIES))


@pytest.mark.slow  # needs an idle core
def test_forty_words_with_all_heads_are_ready_within_half_a_second(
    new_viewer, pages, synthetic, record_property
) -> None:
    attentions = unpacked(synthetic["forty"])["attentions"]
    assert [each["heads"] for each in attentions] == [8] * 18
    record_property("seconds", taken := seconds(new_viewer, pages["forty"]))
    assert taken <= 0.5


@pytest.mark.slow  # needs an idle core
def test_two_hundred_words_are_ready_within_three_seconds(
    new_viewer, pages, record_property
) -> None:
    record_property("seconds", taken := seconds(new_viewer, pages["wide"]))
    assert taken <= 3


def test_page_of_a_base_model_is_below_a_megabyte(pages) -> None:
    assert pages["forty"].stat().st_size <= 1_000_000


@pytest.mark.slow
def test_page_of_a_real_base_model_is_below_a_megabyte() -> None:
    pieces = SentencePiece.train(LINES, size=300)
    translator = Translator(
        build_translation_model(load_config("transformer"), pieces.size),
        pieces,
        Splitting(50, 100),
        SearchOptions(1),
    )
    text = pieces.decode(pieces.encode([" ".join(LINES * 3)])[0][:39])
    explanation = translator.explain(text, text)
    assert explanation.attention("decoder.blocks.5.cross_attention").weights.shape == (8, 40, 40)
    assert len(explanation.to_html().encode()) <= 1_000_000


def test_viewer_is_at_most_75_kib_gzipped() -> None:
    assert len(gzip.compress(viewer_script().encode(), 9)) <= 75 * 1024
