"""`regard evaluate` and `regard compare`, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from click.testing import Result
from typer import Typer
from typer.testing import CliRunner

from regard.bundle.bundle import SCORES, open_bundle
from regard.cli.compare import compare, short_names
from regard.cli.evaluate import evaluate
from regard.cli.train import train
from regard.errors import ConfigError, CorpusError
from regard.evaluate.scores import score_corpus
from regard.tasks.training import RunDirectory
from tests.random_sentences import corrupt, sentence
from tests.toy_corpus import TRANSFORMER, Toy, make_toy

APP = Typer()
APP.command()(evaluate)
APP.command()(compare)
APP.command()(train)


def run(*arguments: str | Path) -> Result:
    answer = CliRunner().invoke(APP, [str(argument) for argument in arguments])
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise answer.exception
    return answer


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with sources, references, and outputs that are the old and the new ones."""
    random = Random(0)
    references = [sentence(random, 2 + place % 30) for place in range(60)]
    texts = {
        "source": [sentence(random, 2 + place % 30) for place in range(60)],
        "reference": references,
        "old": [corrupt(random, text, 0.4) for text in references],
        "new": [corrupt(random, text, 0.1) for text in references],
    }
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return tmp_path


def texts_of(folder: Path) -> list[str]:
    return ["--source", str(folder / "source"), "--reference", str(folder / "reference")]


