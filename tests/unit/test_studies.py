"""Studies: equal model sizes and budgets, training, resuming and results."""

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
from regard.data.preparation.prepare import StageProgress
from regard.errors import CorpusError
from regard.evaluate.scores import count_statistics
from regard.studies import runner
from regard.studies.alignments import Alignments, GoldPairs, read_gold_pairs
from regard.studies.bleu_by_length import BleuByLength
from regard.studies.hansards import detokenize_hansards
from regard.studies.mechanisms import Mechanisms, average_seeds
from regard.studies.runner import RunProgress, WorkerChannel, prepare_runs, train_runs
from regard.studies.strip_chart import strip_chart
from regard.studies.study import Study, study_runs
from regard.tasks.translation.guide import GUIDE_FILE
from tests.conftest import DATA

STUDIES: list[type[Study]] = [BleuByLength, Alignments, Mechanisms]
needs_corpora = pytest.mark.skipif(not DATA.exists(), reason="needs the corpora: see REGARD_DATA")


def _parameter_counts(study: Study) -> dict[str, int]:
    from regard.config.load import load_config

    counts = {}
    with torch.device("meta"):
        for entry in study.entries:
            model = load_config(entry.preset, entry.settings).model.build(
                VocabularySizes(8_000, 8_000)
            )
            counts[entry.name] = sum(parameter.numel() for parameter in model.parameters())
    return counts


@pytest.mark.parametrize("study", STUDIES)
def test_the_models_of_a_study_have_the_same_size(study: Callable[..., Study]) -> None:
    sizes = _parameter_counts(study(quick=False)).values()
    assert max(sizes) <= min(sizes) * 1.1
    middle = sorted(sizes)[len(sizes) // 2]
    assert all(abs(size / middle - 1) <= 0.05 for size in sizes)


@needs_corpora
@pytest.mark.parametrize("study", STUDIES)
def test_the_runs_of_a_study_share_data_and_budget(
    study: Callable[..., Study], tmp_path: Path
) -> None:
    runs = study_runs(study(quick=True), DATA, tmp_path)
    assert len({run.directory.path for run in runs}) == len(runs)
    configs = [run.config for run in runs]
    budgets = {(c.train.steps, c.train.batch_tokens, c.data.vocabulary) for c in configs}
    assert len(budgets) == 1
    files = configs[0].data.train[0].files
    for run in runs:
        expected = files[::-1] if run.entry.reversed else files
        assert run.config.data.train[0].files == expected


def test_a_missing_corpus_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"train\.en\.gz: .*--data"):
        study_runs(Mechanisms(quick=False), tmp_path, tmp_path / "out")


def test_statistics_are_summed_over_seeds() -> None:
    references = ["a b c d e", "f g h i j"]
    one = count_statistics(["a b c d e", "f g h i"], references, ["bleu"])["bleu"]
    other = count_statistics(["a b c x e", "f g h i j"], references, ["bleu"])["bleu"]
    both = average_seeds([one, other])
    assert np.array_equal(both.rows, one.rows + other.rows)
    low, high = sorted([one.corpus_score(), other.corpus_score()])
    assert low <= both.corpus_score() <= high


def test_crossed_pairs_come_first() -> None:
    straight, swapped = frozenset({(0, 0), (1, 1)}), frozenset({(0, 1), (1, 0)})
    gold = [GoldAlignment(straight, straight), GoldAlignment(swapped, swapped)]
    pairs = GoldPairs([["a", "b"]] * 2, [["x", "y"]] * 2, gold)
    assert pairs.crossed() == [1, 0]
    assert pairs.reversed().gold[1].sure == swapped


def test_gold_sentences_are_detokenized() -> None:
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
def test_detokenization_keeps_all_words() -> None:
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


def test_a_strip_chart_has_a_dot_for_each_value() -> None:
    chart = strip_chart({"one": [30.1, 30.9, 31.2], "two": [28.0]}, title="BLEU", note="seeds")
    tree = ElementTree.fromstring(chart)
    assert len(tree.findall(".//{http://www.w3.org/2000/svg}circle")) == 4


