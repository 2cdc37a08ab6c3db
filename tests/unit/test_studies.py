"""Studies: their models are of one size and differ in what they say; all of it runs and goes on."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from multiprocessing import Queue
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from regard.align.links import GoldAlignment
from regard.cli.main import app
from regard.config.model import VocabularySizes
from regard.data.formats.corpus import read_parallel
from regard.errors import CorpusError
from regard.evaluate.scores import count_statistics
from regard.studies import runner as teaching
from regard.studies.alignments import Alignments, GoldPairs, read_gold_pairs
from regard.studies.bleu_by_length import BleuByLength
from regard.studies.hansards import detokenize_hansards
from regard.studies.mechanisms import Mechanisms, average_seeds
from regard.studies.runner import RunProgress, WorkerChannel, prepare_runs, train_runs
from regard.studies.strip_chart import strip_chart
from regard.studies.study import Study, study_runs
from tests.conftest import DATA

STUDIES: list[type[Study]] = [BleuByLength, Alignments, Mechanisms]
needs_corpora = pytest.mark.skipif(not DATA.exists(), reason="needs the corpora: see REGARD_DATA")


def _sizes(study: Study) -> dict[str, int]:
    from regard.config.load import load_config

    found = {}
    with torch.device("meta"):
        for entry in study.entries:
            model = load_config(entry.preset, entry.settings).model.build(
                VocabularySizes(8_000, 8_000)
            )
            found[entry.name] = sum(parameter.numel() for parameter in model.parameters())
    return found


@pytest.mark.parametrize("study", STUDIES)
def test_the_models_of_a_study_have_one_size(study: Callable[..., Study]) -> None:
    sizes = _sizes(study(quick=False)).values()
    assert max(sizes) <= min(sizes) * 1.1
    middle = sorted(sizes)[len(sizes) // 2]
    assert all(abs(size / middle - 1) <= 0.05 for size in sizes)


@needs_corpora
@pytest.mark.parametrize("study", STUDIES)
def test_the_runs_of_a_study_read_the_same_for_the_same_budget(
    study: Callable[..., Study], tmp_path: Path
) -> None:
    every = study_runs(study(quick=True), DATA, tmp_path)
    assert len({job.directory.path for job in every}) == len(every)
    budgets = {
        (job.run.train.steps, job.run.train.batch_tokens, job.run.data.vocabulary) for job in every
    }
    assert len(budgets) == 1
    files = every[0].run.data.train[0].files
    for job in every:
        turned = job.run.data.train[0].files
        assert turned == (files[::-1] if job.entry.reversed else files)


def test_a_missing_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"train\.en\.gz: is not there; let --data name"):
        study_runs(Mechanisms(quick=False), tmp_path, tmp_path / "out")


def test_seeds_are_counted_together() -> None:
    references = ["a b c d e", "f g h i j"]
    one = count_statistics(["a b c d e", "f g h i"], references, ["bleu"])["bleu"]
    other = count_statistics(["a b c x e", "f g h i j"], references, ["bleu"])["bleu"]
    both = average_seeds([one, other])
    assert np.array_equal(both.rows, one.rows + other.rows)
    assert min(one.corpus(), other.corpus()) <= both.corpus() <= max(one.corpus(), other.corpus())


def test_pairs_whose_words_change_places_are_shown() -> None:
    straight, swapped = frozenset({(0, 0), (1, 1)}), frozenset({(0, 1), (1, 0)})
    gold = [GoldAlignment(straight, straight), GoldAlignment(swapped, swapped)]
    pairs = GoldPairs([["a", "b"]] * 2, [["x", "y"]] * 2, gold)
    assert pairs.crossed() == [1, 0]
    assert pairs.reversed().gold[1].sure == swapped


def test_gold_words_are_written_as_people_write_them() -> None:
    words = [
        "le",
        "ordre",
        "de",
        "les",
        "choses",
        ",",
        "peut",
        "-",
        "être",
        "de",
        "le",
        "opposition",
        "?",
    ]
    text, spans = detokenize_hansards(words, "fr")
    assert text == "L'ordre des choses, peut-être de l'opposition ?"
    assert [text[start:end] for start, end in spans] == [
        *("L'", "ordre", "des", "des", "choses", ",", "peut", "-", "être", "de", "l'"),
        *("opposition", "?"),
    ]
    text, spans = detokenize_hansards(["is", "it", "the", "member", "'s", "motion", "?"], "en")
    assert text == "Is it the member's motion?"
    assert len(spans) == 7


@needs_corpora
def test_all_gold_sentences_keep_their_words() -> None:
    pairs = read_gold_pairs(DATA)
    for words, language in [
        *((s, "en") for s in pairs.sources),
        *((t, "fr") for t in pairs.targets),
    ]:
        text, spans = detokenize_hansards(words, language)
        assert len(spans) == len(words)
        assert "".join(text.split()) == "".join(
            text[start:end] for start, end in dict.fromkeys(spans)
        )


def test_a_strip_chart_has_a_mark_for_each_value() -> None:
    drawn = strip_chart({"one": [30.1, 30.9, 31.2], "two": [28.0]}, title="BLEU", note="seeds")
    tree = ElementTree.fromstring(drawn)
    assert len(tree.findall(".//{http://www.w3.org/2000/svg}circle")) == 4


@needs_corpora
def test_a_study_is_made_in_one_go_and_not_again(tmp_path: Path) -> None:
    """With two of its models; all of them are for `-m slow`."""
    study = Mechanisms(quick=True)
    two = [
        job for job in study_runs(study, DATA, tmp_path) if job.entry.name in ("dot", "additive")
    ]
    prepare_runs(two, lambda progress: None)
    told: list[RunProgress] = []
    taught = train_runs(two, 2, told.append)
    assert [each.job.entry.name for each in taught] == ["additive", "dot"]
    assert {course.words for course in told} >= {"done"}
    assert all(each.cost.tokens > 0 and each.cost.memory > 0 for each in taught)
    told.clear()
    assert train_runs(two, 2, told.append) == taught
    assert not told
    heard: list[str] = []
    found = study.find(taught, DATA, heard.append)
    assert heard == [
        "dot: compared with additive",
        "A woman and a child are walking down a street. How does each translate it?",
    ]
    assert {"looks.html", "additive-looks.svg", "dot-looks.svg"} <= set(found.pages)
    assert found.pages["table.md"].count("\n") == 5
    assert json.dumps(found.facts)


@needs_corpora
def test_a_run_that_is_stopped_while_it_translates_leaves_that_for_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = study_runs(Mechanisms(quick=True), DATA, tmp_path)[0]
    prepare_runs([job], lambda progress: None)
    line = WorkerChannel(Queue(), multiprocessing.Event())
    monkeypatch.setattr(teaching, "_line", [line])
    monkeypatch.setattr(WorkerChannel, "cut", property(lambda self: job.directory.model.exists()))
    teaching._unless_stopped(teaching._train_one, job)
    assert job.directory.model.exists() and not job.outputs.exists() and not job.cost.exists()
    monkeypatch.undo()
    (taught,) = train_runs([job], 1, lambda course: None)
    assert len(taught.outputs) == len(read_parallel(*job.test)[0])


@needs_corpora
def test_the_links_of_both_directions_are_found_once_and_only_where_they_are_wanted(
    tmp_path: Path,
) -> None:
    every = study_runs(Alignments(quick=True), DATA, tmp_path)

    def finders() -> list[str]:
        return [job.entry.name for job in teaching._finders(every)]

    assert finders() == ["Bahdanau guided", "Transformer guided"]
    *_, guided, guided_back = (job for job in every if "Transformer guided" in job.name)
    assert guided.guide is not None
    assert guided.guide == guided_back.guide
    for job in (guided, guided_back):
        job.directory.path.mkdir(exist_ok=True)
        job.cost.touch()
    assert finders() == ["Bahdanau guided"]
    guided.cost.unlink()
    guided.guide.parent.mkdir(exist_ok=True)
    guided.guide.touch()
    assert finders() == ["Bahdanau guided"]


@needs_corpora
@pytest.mark.slow
def test_a_study_that_was_stopped_goes_on_to_the_same_models(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "regard", "reproduce", "mechanisms", "--data", str(DATA)]
    command += ["--quick", "--jobs", "2", "--out"]
    first = subprocess.Popen([*command, str(tmp_path / "one")], stderr=subprocess.PIPE, text=True)
    assert first.stderr is not None
    for line in first.stderr:
        if "loss" in line:
            break
    first.send_signal(signal.SIGINT)
    first.stderr.read()
    assert first.wait() == 130
    for folder in ("one", "two"):
        subprocess.run([*command, str(tmp_path / folder)], check=True, capture_output=True)
    weights = [
        hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in ("one", "two")
        for path in sorted((tmp_path / folder).rglob("model/*.safetensors"))
    ]
    half = len(weights) // 2
    assert half == 11
    assert weights[:half] == weights[half:]


@needs_corpora
def test_each_figure_is_made_again_by_one_command(tmp_path: Path) -> None:
    for study in STUDIES:
        said = CliRunner().invoke(
            app,
            ["reproduce", study.name, "--data", str(DATA), "--out", str(tmp_path), "--quick"],
        )
        assert said.exit_code == 0, said.output
        folder = tmp_path / "quick" / study.name
        assert (folder / "table.md").is_file()
        assert (folder / "found.json").is_file()
        assert list(folder.glob("*.svg"))