def lines_of(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def test_evaluate_shows_scores_with_their_intervals_and_signatures(files: Path) -> None:
    answer = run("evaluate", "--outputs", files / "old", *texts_of(files))
    values = score_corpus(lines_of(files / "old"), lines_of(files / "reference")).values
    assert answer.exit_code == 0
    assert all(f"{value:.2f}" in answer.output for value in values.values())
    assert "95 %" in answer.output and "BLEU: nrefs:1|case:mixed" in answer.output
    assert "11–20" not in answer.output


def test_evaluate_by_length_shows_every_bucket_that_has_sentences(files: Path) -> None:
    answer = run("evaluate", "--outputs", files / "old", *texts_of(files), "--by-length")
    assert all(lengths in answer.output for lengths in ("1–10", "11–20", "21–30", "31–40"))
    assert "41–50" not in answer.output  # no source is so long


def test_evaluate_as_json_has_the_very_scores(files: Path) -> None:
    answer = run("evaluate", "--outputs", files / "old", *texts_of(files), "--json")
    facts = json.loads(answer.output)
    values = score_corpus(lines_of(files / "old"), lines_of(files / "reference")).values
    assert {name: each["value"] for name, each in facts["scores"].items()} == values
    assert "buckets" not in facts
    answer = run("evaluate", "--outputs", files / "old", *texts_of(files), "--json", "--by-length")
    assert sum(bucket["sentences"] for bucket in json.loads(answer.output)["buckets"]) == 60


def test_evaluate_draws_a_figure(files: Path) -> None:
    figure = files / "lengths.svg"
    run("evaluate", "--outputs", files / "old", *texts_of(files), "--figure", figure)
    assert "old" in [element.text for element in ElementTree.parse(figure).iter()]


def test_evaluate_needs_either_a_model_or_outputs(files: Path) -> None:
    for wrong in (
        texts_of(files),
        ["model", "--outputs", str(files / "old"), *texts_of(files)],
        ["--outputs", str(files / "old"), "--source", str(files / "source")],
    ):
        assert run("evaluate", *wrong).exit_code == 2


def test_a_missing_file_is_named(files: Path) -> None:
    with pytest.raises(CorpusError, match="nowhere: cannot be opened"):
        run("evaluate", "--outputs", files / "nowhere", *texts_of(files))


def test_sides_that_do_not_match_are_refused_before_anything_is_translated(files: Path) -> None:
    (files / "short").write_text("one line\n")
    texts = ["--source", files / "source", "--reference", files / "short"]
    for command in (["evaluate", "no-model"], ["compare", "no-model", "nor-this"]):
        with pytest.raises(CorpusError, match="short: ends after line 1"):
            run(*command, *texts)


def test_links_are_scored_without_a_model(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("1-1 2?2\n1-2\n")
    (tmp_path / "links").write_text("0-0 1-1\n0-0\n")
    options = ["--alignments", tmp_path / "gold", "--links", tmp_path / "links", "--one-based"]
    facts = json.loads(run("evaluate", *options, "--json").output)
    # A = 3, S = 2, A ∩ S = 1, A ∩ P = 2
    assert facts["aer"] == pytest.approx(40)
    assert (facts["precision"], facts["recall"]) == pytest.approx((200 / 3, 50))
    assert "40.00" in run("evaluate", *options).output


def test_links_need_a_model_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("0-0\n")
    assert run("evaluate", "--alignments", tmp_path / "gold").exit_code == 2


def test_compare_shows_differences_and_what_changed(files: Path) -> None:
    answer = run("compare", files / "old", files / "new", *texts_of(files))
    assert answer.exit_code == 0
    assert "60 sentences, against old" in answer.output
    assert "largest gains" in answer.output and "+" in answer.output


def test_brackets_in_names_and_texts_are_shown_as_they_are(files: Path) -> None:
    for name in ("old", "new"):
        lines = [f"[bold]{line}[/]" for line in lines_of(files / name)]
        (files / f"[red]{name}").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    answer = run("compare", files / "[red]old", files / "[red]new", *texts_of(files))
    assert "against [red]old" in answer.output and "[bold]" in answer.output


def test_a_gate_that_fails_ends_with_1_and_the_reason(files: Path) -> None:
    gate = ["--gate", "bleu=-0.3", "--gate", "chrf=-0.3"]
    assert run("compare", files / "old", files / "new", *texts_of(files), *gate).exit_code == 0
    answer = run("compare", files / "new", files / "old", *texts_of(files), *gate, "--json")
    assert answer.exit_code == 1
    assert "regard: old fails: bleu −" in answer.stderr
    verdicts = json.loads(answer.stdout)["verdicts"]
    assert [verdict["passed"] for verdict in verdicts] == [False, False]


def test_a_gate_is_read_before_anything_is_translated(files: Path) -> None:
    with pytest.raises(ConfigError, match="gate"):
        run("compare", "no-model", "nor-this", *texts_of(files), "--gate", "quality=1")


def test_compare_writes_a_page(files: Path) -> None:
    html = files / "report.html"
    run("compare", files / "old", files / "new", *texts_of(files), "--html", html)
    assert html.read_text("utf-8").startswith("<!doctype html>")


def test_two_systems_are_needed_and_none_twice(files: Path) -> None:
    for wrong in ([files / "old"], [files / "old", files / "old"]):
        assert run("compare", *wrong, *texts_of(files)).exit_code == 2


def test_systems_are_named_by_what_tells_them_apart() -> None:
    assert short_names(["out/a.de", "out/b.de"]) == ["a.de", "b.de"]
    assert short_names(["run-a/model", "run-b/model/"]) == ["run-a/model", "run-b/model"]
    assert short_names(["model", "model/other"]) == ["model", "model/other"]


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    return make_toy(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def home(toy: Toy) -> RunDirectory:
    home = toy.home("trained")
    run(*toy.arguments(TRANSFORMER, home, "train.steps=40", "train.validate_every=20"))
    return home


def test_a_model_scores_as_it_did_in_training_to_the_last_bit(toy: Toy, home: RunDirectory) -> None:
    files = ["--source", toy.folder / "valid.a", "--reference", toy.folder / "valid.b"]
    said = home.path / "said"
    facts = json.loads(run("evaluate", home.model, *files, "--out", said, "--json").output)
    trained = json.loads(open_bundle(home.model).read(SCORES))["values"]
    found = {name: each["value"] for name, each in facts["scores"].items()}
    assert found == {name: trained[name] for name in found}
    again = json.loads(run("evaluate", "--outputs", said, *files, "--json").output)
    assert again == facts


def test_a_model_is_compared_with_outputs(toy: Toy, home: RunDirectory) -> None:
    files = ["--source", toy.folder / "valid.a", "--reference", toy.folder / "valid.b"]
    said = home.path / "by-three"
    run("evaluate", home.model, *files, "--out", said, "--beam-size", "3")
    facts = json.loads(run("compare", home.model, said, *files, "--beam-size", "3", "--json").output)
    assert facts["name"] == "model" and facts["candidates"][0]["name"] == "by-three"
    assert facts["candidates"][0]["changed"] == 0


def test_the_links_of_a_model_are_scored(toy: Toy, home: RunDirectory) -> None:
    """Of numbers said backwards every word but the middle one links to another place."""
    sides = [(toy.folder / f"valid.{side}").read_text().splitlines() for side in "ab"]
    counts = [len(line.split()) for line in sides[0]]
    gold = home.path / "gold"
    gold.write_text(
        "".join(" ".join(f"{i}-{n - 1 - i}" for i in range(n)) + "\n" for n in counts), "utf-8"
    )
    options = ["--alignments", gold, "--source", toy.folder / "valid.a"]
    options += ["--target", toy.folder / "valid.b", "--json"]
    facts = json.loads(run("evaluate", home.model, *options).output)
    assert facts["sure"] == facts["possible"] == sum(counts)
    assert facts["links"] > 0 and 0 <= facts["aer"] <= 100
    gold.write_text("99-0\n" * len(counts))
    with pytest.raises(CorpusError, match=r"gold, line 1: .* does the file count from 1"):
        run("evaluate", home.model, *options)