@needs_corpora
def test_completed_runs_are_not_repeated(tmp_path: Path) -> None:
    """With two of the models; `-m slow` tests all of them."""
    study = Mechanisms(quick=True)
    two = [
        run for run in study_runs(study, DATA, tmp_path) if run.entry.name in ("dot", "additive")
    ]
    prepare_runs(two, lambda progress: None)
    messages: list[RunProgress] = []
    trained = train_runs(two, 2, messages.append)
    assert [each.run.entry.name for each in trained] == ["additive", "dot"]
    assert {progress.message for progress in messages} >= {"done"}
    assert all(each.cost.tokens > 0 and each.cost.memory > 0 for each in trained)
    messages.clear()
    assert train_runs(two, 2, messages.append) == trained
    assert not messages
    status: list[str] = []
    found = study.analyze(trained, DATA, status.append)
    assert status == [
        "dot: compared with additive",
        "attention on: A woman and a child are walking down a street.",
    ]
    assert {"attention.html", "additive-attention.svg", "dot-attention.svg"} <= set(found.pages)
    assert found.pages["table.md"].count("\n") == 5
    assert json.dumps(found.facts)


@needs_corpora
def test_a_run_stopped_while_translating_translates_on_the_next_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = study_runs(Mechanisms(quick=True), DATA, tmp_path)[0]
    prepare_runs([run], lambda progress: None)
    channel = WorkerChannel(Queue(), multiprocessing.Event())
    monkeypatch.setattr(runner, "_channel", [channel])
    monkeypatch.setattr(
        WorkerChannel, "should_stop", property(lambda self: run.directory.model.exists())
    )
    runner._unless_stopped(run)
    assert run.directory.model.exists() and not run.outputs.exists() and not run.cost.exists()
    monkeypatch.undo()
    (trained,) = train_runs([run], 1, lambda progress: None)
    assert len(trained.outputs) == len(read_parallel(*run.test)[0])


def test_guided_models_are_trained_in_the_directions_of_their_plain_ones() -> None:
    entries = {entry.name: entry for entry in Alignments(quick=False).entries}
    plain = {name for name in entries if "guided" not in name}
    assert set(entries) - plain == {
        *("Bahdanau guided", "Bahdanau guided backward", "Luong guided"),
        *("Transformer guided", "Transformer guided backward"),
    }
    for name in set(entries) - plain:
        guided, unguided = entries[name], entries[name.replace(" guided", "")]
        assert guided.settings[-1] == "train.guided_alignment={links: auto}"
        assert guided.settings[:-1] == unguided.settings
        assert guided.reversed == unguided.reversed


@needs_corpora
def test_the_links_of_guided_runs_are_computed_once_for_each_direction(tmp_path: Path) -> None:
    runs = study_runs(Alignments(quick=True), DATA, tmp_path)
    guides: list[StageProgress] = []
    prepare_runs(runs, guides.append)
    started = [each for each in guides if each.stage == "guide" and not each.done]
    assert len(started) == 2
    for run in runs:
        if run.config.train.guided_alignment is not None:
            assert (run.directory.data / GUIDE_FILE).is_file()


@needs_corpora
@pytest.mark.slow
def test_an_interrupted_study_resumes_to_the_same_models(tmp_path: Path) -> None:
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
def test_each_study_runs_as_one_command(tmp_path: Path) -> None:
    for study in STUDIES:
        result = CliRunner().invoke(
            app,
            ["reproduce", study.name, "--data", str(DATA), "--out", str(tmp_path), "--quick"],
        )
        assert result.exit_code == 0, result.output
        folder = tmp_path / "quick" / study.name
        assert (folder / "table.md").is_file()
        assert (folder / "found.json").is_file()
        assert list(folder.glob("*.svg"))
