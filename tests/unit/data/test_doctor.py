"""The doctor finds defects inserted into a sound corpus, and none in the sound corpus."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from typer import Typer
from typer.testing import CliRunner

from regard.cli.doctor import doctor
from regard.data.doctor.examine import CHECKS, Finding, Report, examine
from regard.data.doctor.report import doctor_page
from regard.data.formats.corpus import ParallelFiles, Tmx
from regard.errors import FAILED_CHECK, CorpusError
from tests.conftest import DATA

pytestmark = pytest.mark.skipif(not (DATA / "multi30k").is_dir(), reason=f"no corpora at {DATA}")


def lines_of(name: str, language: str, count: int) -> list[str]:
    raw = gzip.decompress((DATA / "multi30k" / f"{name}.{language}.gz").read_bytes())
    return raw.decode().split("\n")[:count]


@dataclass(slots=True)
class Sides:
    """A part of Multi30k, to insert defects into."""

    source: list[str]
    target: list[str]
    test_source: list[str]
    test_target: list[str]

    def examine(self, folder: Path) -> Report:
        return examine(self.write(folder, "train"), [self.write(folder, "test")], sizes=())

    def write(self, folder: Path, name: str) -> ParallelFiles:
        test = name == "test"
        sides = (self.test_source, self.test_target) if test else (self.source, self.target)
        paths = [folder / f"{name}.{language}" for language in ("en", "de")]
        for path, lines in zip(paths, sides, strict=True):
            path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return ParallelFiles(str(paths[0]), str(paths[1]), name=name)


@pytest.fixture
def sides() -> Sides:
    return Sides(
        lines_of("train", "en", 3_000),
        lines_of("train", "de", 3_000),
        lines_of("test_2016_flickr", "en", 500),
        lines_of("test_2016_flickr", "de", 500),
    )


def defects(report: Report) -> set[tuple[str, str]]:
    return {(f.corpus, f.kind) for f in report.findings if f.severity == "defect"}


def only(report: Report, corpus: str, kind: str) -> Finding:
    """Return the finding of a kind, which must be the only defect."""
    assert defects(report) == {(corpus, kind)}
    return next(f for f in report.findings if (f.corpus, f.kind) == (corpus, kind))


def test_multi30k_has_no_defects() -> None:
    folder = DATA / "multi30k"

    def corpus(name: str) -> ParallelFiles:
        return ParallelFiles(
            str(folder / f"{name}.en.gz"), str(folder / f"{name}.de.gz"), name=name
        )

    report = examine(corpus("train"), [corpus("val"), corpus("test_2016_flickr")], sizes=())
    assert defects(report) == set() and report.healthy
    overlaps = {f.corpus: f.count for f in report.findings if f.kind == "overlap"}
    assert overlaps == {"val": 1}  # listed in its README
    assert [summary.pairs for summary in report.corpora] == [29_000, 1_014, 1_000]
    assert not {"shifted", "unrelated", "empty", "damaged text"} & {f.kind for f in report.findings}


def test_a_missing_line_is_found(sides: Sides, tmp_path: Path) -> None:
    del sides.target[2_990]
    found = only(sides.examine(tmp_path), "train", "unequal count")
    assert (
        "train.de: ends after line 2999" in found.message and "train.en has 3000" in found.message
    )


def test_a_shift_by_one_line_is_located(sides: Sides, tmp_path: Path) -> None:
    del sides.target[1_000]
    sides.target.append("Noch eine Zeile, damit die Zahl stimmt.")
    found = only(sides.examine(tmp_path), "train", "shifted")
    assert "Pairs 1,001 to 3,000" in found.message and "1 line earlier" in found.message


@pytest.mark.parametrize("offset", [-2, -1, 1, 2])
def test_a_shift_of_the_whole_file_is_found(offset: int, sides: Sides, tmp_path: Path) -> None:
    sides.target = sides.target[-offset:] + sides.target[:-offset]
    found = only(sides.examine(tmp_path), "train", "shifted")
    direction = "later" if offset > 0 else "earlier"
    assert re.search(rf"\b{abs(offset)} lines? {direction}", found.message)
    assert found.count == 3_000


def test_unrelated_sides_are_found(sides: Sides, tmp_path: Path) -> None:
    Random(0).shuffle(sides.target)
    only(sides.examine(tmp_path), "train", "unrelated")


def test_swapped_lines_are_found_by_their_numbers(sides: Sides, tmp_path: Path) -> None:
    for line in range(500, 1_500, 100):
        sides.source[line] += f" Number {line} of 1,000."
        sides.target[line] += f" Nummer {line} von 1.000."
    sides.target[600], sides.target[601] = sides.target[601], sides.target[600]
    sides.target[899], sides.target[900] = sides.target[900], sides.target[899]
    found = only(sides.examine(tmp_path), "train", "swapped lines")
    assert found.count == 4 and [e.line for e in found.examples] == [601, 602, 900]


def test_empty_lines_are_found(sides: Sides, tmp_path: Path) -> None:
    sides.target[100] = sides.target[101] = ""
    sides.source[200] = " \t\u3000"
    sides.source[300] = sides.target[300] = ""
    found = only(sides.examine(tmp_path), "train", "empty")
    assert found.count == 4 and [e.line for e in found.examples] == [101, 102, 201]


def test_duplicate_pairs_are_found(sides: Sides, tmp_path: Path) -> None:
    sides.source += [f"  {line} " for line in sides.source[:600]]
    sides.target += sides.target[:600]
    found = only(sides.examine(tmp_path), "train", "duplicate")
    assert found.count == 600 and found.examples[0].line == 3_001


def test_test_sentences_in_training_are_found(sides: Sides, tmp_path: Path) -> None:
    sides.source[50:60] = sides.test_source[20:30]
    sides.target[50:60] = sides.test_target[20:30]
    found = only(sides.examine(tmp_path), "test", "overlap")
    assert found.count == 10 and found.examples[0].line == 21


def test_lines_that_are_too_long_are_found(sides: Sides, tmp_path: Path) -> None:
    for line in range(0, 3_000, 90):
        sides.source[line] *= 200
        sides.target[line] *= 200
    found = only(sides.examine(tmp_path), "train", "too long")
    assert found.count >= 30


def test_sides_of_very_different_length_are_found(sides: Sides, tmp_path: Path) -> None:
    for line in range(0, 3_000, 60):
        sides.target[line] = " ".join([sides.target[line]] * 5)
    found = only(sides.examine(tmp_path), "train", "out of ratio")
    assert found.count >= 45 and found.examples[0].line == 1


def test_copies_of_the_source_are_found(sides: Sides, tmp_path: Path) -> None:
    for line in range(0, 3_000, 60):
        sides.target[line] = sides.source[line]
    assert only(sides.examine(tmp_path), "train", "identical").count == 50


def test_lines_in_another_script_are_found(sides: Sides, tmp_path: Path) -> None:
    for line in range(7, 3_000, 150):
        sides.target[line] = "Двое мужчин стоят у плиты и готовят еду."
    found = only(sides.examine(tmp_path), "train", "wrong script")
    assert found.count == 20 and found.examples[0].line == 8


def test_pairs_with_swapped_sides_are_found(sides: Sides, tmp_path: Path) -> None:
    for line in range(7, 3_000, 150):
        source, target = sides.source[line], sides.target[line]
        sides.source[line], sides.target[line] = target, source
    assert only(sides.examine(tmp_path), "train", "other language").count >= 18


def test_a_test_set_with_swapped_sides_is_found(sides: Sides, tmp_path: Path) -> None:
    sides.test_source, sides.test_target = sides.test_target, sides.test_source
    report = sides.examine(tmp_path)
    assert ("test", "other language") in defects(report)
    found = next(f for f in report.findings if f.kind == "other language")
    assert found.corpus == "test" and found.share > 0.95


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize("language", ["fr", "cs"])
def test_lines_of_a_third_language_are_found(
    language: str, side: str, sides: Sides, tmp_path: Path
) -> None:
    """Also where they are so many that their trigrams are frequent on their side."""
    third = lines_of("train", language, 3_000)
    for line in range(7, 3_000, 20):
        getattr(sides, side)[line] = third[line]
    assert only(sides.examine(tmp_path), "train", "third language").count >= 100  # of 150


def test_names_do_not_make_another_language(sides: Sides, tmp_path: Path) -> None:
    assert "Justin Bieber" in sides.source[28]
    report = sides.examine(tmp_path)
    languages = [f for f in report.findings if f.kind in ("third language", "other language")]
    assert not any(example.line == 29 for f in languages for example in f.examples)


def test_empty_lines_do_not_make_their_neighbors_unrelated(sides: Sides, tmp_path: Path) -> None:
    for line in range(7, 3_000, 8):
        sides.target[line] = ""
    only(sides.examine(tmp_path), "train", "empty")


def test_wrongly_decoded_text_is_found(sides: Sides, tmp_path: Path) -> None:
    umlauts = [n for n, line in enumerate(sides.target) if re.search("[äöü]", line)][:10]
    for line in umlauts:
        sides.target[line] = sides.target[line].encode().decode("cp1252", "replace")
    found = only(sides.examine(tmp_path), "train", "damaged text")
    assert found.count == 10 and found.examples[0].line == umlauts[0] + 1


def test_characters_that_occur_only_in_the_test_set_are_found(sides: Sides, tmp_path: Path) -> None:
    for line in range(0, 500, 25):
        sides.test_target[line] += " ☂"
    found = only(sides.examine(tmp_path), "test", "unseen characters")
    assert found.count >= 20


def test_a_file_that_cannot_be_read_is_found(sides: Sides, tmp_path: Path) -> None:
    sides.source, sides.target = lines_of("train", "en", 25_000), lines_of("train", "de", 25_000)
    corpus = sides.write(tmp_path, "train")
    compressed = gzip.compress(Path(corpus.target).read_bytes())
    (tmp_path / "train.de.gz").write_bytes(compressed[: len(compressed) * 9 // 10])
    report = examine(replace(corpus, target=f"{corpus.target}.gz"), sizes=())
    assert "train.de.gz: damaged" in only(report, "train", "unreadable").message
    (tmp_path / "train.de.gz").write_bytes(compressed[:100])
    with pytest.raises(CorpusError, match=r"train\.de\.gz: damaged"):
        examine(replace(corpus, target=f"{corpus.target}.gz"), sizes=())


def test_an_empty_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"train\.en.*no pairs"):
        examine(Sides([], [], [], []).write(tmp_path, "train"))


def test_a_single_pair_can_be_examined(tmp_path: Path) -> None:
    report = examine(Sides(["a cat"], ["eine Katze"], [], []).write(tmp_path, "train"))
    assert report.healthy and report.corpora[0].pairs == 1


def test_unrelated_pairs_are_found_in_a_published_corpus() -> None:
    """TICO-19 en-fr: about 250 sentences of one document are in another order in French."""
    path = DATA / "tico19-en-fr" / "tico19.en-fr.tmx.gz"
    report = examine(Tmx(str(path), "en", "fr", name="tico"), sizes=())
    assert report.corpora[0].pairs == 3_071
    found = only(report, "tico", "unrelated")
    assert 150 <= found.count <= 350 and re.match(r"Pairs (4|5)\d\d to (6|7)\d\d:", found.message)


def test_vocabularies_and_forecast_are_plausible(sides: Sides, tmp_path: Path) -> None:
    report = examine(sides.write(tmp_path, "train"), sizes=(2_000, 8_000))
    ratios = [vocabulary.pieces_per_word for vocabulary in report.vocabularies]
    assert len(ratios) == 2 and ratios == sorted(ratios, reverse=True)
    assert all(1 <= ratio < 3 for ratio in ratios)
    assert report.forecast.disk > 2 * report.forecast.pieces > 0


def run(folder: Path, *options: str) -> tuple[int, str]:
    app = Typer()
    app.command()(doctor)
    names = [str(folder / name) for name in ("train.en", "train.de")]
    test = ["--test", str(folder / "test.en"), str(folder / "test.de")]
    result = CliRunner().invoke(app, [*names, *test, *options])
    return result.exit_code, result.output


def test_the_exit_status_is_one_if_there_is_a_defect(sides: Sides, tmp_path: Path) -> None:
    for name in ("train", "test"):
        sides.write(tmp_path, name)
    code, text = run(tmp_path)
    assert code == 0 and "Ready for training" in text
    sides.target[:100] = [""] * 100
    sides.write(tmp_path, "train")
    code, text = run(tmp_path)
    assert code == FAILED_CHECK and "1 defect found" in text and "train: empty" in text
    code, text = run(tmp_path, "--json")
    report = json.loads(text)
    assert code == FAILED_CHECK and report["healthy"] is False
    assert {finding["kind"] for finding in report["findings"]} <= set(CHECKS)


def test_the_page_is_self_contained_and_escapes_texts(sides: Sides, tmp_path: Path) -> None:
    sides.target[5] = "</dd><script>alert(1)</script> <img src=x onerror=alert(1)>\ufffd"
    sides.write(tmp_path, "train")
    sides.write(tmp_path, "test")
    run(tmp_path, "--html", str(tmp_path / "report.html"))
    text = (tmp_path / "report.html").read_text()
    assert "<script" not in text and "<img" not in text and "&lt;script&gt;" in text
    assert not re.search(r"https?://|url\(|@import", text)
    assert text.count("<svg") == 4 and len(text) < 100_000
    assert doctor_page(sides.examine(tmp_path)).startswith("<!doctype html>")


def test_the_languages_of_the_sides_are_identified(sides: Sides, tmp_path: Path) -> None:
    report = sides.examine(tmp_path)
    assert [corpus.languages for corpus in report.corpora] == [("en", "de")] * 2
    assert not defects(report)


def test_a_whole_side_in_the_wrong_language_is_a_defect(sides: Sides, tmp_path: Path) -> None:
    sides.target = lines_of("train", "fr", 3_000)
    sides.test_target = lines_of("test_2016_flickr", "fr", 500)
    found = [f for f in sides.examine(tmp_path).findings if f.kind == "wrong language"]
    assert [(f.corpus, f.severity) for f in found] == [("train", "defect"), ("test", "defect")]
    assert found[0].message == (
        f"The language of the target is fr, but the name of {tmp_path / 'train.de'} says de."
    )


def test_swapped_files_are_a_defect(sides: Sides, tmp_path: Path) -> None:
    sides.source, sides.target = sides.target, sides.source
    found = [f for f in sides.examine(tmp_path).findings if f.kind == "wrong language"]
    assert [f.corpus for f in found].count("train") == 2


def test_a_test_set_in_another_language_than_the_training_set_is_a_defect(
    sides: Sides, tmp_path: Path
) -> None:
    train = sides.write(tmp_path, "train")
    french = lines_of("test_2016_flickr", "fr", 500)
    for name, lines in (("held-out-1", sides.test_source), ("held-out-2", french)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = (str(tmp_path / f"held-out-{number}") for number in (1, 2))
    report = examine(train, [ParallelFiles(*names, name="test")], sizes=())
    message = next(f.message for f in report.findings if f.kind == "wrong language")
    assert message == "The language of the target is fr, but that of the training set is de."
