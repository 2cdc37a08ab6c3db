"""The commands `regard evaluate` and `regard compare`."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from typer import Typer
from typer.testing import CliRunner, Result

from regard.bundle.bundle import SCORES, open_bundle
from regard.cli.compare import compare, short_names
from regard.cli.evaluate import evaluate
from regard.cli.train import train
from regard.errors import FAILED_CHECK, ConfigError, CorpusError
from regard.evaluate.scores import score_corpus
from regard.tasks.training import RunDirectory
from tests.random_sentences import corrupt, sentence
from tests.toy_corpus import TRANSFORMER, Toy, make_toy

APP = Typer()
APP.command()(evaluate)
APP.command()(compare)
APP.command()(train)


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(APP, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with sources, references, and the outputs of an old and a new system."""
    random = Random(0)
    references = [sentence(random, 2 + i % 30) for i in range(60)]
    texts = {
        "source": [sentence(random, 2 + i % 30) for i in range(60)],
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


def test_evaluate_prints_scores_with_intervals_and_signatures(files: Path) -> None:
    result = run("evaluate", "--outputs", files / "old", *texts_of(files))
    values = score_corpus(lines_of(files / "old"), lines_of(files / "reference")).values
    assert result.exit_code == 0
    assert all(f"{value:.2f}" in result.output for value in values.values())
    assert "95 %" in result.output and "BLEU: nrefs:1|case:mixed" in result.output
    assert "11–20" not in result.output


def test_evaluate_by_length_prints_every_bucket_that_has_sentences(files: Path) -> None:
    result = run("evaluate", "--outputs", files / "old", *texts_of(files), "--by-length")
    assert all(lengths in result.output for lengths in ("1–10", "11–20", "21–30", "31–40"))
    assert "41–50" not in result.output  # no source is that long


def test_evaluate_prints_the_same_scores_as_json(files: Path) -> None:
    result = run("evaluate", "--outputs", files / "old", *texts_of(files), "--json")
    report = json.loads(result.output)
    values = score_corpus(lines_of(files / "old"), lines_of(files / "reference")).values
    assert {name: each["value"] for name, each in report["scores"].items()} == values
    assert "buckets" not in report
    result = run("evaluate", "--outputs", files / "old", *texts_of(files), "--json", "--by-length")
    assert sum(bucket["sentences"] for bucket in json.loads(result.output)["buckets"]) == 60


def test_evaluate_writes_a_figure(files: Path) -> None:
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
    with pytest.raises(CorpusError, match="nowhere"):
        run("evaluate", "--outputs", files / "nowhere", *texts_of(files))


def test_files_of_different_length_are_refused_before_translating(files: Path) -> None:
    (files / "short").write_text("one line\n")
    texts = ["--source", files / "source", "--reference", files / "short"]
    for command in (["evaluate", "no-model"], ["compare", "no-model", "no-other"]):
        with pytest.raises(CorpusError, match=r"short: .*line 1"):
            run(*command, *texts)


def test_links_are_scored_without_a_model(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("1-1 2?2\n1-2\n")
    (tmp_path / "links").write_text("0-0 1-1\n0-0\n")
    options = ["--alignments", tmp_path / "gold", "--links", tmp_path / "links", "--one-based"]
    values = json.loads(run("evaluate", *options, "--json").output)
    # A = 3, S = 2, A ∩ S = 1, A ∩ P = 2
    assert values["aer"] == pytest.approx(40)
    assert (values["precision"], values["recall"]) == pytest.approx((200 / 3, 50))
    assert "40.00" in run("evaluate", *options).output


def test_alignment_scores_need_a_model_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("0-0\n")
    assert run("evaluate", "--alignments", tmp_path / "gold").exit_code == 2


def test_compare_prints_differences_and_changed_sentences(files: Path) -> None:
    result = run("compare", files / "old", files / "new", *texts_of(files))
    assert result.exit_code == 0
    assert "60 sentences, baseline old" in result.output
    assert "largest gains" in result.output and "+" in result.output


def test_brackets_in_names_and_texts_are_not_markup(files: Path) -> None:
    for name in ("old", "new"):
        lines = [f"[bold]{line}[/]" for line in lines_of(files / name)]
        (files / f"[red]{name}").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    result = run("compare", files / "[red]old", files / "[red]new", *texts_of(files))
    assert "baseline [red]old" in result.output and "[bold]" in result.output


def test_a_failed_gate_has_its_own_exit_code_and_a_reason(files: Path) -> None:
    gate = ["--gate", "bleu=-0.3", "--gate", "chrf=-0.3"]
    assert run("compare", files / "old", files / "new", *texts_of(files), *gate).exit_code == 0
    result = run("compare", files / "new", files / "old", *texts_of(files), *gate, "--json")
    assert result.exit_code == FAILED_CHECK
    assert "regard: old fails: bleu −" in result.stderr
    verdicts = json.loads(result.stdout)["verdicts"]
    assert [verdict["passed"] for verdict in verdicts] == [False, False]


def test_an_invalid_gate_is_refused_before_translating(files: Path) -> None:
    with pytest.raises(ConfigError, match="gate"):
        run("compare", "no-model", "no-other", *texts_of(files), "--gate", "quality=1")


def test_compare_writes_a_page(files: Path) -> None:
    html = files / "report.html"
    run("compare", files / "old", files / "new", *texts_of(files), "--html", html)
    assert html.read_text("utf-8").startswith("<!doctype html>")


def test_compare_needs_two_different_systems(files: Path) -> None:
    for wrong in ([files / "old"], [files / "old", files / "old"]):
        assert run("compare", *wrong, *texts_of(files)).exit_code == 2


def test_systems_are_named_relative_to_their_common_directory() -> None:
    assert short_names(["out/a.de", "out/b.de"]) == ["a.de", "b.de"]
    assert short_names(["run-a/model", "run-b/model/"]) == ["run-a/model", "run-b/model"]
    assert short_names(["model", "model/other"]) == ["model", "model/other"]


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    return make_toy(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def home(toy: Toy) -> RunDirectory:
    home = toy.run_directory("trained")
    run(*toy.arguments(TRANSFORMER, home, "train.steps=40", "train.validate_every=20"))
    return home


def test_a_model_scores_exactly_as_in_training(toy: Toy, home: RunDirectory) -> None:
    files = ["--source", toy.folder / "valid.a", "--reference", toy.folder / "valid.b"]
    outputs = home.path / "outputs"
    values = json.loads(run("evaluate", home.model, *files, "--out", outputs, "--json").output)
    trained = json.loads(open_bundle(home.model).read(SCORES))["values"]
    found = {name: each["value"] for name, each in values["scores"].items()}
    assert found == {name: trained[name] for name in found}
    again = json.loads(run("evaluate", "--outputs", outputs, *files, "--json").output)
    assert again == values


def test_a_model_is_compared_with_a_file_of_outputs(toy: Toy, home: RunDirectory) -> None:
    files = ["--source", toy.folder / "valid.a", "--reference", toy.folder / "valid.b"]
    outputs = home.path / "beam-3"
    run("evaluate", home.model, *files, "--out", outputs, "--beam-size", "3")
    values = json.loads(
        run("compare", home.model, outputs, *files, "--beam-size", "3", "--json").output
    )
    assert values["name"] == "model" and values["candidates"][0]["name"] == "beam-3"
    assert values["candidates"][0]["changed"] == 0


def test_the_word_links_of_a_model_are_scored(toy: Toy, home: RunDirectory) -> None:
    """The toy task reverses its input, so source word i links to target word n - 1 - i."""
    sides = [(toy.folder / f"valid.{side}").read_text().splitlines() for side in "ab"]
    counts = [len(line.split()) for line in sides[0]]
    gold = home.path / "gold"
    gold.write_text(
        "".join(" ".join(f"{i}-{n - 1 - i}" for i in range(n)) + "\n" for n in counts), "utf-8"
    )
    options = ["--alignments", gold, "--source", toy.folder / "valid.a"]
    options += ["--target", toy.folder / "valid.b", "--json"]
    values = json.loads(run("evaluate", home.model, *options).output)
    assert values["sure"] == values["possible"] == sum(counts)
    assert values["links"] > 0 and 0 <= values["aer"] <= 100
    gold.write_text("99-0\n" * len(counts))
    with pytest.raises(CorpusError, match=r"gold, line 1: .*from 1"):
        run("evaluate", home.model, *options)
