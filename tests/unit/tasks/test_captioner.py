"""`Captioner`, with small untrained models."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from rich.console import Console
from safetensors.numpy import save_file

from regard.align.tokenized_text import AlignmentHead
from regard.data.formats.captions import CaptionedImage, NamedObject
from regard.data.formats.images import decode_image, encode_png
from regard.errors import ConfigError, CorpusError
from regard.explain.record import ImageSource
from regard.inference.engine import SearchOptions
from regard.inference.forced_decoding import cross_attention_names, force_decode_image
from regard.tasks.captioning.captioner import (
    Captioner,
    CaptionSettings,
    build_captioning_model,
    make_captioner,
    to_source,
)
from regard.text.tokenizer import EOS, SentencePiece
from tests.tiny_models import tiny_run

LINES = ["a dog above a fish", "a fish to the left of a dog", "a red apple", "an owl", "two owls"]
SMALL = ("model.encoder.height=32", "model.encoder.width=48")
PRESETS = ["caption-soft", "caption-hard", "caption-transformer"]


def captioner(preset: str, *settings: str) -> Captioner:
    run, pieces = tiny_run(preset, (*SMALL, *settings)), SentencePiece.train(LINES, size=300)
    torch.manual_seed(0)
    model = build_captioning_model(run, pieces.size).eval()
    with torch.no_grad():
        model.readout.weight.mul_(10)
        model.readout.bias[2] += 2  # so that some captions end
    return make_captioner(run, model, pieces, CaptionSettings(6))


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder, draws = tmp_path_factory.mktemp("images"), np.random.default_rng(0)
    for number in range(5):
        image = draws.integers(0, 256, (20 + 9 * number, 40, 3), np.uint8)
        (folder / f"{number}.png").write_bytes(encode_png(image))
    return [str(folder / f"{number}.png") for number in range(5)]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_caption_does_not_depend_on_the_batch(preset: str, images: list[str]) -> None:
    small = captioner(preset)
    found = small.caption(images)
    assert [one.image for one in found] == images
    assert len({one.score for one in found}) > 1
    for image, one in zip(images, found, strict=True):
        (single,) = small.caption([Path(image)])
        assert single.text == one.text and single.score == pytest.approx(one.score, abs=1e-4)
        assert len(one.logps) - len(one.pieces) in (0, 1) and len(one.pieces) <= 16


def test_a_caption_ends_before_the_learned_positions_do(images: list[str]) -> None:
    settings = "model.decoder.positions=learned", "model.decoder.max_positions=10"
    small = captioner("caption-transformer", *settings, "data.max_length=9")
    with torch.no_grad():
        small.model.readout.bias[2] = -1e4  # no caption ends by itself
    (found,) = small.caption(images[:1])
    assert len(found.logps) == 9
    assert small.explain(images[0]).beam is not None


def test_alternatives_are_the_next_best(images: list[str]) -> None:
    (found,) = captioner("caption-soft").caption(images[:1], SearchOptions(4), n_best=3)
    assert len(found.alternatives) == 2
    scores = [found.score, *(one.score for one in found.alternatives)]
    assert scores == sorted(scores, reverse=True)
    assert str(found) == found.text


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("preset", PRESETS)
def test_forced_decoding_gives_the_log_p_of_search(
    preset: str, images: list[str], ends: bool
) -> None:
    small = captioner(preset)
    with torch.no_grad():
        small.model.readout.bias[EOS] = 60.0 if ends else -1e4
    names = cross_attention_names(small.model)
    arrays = [small.image_input.read(image) for image in images]
    source = to_source(np.stack(arrays))
    found = [best for (best,) in small.search(source, SearchOptions(1))]
    decoded = force_decode_image(small.model, source, [best.tokens for best in found])
    assert all(best.ended for best in found) == ends
    for best, forced in zip(found, decoded, strict=True):
        np.testing.assert_allclose(best.logps, forced.logps[: len(best.logps)], atol=1e-4)
        assert len(forced.logps) == len(best.tokens) + 1
        assert set(forced.attention) == set(names)
        for weights in forced.attention.values():
            assert weights.shape[1:] == (len(forced.logps), 4 * 6)
            torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
    texts = [small.tokenizer.decode(best.tokens) for best in found]
    for text, forced in zip(texts, small.force_decode(images, texts), strict=True):
        assert len(forced.logps) == len(small.tokenizer.encode([text])[0]) + 1


@pytest.mark.parametrize("preset", PRESETS)
def test_attention_is_scored_against_boxes(preset: str, images: list[str]) -> None:
    named = (
        NamedObject((2, 5), ((0.0, 0.0, 20.0, 10.0),)),
        NamedObject((14, 18), ((20.0, 0.0, 40.0, 20.0),)),
    )
    found = captioner(preset).point([CaptionedImage(image, LINES[0], named) for image in images])
    assert found
    for pointing in found.values():
        assert pointing.words == 10
        assert 0 <= pointing.hits <= 1 and 0 <= pointing.mass <= 1
        assert 0 < pointing.chance < 0.5 and 0 < pointing.chance_mass < 0.5


def test_feature_grids_can_be_captioned(tmp_path: Path) -> None:
    grids = {str(i): np.random.default_rng(i).normal(size=(2, 3, 5)) for i in range(2)}
    save_file({key: grid.astype(np.float32) for key, grid in grids.items()}, tmp_path / "f.st")
    encoder = "model.encoder={kind: grid, rows: 2, columns: 3, features: 5, dim: 8}"
    run = tiny_run("caption-soft", (encoder, "model.encoder.positional_encoding=true"))
    pieces = SentencePiece.train(LINES, size=300)
    small = make_captioner(
        run, build_captioning_model(run, pieces.size).eval(), pieces, CaptionSettings(6)
    )
    names = [f"{tmp_path}/f.st#{key}" for key in grids]
    assert len(small.caption(names)) == 2
    assert small.force_decode(names, LINES[:2])[0].attention["decoder.attention"].size(-1) == 6
    corner = NamedObject((2, 5), ((0.0, 0.0, 1.0, 1.0),))  # in grid cells
    (pointing, *_) = small.point([CaptionedImage(names[0], "a dog", (corner,))]).values()
    assert pointing.chance == pointing.chance_mass == pytest.approx(1 / 6)
    assert small.explain(names[0]).filmstrip("decoder.attention").svg


def test_invalid_input_is_refused(images: list[str]) -> None:
    small = captioner("caption-soft")
    with pytest.raises(CorpusError, match="single string"):
        small.caption(images[0])
    with pytest.raises(CorpusError, match=r"gone\.png"):
        small.caption(["gone.png"])
    with pytest.raises(ConfigError, match="not a captioning model"):
        build_captioning_model(tiny_run("bahdanau"), 300)
    with pytest.raises(ConfigError, match="multiples of 8"):
        build_captioning_model(tiny_run("caption-soft", ("model.encoder.height=33",)), 300)


@pytest.mark.parametrize("preset", PRESETS)
def test_an_explanation_traces_the_caption(preset: str, images: list[str]) -> None:
    small = captioner(preset)
    (found,) = small.caption(images[:1])
    explained = small.explain(images[0])
    assert explained.target.raw == found.text
    source = explained.source
    assert isinstance(source, ImageSource)
    assert (source.rows, source.columns, source.height, source.width) == (4, 6, 32, 48)
    pixels = small.image_input.read(images[0])
    assert np.array_equal(decode_image(source.png, "png"), pixels)
    logps = [step.logp for step in explained.trace.steps]
    np.testing.assert_allclose(logps[: len(found.logps)], found.logps, atol=1e-4)
    cross = [layer for layer in explained.trace.attentions if layer.kind == "cross"]
    assert {layer.name for layer in cross} == set(cross_attention_names(small.model))
    assert all(layer.weights.size(-1) == 24 for layer in cross)
    head = explained.trace.head_trace
    assert head is not None
    torch.testing.assert_close(head.weights @ head.values, head.contexts)


def test_an_explanation_is_saved_and_drawn(images: list[str], tmp_path: Path) -> None:
    small = captioner("caption-soft")
    small.settings = replace(
        small.settings, alignment_head=AlignmentHead("decoder.attention", None, 0, null=False)
    )
    explained = small.explain(images[0], "a dog above a fish")
    record = json.loads(explained.to_json())
    assert record["source"]["kind"] == "image" and record["created"]["search"] == "given"
    assert record["source"]["image"].startswith("data:image/png;base64,")
    strip = explained.filmstrip().svg
    assert strip.count("<use ") == 1 + 5 and "highest" in strip
    for name in ("x.svg", "x.html", "x.json"):
        explained.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1_000
    assert (tmp_path / "x.svg").read_text() == strip
    console = Console(record=True, width=80, file=io.StringIO())
    console.print(explained)
    assert "row" in console.export_text()
    with pytest.raises(ConfigError, match=r"decoder\.other"):
        small.explain(images[0], attention="decoder.other")


def test_attention_that_does_not_move_is_flagged(images: list[str]) -> None:
    uniform = "model.decoder.attention.normalizer={kind: uniform}"
    small = captioner("caption-soft", uniform)
    small.settings = replace(
        small.settings, alignment_head=AlignmentHead("decoder.attention", None, 0, null=False)
    )
    svg = small.explain(images[0], "a dog above").filmstrip().svg
    assert "attention hardly moves" in " ".join(re.findall(r">([^<]+)</text>", svg))  # may wrap
