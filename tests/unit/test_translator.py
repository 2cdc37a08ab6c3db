"""The front door, from Python and from the command line."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path

import pytest

import regard
from regard.errors import ArtifactError, CorpusError
from regard.inference.engine import SamplingOptions, SearchOptions
from regard.inference.forced_decoding import force_decode
from regard.inference.pipeline import Splitting
from regard.inference.torch_engine import TorchEngine
from regard.text.words import split_words
from tests.bundles import LINES, sealed
from tests.command import run_cli


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sealed("transformer", tmp_path_factory.mktemp("sealed") / "model")


@pytest.fixture(scope="module")
def translator(model: Path) -> regard.Translator:
    return regard.load(model)


def test_a_translation_tells_its_score_and_that_of_every_piece(translator) -> None:
    for found in translator.translate(LINES):
        (part,) = found.parts
        assert len(found.logps) in (len(part.pieces), len(part.pieces) + 1)
        length = len(found.logps)
        assert found.score == pytest.approx(sum(found.logps) / length, abs=1e-6)
        assert found.source[slice(*part.span)] == found.source
        assert str(found) == found.text == part.text


def test_the_score_reported_is_the_score_forced(translator) -> None:
    model, sources = copy.deepcopy(translator.model).double(), translator.tokenizer.encode(LINES)
    for source, hypotheses in zip(
        sources, TorchEngine(model).search(sources, SearchOptions(5)), strict=True
    ):
        for said in hypotheses:
            (read,) = force_decode(model, [(source, said.tokens)])
            assert said.logps == pytest.approx(read.logps[: len(said.logps)], abs=1e-9)


def test_alternatives_come_best_first(translator) -> None:
    for found in translator.translate(LINES, SearchOptions(4), best=4):
        scores = [one.score for one in (found, *found.n_best)]
        assert len(scores) == 4 and scores == sorted(scores, reverse=True)


def test_probabilities_that_an_engine_does_not_tell_are_found_by_a_forced_reading(
    translator,
) -> None:
    class Silent:
        name = "a test's"

        def search(self, sources, how):
            found = TorchEngine(translator.model).search(sources, how)
            return [[replace(one, logps=()) for one in each] for each in found]

    silent = regard.Translator(
        translator.model,
        translator.tokenizer,
        translator.splitting,
        translator.how,
        engine=Silent(),
    )
    assert not any(found.logps for found in silent.translate(LINES))
    for one, other in zip(
        silent.translate(LINES, best=2, logps=True),
        translator.translate(LINES, best=2),
        strict=True,
    ):
        assert one.score == other.score
        known = len(other.logps)  # one that was cut at its limit has no end
        assert one.logps[:known] == pytest.approx(other.logps, abs=1e-4)
        assert len(one.n_best[0].logps) >= len(other.n_best[0].logps)


def test_what_is_drawn_differs_by_its_seed_alone(translator) -> None:
    def drawn(seed: int) -> list[str]:
        how = SearchOptions(1, sampling=SamplingOptions(seed))
        return [found.text for found in translator.translate(LINES, how)]

    assert drawn(1) == drawn(1) != drawn(2)


def test_one_string_is_not_taken_for_many(translator) -> None:
    with pytest.raises(CorpusError, match="give a list"):
        translator.translate("A dog runs.")


@pytest.mark.parametrize(
    "text", ["", " ", "\u200b", "\x00", "🦊" * 40, "e\u0301", "</s> <unk>", "a\u2028b"]
)
def test_any_text_is_safe(translator, text: str) -> None:
    (found,) = translator.translate([text], check=True)
    assert found.source == text


def test_a_long_text_is_translated_sentence_by_sentence(tmp_path: Path) -> None:
    small = regard.load(sealed("bahdanau", tmp_path / "model", splitting=Splitting(12, 40)))
    text = " ".join(LINES)
    (found,) = small.translate([text])
    assert [text[slice(*part.span)] for part in found.parts] == LINES
    assert found.text == " ".join(part.text for part in found.parts)
    assert [found.text[slice(*part.place)] for part in found.parts] == [p.text for p in found.parts]


def test_the_words_of_a_long_text_are_those_of_its_parts(tmp_path: Path) -> None:
    small = regard.load(sealed("bahdanau", tmp_path / "model", splitting=Splitting(12, 40)))
    text = " ".join(LINES)
    (found,) = small.translate([text], align=True, check=True)
    aligned = found.alignment
    assert aligned.source.word_texts == [text[a:b] for a, b in split_words(text)]
    assert aligned.weights.shape == (len(aligned.target.words), len(aligned.source.words) + 1)
    first = len(small.align([LINES[0]], [found.parts[0].text])[0].links)
    assert len([i for i, _ in aligned.links if i < len(split_words(LINES[0]))]) == first


def test_alignments_link_words_and_name_their_characters(translator) -> None:
    (aligned,) = translator.align(["A dog runs."], ["Ein Hund rennt."])
    assert aligned.source.word_texts == ["A", "dog", "runs", "."]
    assert all(0 <= i < 4 and 0 <= j < 4 for i, j in aligned.links)
    assert aligned.weights.shape == (4, 5)
    with pytest.raises(CorpusError, match="give one for each"):
        translator.align(["A dog runs."], [])


def test_a_model_that_looks_at_nothing_says_that_it_cannot_align(tmp_path: Path) -> None:
    blind = regard.load(sealed("sutskever", tmp_path / "model"))
    with pytest.raises(ArtifactError, match="looks at nothing"):
        blind.align(["A dog"], ["Ein Hund"])
    assert blind.translate(["A dog"])[0].text is not None


def test_an_engine_that_is_not_there_is_not_replaced_by_another(model: Path) -> None:
    with pytest.raises(ArtifactError, match="regard export"):
        regard.load(model, engine="ctranslate2")


def test_lines_in_give_as_many_lines_out(model: Path, translator) -> None:
    text = "\n".join(["", *LINES, "", "no end"])
    out = run_cli(["translate", str(model)], text)
    wanted = [found.text for found in translator.translate(text.split("\n"))]
    assert out.split("\n")[:-1] == wanted


def test_a_file_is_translated_into_a_file(model: Path, tmp_path: Path, translator) -> None:
    (tmp_path / "in").write_bytes(b"A dog runs.\r\nGo!\n")
    files = ("--source", str(tmp_path / "in"), "--out", str(tmp_path / "out"))
    run_cli(["translate", str(model), *files])
    wanted = [found.text for found in translator.translate(["A dog runs.", "Go!"])]
    assert (tmp_path / "out").read_text().split("\n") == [*wanted, ""]


def test_several_translations_are_numbered_and_scored(model: Path) -> None:
    out = run_cli(["translate", str(model), "--nbest", "3"], "A dog runs.\nGo!\n")
    rows = [line.split(" ||| ") for line in out.splitlines()]
    assert [row[0] for row in rows] == ["0", "0", "0", "1", "1", "1"]
    assert float(rows[0][2]) >= float(rows[1][2])


def test_json_has_everything(model: Path) -> None:
    out = run_cli(["translate", str(model), "--json", "--align", "--check"], "A dog runs.\n")
    said = json.loads(out)
    assert said["source"] == "A dog runs." and said["alarm"]["check"] in (True, False)
    assert said["aligned"]["source_words"] == [[0, 1], [2, 5], [6, 10], [10, 11]]
    assert len(said["parts"][0]["logps"]) >= len(said["parts"][0]["pieces"])


def test_links_of_given_pairs_are_written_a_line_each(model: Path, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("A dog runs.\nGo!\n")
    (tmp_path / "b").write_text("Ein Hund rennt.\nLos!\n")
    pairs = ("--source", str(tmp_path / "a"), "--target", str(tmp_path / "b"))
    out = run_cli(["align", str(model), *pairs])
    assert len(out.splitlines()) == 2
    both = run_cli(["align", str(model), *pairs, "--reverse", str(model), "--json"])
    assert json.loads(both.splitlines()[0])["target_words"][1] == [4, 8]


def test_two_directions_seal_what_they_agree_on(tmp_path: Path) -> None:
    there, back = (sealed("transformer", tmp_path / name / "model") for name in ("there", "back"))
    (tmp_path / "a").write_text("A dog runs.\nTwo cats run away.\n")
    (tmp_path / "b").write_text("A man sees a dog.\nGo!\n")
    pairs = ("--source", str(tmp_path / "a"), "--target", str(tmp_path / "b"))
    run_cli(["align", str(there), *pairs, "--reverse", str(back), "--choose-heads"])
    one, other = (regard.load(path).alignment_head for path in (there, back))
    assert one.agreement == other.agreement > 0


def test_what_is_not_utf_8_is_named_by_its_line(model: Path, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"good\nb\xffd\n")
    with pytest.raises(CorpusError, match="line 2: is not UTF-8"):
        run_cli(["translate", str(model), "--source", str(tmp_path / "in")])
