"""Synthetic scenes and captioned images on disk."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from regard.data.formats.captions import CaptionedImage, Captions, NamedObject, write_captions
from regard.data.formats.corpus import read_blocks
from regard.data.formats.images import read_image
from regard.data.scenes import Icon, Scenes, read_icons, write_scenes
from regard.errors import CorpusError


def icon(name: str, shade: int = 0) -> Icon:
    rgba = np.zeros((16, 16, 4), np.uint8)
    rgba[..., 0], rgba[..., 3] = shade, 255
    return Icon(f"{name}.png", name, rgba)


NAMES = ["dog", "ant", "cherries", "bread", "ewe", "octopus", "red apple", "pear", "fox", "owl"]
SCENES = Scenes([icon(name, 9 * i) for i, name in enumerate(NAMES)])


def test_a_scene_is_determined_by_its_number() -> None:
    first, second, other = SCENES.scene(7), SCENES.scene(7), SCENES.scene(8)
    assert first.caption == second.caption and first.objects == second.objects
    assert np.array_equal(first.image, second.image)
    assert (first.caption, first.objects) != (other.caption, other.objects)


def test_every_box_contains_the_named_object() -> None:
    for number in range(50):
        scene = SCENES.scene(number)
        for named in scene.objects:
            word = scene.caption[slice(*named.span)]
            left, top, right, bottom = (int(edge) for edge in named.boxes[0])
            inside = scene.image[top:bottom, left:right]
            assert (inside == (9 * NAMES.index(word), 0, 0)).all()
            assert inside.shape[0] == inside.shape[1] >= 24


def test_the_caption_matches_the_boxes() -> None:
    connectives = set()
    for number in range(100):
        scene = SCENES.scene(number)
        for before, after in zip(scene.objects, scene.objects[1:], strict=False):
            between = scene.caption[before.span[1] : after.span[0]]
            _, top, right, bottom = before.boxes[0]
            next_left, next_top, *_ = after.boxes[0]
            if between.startswith(" to the left of "):
                assert right <= next_left and abs(top - next_top) < 32
            else:
                assert between.startswith(" above ") and bottom <= next_top
            connectives.add(between)
    assert {" above ", " above a ", " above an ", " to the left of a "} <= connectives


def test_english_articles() -> None:
    phrases = {
        word.strip()
        for number in range(300)
        for word in SCENES.scene(number)
        .caption.replace(" to the left of ", " above ")
        .split(" above ")
    }
    assert phrases == {
        *("a dog", "an ant", "cherries", "bread", "a ewe", "an octopus", "a red apple", "a pear"),
        *("a fox", "an owl"),
    }


def test_every_test_scene_has_a_pair_that_never_occurs_in_training() -> None:
    def pairs(held_out: bool) -> list[set[frozenset[str]]]:
        scenes = [SCENES.scene(number, held_out=held_out) for number in range(300)]
        names = [{scene.caption[slice(*o.span)] for o in scene.objects} for scene in scenes]
        return [{frozenset(pair) for pair in combinations(sorted(scene), 2)} for scene in names]

    train = set().union(*pairs(False))
    assert all(test - train for test in pairs(True))
    assert len(train) > 25


def test_too_few_icons_are_refused() -> None:
    with pytest.raises(CorpusError, match="2 icons are too few"):
        Scenes([icon("dog"), icon("owl")])


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_icons_have_names_in_three_languages(corpora: Path, language: str) -> None:
    icons = read_icons(corpora / "emoji-icons", language, 20)  # type: ignore[arg-type]
    english = read_icons(corpora / "emoji-icons", "en", 20)
    assert [icon.file for icon in icons] == [icon.file for icon in english]
    assert len({icon.name for icon in icons}) == 20
    scene = Scenes(icons, language).scene(0)  # type: ignore[arg-type]
    words = {"en": (" above ", " to the left of "), "fr": (", en dessous ", ", à droite ")}
    assert any(word in scene.caption for word in words.get(language, (", darunter ", ", rechts ")))


def test_written_scenes_can_be_read(tmp_path: Path) -> None:
    written = write_scenes(tmp_path / "train.jsonl", SCENES, range(5))
    read = list(Captions(str(tmp_path / "train.jsonl")).read())
    assert read == written
    for number, captioned in enumerate(read):
        assert np.array_equal(read_image(captioned.image), SCENES.scene(number).image)
    assert json.loads((tmp_path / "train.jsonl").read_text().splitlines()[0])["image"].startswith(
        "train/"
    )


def test_absolute_paths_and_urls_of_images_are_kept(tmp_path: Path) -> None:
    captions = [
        CaptionedImage("/images/a.png", "ein Hund – ü"),
        CaptionedImage("s3://bucket/b.png", "b", (NamedObject((0, 1), ((0.0, 0.0, 1.0, 2.0),)),)),
    ]
    write_captions(tmp_path / "x.jsonl", captions)
    assert list(Captions(str(tmp_path / "x.jsonl")).read()) == captions


def test_captions_are_a_corpus_with_configurable_keys(tmp_path: Path) -> None:
    lines = [{"file": f"{i}.png", "text": f"t{i}"} for i in range(5)]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    corpus = Captions(f"{tmp_path}/x.jsonl", source="file", target="text")
    assert corpus.paths == (f"{tmp_path}/x.jsonl",) and not corpus.in_place
    assert [len(block) for block in read_blocks(corpus, 2)] == [2, 2, 1]
    assert next(read_blocks(corpus, 2, start=3)).pairs().__next__() == (f"{tmp_path}/3.png", "t3")


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("{", "line 2"),
        ("[]", "not a JSON object"),
        ('{"image": "a.png"}', "missing key 'caption'"),
        ('{"image": 3, "caption": "x"}', "image is not a text"),
        ('{"image": "a", "caption": "\\ud800"}', "surrogates"),
        ('{"image": "a", "caption": "x", "objects": [{"span": [0, 2], "boxes": []}]}', "within"),
        ('{"image": "a", "caption": "x", "objects": [{"span": [0], "boxes": []}]}', "line 2"),
        ('{"image": "a", "caption": "x", "objects": 3}', "line 2"),
        (
            '{"image": "", "caption": "x", "objects": [{"span": [0, 1], "boxes": [[2, 0, 1, 1]]}]}',
            "left",
        ),
    ],
)
def test_an_error_names_the_invalid_line(line: str, cause: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"image": "a.png", "caption": "x"}\n' + line + "\n")
    with pytest.raises(CorpusError, match="line 2") as raised:
        list(Captions(str(path)).read())
    assert cause in str(raised.value)
