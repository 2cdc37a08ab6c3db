"""`regard demo`: the generated pairs, the accuracy by length, and the files that it leaves."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import date
from itertools import islice
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from regard.bundle.bundle import open_bundle
from regard.cli.main import app
from regard.data.filters import Limits, drop_reasons
from regard.data.formats.corpus import read_parallel
from regard.evaluate.scores import length_buckets
from regard.studies.demo import (
    EDGES,
    ENTRIES,
    FULL,
    SENTENCE,
    DemoSize,
    demo_runs,
    example_pairs,
    generate_dates,
    generate_sentences,
    known_words,
    measure_accuracy,
    pair_files,
    word_links,
    write_pairs,
)
from regard.studies.measures.measure import Cost, TrainedRun
from regard.text.tokenizer import SentencePiece
from tests.command import run_cli

PHRASES = {
    "a white horse": "un cheval blanc",
    "a white mouse": "une souris blanche",
    "three big grey hens": "trois grandes poules grises",
    "two big green horses": "deux grands chevaux verts",
    "these green hats": "ces chapeaux verts",
    "this big boat": "ce grand bateau",
}


def test_noun_phrases_agree_and_change_their_order() -> None:
    found = dict(islice(generate_sentences(1), 12_000))
    assert {english: found[english] for english in PHRASES} == PHRASES


def test_clauses_are_joined_in_order() -> None:
    known = set(known_words().split())
    joined = [
        (english, french)
        for english, french in islice(generate_sentences(2), 500)
        if " but " in english
    ]
    assert joined
    for english, french in joined:
        assert set(english.split()) <= known
        assert english.split().count("but") == french.split().count("mais")
        articles = ["un", "une", "le", "la", "les", "ce", "cette", "ces", "deux", "trois"]
        assert all(clause.split()[0] in articles for clause in french.split(" mais "))


def test_links_join_the_words_of_a_pair() -> None:
    links = word_links(
        "a big black cat looks for two hens", "un grand chat noir cherche deux poules"
    )
    assert links == {(0, 0), (1, 1), (2, 3), (3, 2), (4, 4), (5, 4), (6, 5), (7, 6)}
    for english, french in islice(generate_sentences(3), 300):
        links = word_links(english, french)
        assert {source for source, _ in links} == set(range(len(english.split())))
        assert {target for _, target in links} == set(range(len(french.split())))


def test_the_words_of_the_grammar_are_pieces(tmp_path: Path) -> None:
    write_pairs(tmp_path, FULL)
    settings = demo_runs(tmp_path, FULL)[0].config.data
    pairs = read_parallel(*pair_files(tmp_path, "train"))
    lines = [line for side in pairs for line in side]
    tokenizer = SentencePiece.train(lines, size=settings.vocabulary, kind=settings.subword_model)
    words = {
        word
        for pair in islice(generate_sentences(4), 2_000)
        for text in pair
        for word in text.split()
    }
    assert [word for word in sorted(words) if len(tokenizer.pieces(word).ids) > 1] == []


def test_dates_are_written_in_several_ways() -> None:
    pairs = list(islice(generate_dates(1), 2_000))
    assert len({source for source, _ in pairs}) == len(pairs)
    shapes = set()
    for source, target in pairs:
        day = date.fromisoformat(target)
        assert str(day.year) in source and f"{day:%B}" in source
        shapes.add(re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "0", source)))
    assert {"a a a a 0", "0 a 0", "a 0, 0", "a, 0 a 0", "a 0a a a 0"} <= shapes


def test_no_source_is_in_two_splits_and_all_lengths_are_tested(tmp_path: Path) -> None:
    write_pairs(tmp_path, FULL)
    splits = {
        name: read_parallel(*pair_files(tmp_path, name)) for name in ("train", "valid", "test")
    }
    sources = [source for sides in splits.values() for source in sides[0]]
    assert len(set(sources)) == len(sources)
    assert len(splits["train"][0]) == FULL.sentences + FULL.dates
    test = splits["test"][0]
    assert all(len(rows) >= 20 for rows in length_buckets(test, test, EDGES).values())
    assert set(SENTENCE.split()) <= set(known_words().split())


def test_the_generator_is_reproducible(tmp_path: Path) -> None:
    size = DemoSize(50, 10, 12, 4, 1)
    for name in ("one", "two"):
        write_pairs(tmp_path / name, size)
    one, two = (read_parallel(*pair_files(tmp_path / name, "train")) for name in ("one", "two"))
    assert one == two


def test_the_preparation_keeps_every_pair(tmp_path: Path) -> None:
    write_pairs(tmp_path, FULL)
    settings = demo_runs(tmp_path, FULL)[0].config.data.build()
    pairs = read_parallel(*pair_files(tmp_path, "train"))
    assert settings.limits is not None and settings.dedupe == "exact"
    assert not any(drop_reasons(*pairs, settings.limits))
    assert any(drop_reasons(*pairs, Limits()))  # the default drops the dates


def test_the_models_differ_in_one_setting(tmp_path: Path) -> None:
    attention, fixed = (run.config.model_dump() for run in demo_runs(tmp_path, FULL))
    assert attention["model"]["decoder"]["attention"]["span"]["kind"] == "everywhere"
    assert fixed["model"]["decoder"]["attention"]["span"]["kind"] == "last"
    for config in (attention, fixed):
        del config["model"]["decoder"]["attention"]["span"]
    assert attention == fixed


def test_accuracy_is_the_share_of_exact_translations_by_length(tmp_path: Path) -> None:
    size = DemoSize(5, 5, 120, 10, 1)
    write_pairs(tmp_path, size)
    runs = demo_runs(tmp_path, size)
    sources, references = read_parallel(*runs[0].test)
    outputs = [
        references,
        [r if len(s.split()) <= 5 else "" for s, r in zip(sources, references, strict=True)],
    ]
    for run, lines in zip(runs, outputs, strict=True):
        run.directory.path.mkdir()
        run.outputs.write_text("".join(f"{line}\n" for line in lines))
    cost = Cost(1, 1, 1.0, 1.0, 1)
    first, *rows, dates = measure_accuracy([TrainedRun(run, cost) for run in runs])
    assert first.kind == "1–5 words" and first.shares == {"attention": 1.0, "fixed vector": 1.0}
    assert all(row.shares == {"attention": 1.0, "fixed vector": 0.0} for row in rows)
    assert dates.kind == "dates" and dates.sentences == 10
    assert sum(row.sentences for row in (first, *rows)) == 120
    assert example_pairs(tmp_path)[1][1][:4].isdigit()


def invoke(arguments: Sequence[str]) -> Result:
    return CliRunner(env={"COLUMNS": "300"}).invoke(app, ["demo", *arguments])


def test_keep_leaves_a_folder_to_go_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kept = tmp_path / "kept"
    arguments = ["demo", "--quick", "--keep", "kept"]
    output = run_cli(arguments)
    assert all(text in output for text in ("fixed vector", "6–10 words", "dates"))
    assert "no prompt" in output and "regard-demo.html" in output
    page = (tmp_path / "regard-demo.html").read_text()
    assert SENTENCE.split()[2] in page
    models = [kept / "quick" / entry.stem / "model" for entry in ENTRIES]
    for model in models:
        open_bundle(model)
        assert (model.parent / "run.yaml").is_file()
    source = pair_files(kept / "quick", "test")[0]
    translated = run_cli(["translate", str(models[0]), "--source", source])
    assert len(translated.splitlines()) == len(Path(source).read_text().splitlines())

    saved = [(model / "weights.safetensors").stat().st_mtime_ns for model in models]
    assert run_cli(arguments) == output
    assert saved == [(model / "weights.safetensors").stat().st_mtime_ns for model in models]


def test_a_folder_of_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("do not overwrite")
    html = str(tmp_path / "page.html")
    result = invoke(["--quick", "--keep", str(tmp_path), "--html", html])
    assert result.exit_code == 2 and "not empty" in result.output
    result = invoke(["--quick", "--keep", str(tmp_path / "thesis.txt"), "--html", html])
    assert result.exit_code == 2 and "is a file" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("page", ["missing/page.html", "page.txt"])
def test_a_page_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, page: str
) -> None:
    result = invoke(["--quick", "--html", str(tmp_path / page)])
    assert result.exit_code == 2 and Path(page).name in result.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_demo_shows_the_bottleneck_in_two_minutes(tmp_path: Path) -> None:
    """On two free cores. The time is that of the training steps, without imports."""
    began = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "regard", "demo", "--keep", "kept"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        check=True,
    )
    assert time.monotonic() - began < 240
    kept = tmp_path / "kept"
    trained = [TrainedRun.read(run) for run in demo_runs(kept, FULL)]
    assert max(each.cost.seconds for each in trained) <= 120
    *sentences, dates = measure_accuracy(trained)
    assert dates.shares["attention"] > 0.8
    assert all(row.shares["attention"] > 0.9 for row in sentences[:3])  # up to 15 words
    assert sentences[0].shares["fixed vector"] > 0.7
    assert sentences[-1].shares["fixed vector"] < sentences[-1].shares["attention"] - 0.4
    (page,) = tmp_path.glob("*.html")
    assert json.dumps("chat")[1:-1] in page.read_text()
