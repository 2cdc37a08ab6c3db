"""Small enough to send and quick enough to use."""

from __future__ import annotations

import gzip
from statistics import median

import pytest

from regard.config.load import load_config
from regard.explain.page import viewer_script as viewer_script
from regard.inference.engine import SearchOptions
from regard.inference.pipeline import Splitting
from regard.tasks.translation.translator import Translator, build_translation_model
from regard.text.tokenizer import SentencePiece
from tests.bundles import LINES
from tests.unpacked_record import unpacked

READY = (
    "() => performance.getEntriesByName('regard-ready')[0].startTime"  # from the navigation's start
)
TRIES = 3


def seconds(look, path) -> float:
    viewer = look()
    return median(viewer.open(path).page.evaluate(READY) / 1000 for _ in range(TRIES))


@pytest.mark.slow  # it holds where the core is its own
def test_forty_words_and_all_heads_can_be_used_within_half_a_second(
    look, pages, synthetic, record_property
) -> None:
    looks = unpacked(synthetic["forty"])["looks"]
    assert [look_["heads"] for look_ in looks] == [8] * 18
    record_property("seconds", taken := seconds(look, pages["forty"]))
    assert taken <= 0.5


@pytest.mark.slow  # it holds where the core is its own
def test_two_hundred_words_can_be_used_within_three_seconds(look, pages, record_property) -> None:
    record_property("seconds", taken := seconds(look, pages["wide"]))
    assert taken <= 3


def test_a_page_with_all_heads_of_a_base_model_has_less_than_a_megabyte(pages) -> None:
    assert pages["forty"].stat().st_size <= 1_000_000


@pytest.mark.slow
def test_the_same_holds_of_what_the_model_itself_reads() -> None:
    pieces = SentencePiece.train(LINES, size=300)
    translator = Translator(
        build_translation_model(load_config("transformer"), pieces.size),
        pieces,
        Splitting(50, 100),
        SearchOptions(1),
    )
    said = pieces.decode(pieces.encode([" ".join(LINES * 3)])[0][:39])
    explanation = translator.explain(said, said)
    assert explanation.attention("decoder.blocks.5.cross_attention").weights.shape == (8, 40, 40)
    assert len(explanation.to_html().encode()) <= 1_000_000


def test_the_viewer_has_at_most_sixty_kibibytes_gzipped() -> None:
    assert len(gzip.compress(viewer_script().encode(), 9)) <= 60 * 1024
