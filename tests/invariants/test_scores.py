"""Every search reports the scores that forced decoding of its results computes."""

from __future__ import annotations

from pathlib import Path

import pytest

import regard
from regard.inference.engine import SamplingOptions, SearchOptions, Splitting
from regard.inference.forced_decoding import force_decode, force_decode_image
from regard.tasks.captioning.captioner import CaptionSettings, make_captioner
from regard.text.tokenizer import SentencePiece
from tests.bundles import LINES, make_bundle
from tests.tiny_models import tiny

LONG = "A man sees a dog. Two cats run away."  # translated in segments
SEARCHES = {
    "greedy": {"beam_size": 1},
    "beam": {"beam_size": 4},
    "sampling": {"sampling": SamplingOptions(seed=3)},
    "cool sampling": {"sampling": SamplingOptions(seed=5, temperature=0.5, top_k=5, top_p=0.9)},
}
CLOSE = {"abs": 2e-3, "rel": 1e-4}


@pytest.fixture(scope="module", params=["transformer", "sutskever"])
def translator(request: pytest.FixtureRequest, tmp_path_factory) -> regard.Translator:
    path: Path = tmp_path_factory.mktemp("bundles") / "model"
    return regard.Translator.load(make_bundle(request.param, path, splitting=Splitting(8, 8)))


@pytest.mark.parametrize("search", SEARCHES)
def test_translations_have_the_score_of_forced_decoding(translator, search) -> None:
    """Of short texts and of texts in several segments, of the best and of all alternatives."""
    found = translator.translate(
        ["Go!", LONG], length_penalty=0.6, n_best=2, logps=True, **SEARCHES[search]
    )
    assert len(found[-1].segments) > 1
    for result in (each for best in found for each in best.n_best):
        total, length = 0.0, 0
        for segment in result.segments:
            source = translator.tokenizer.encode([result.source[slice(*segment.span)]])[0]
            (forced,) = force_decode(translator.model, [(source, segment.tokens)], ())
            logps = forced.logps[: len(segment.logps)]  # without the end if it was not reached
            assert segment.logps == pytest.approx(logps, **CLOSE)
            total, length = total + sum(logps), length + len(logps)
        assert result.score == pytest.approx(total / length**0.6, **CLOSE)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_captions_have_the_score_of_forced_decoding(beam_size: int) -> None:
    small, tokenizer = tiny("caption-soft"), SentencePiece.train(LINES, size=300)
    captioner = make_captioner(small.run, small.model, tokenizer, CaptionSettings(6))
    images = small.source([1, 1, 1])
    found = captioner.search(images, SearchOptions(beam_size, length_penalty=0.6))
    for rank in range(beam_size):
        hypotheses = [each[rank] for each in found]
        forced = force_decode_image(
            small.model, images, [hypothesis.tokens for hypothesis in hypotheses], ()
        )
        for hypothesis, one in zip(hypotheses, forced, strict=True):
            logps = one.logps[: len(hypothesis.logps)]
            assert hypothesis.logps == pytest.approx(logps, **CLOSE)
            expected = sum(logps) / len(logps) ** 0.6
            assert hypothesis.score == pytest.approx(expected, **CLOSE)
