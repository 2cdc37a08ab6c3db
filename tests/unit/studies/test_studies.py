"""Studies: their files, equal sizes and budgets, training, resuming, measures and results."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from multiprocessing import Queue
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from regard.align.links import GoldAlignment
from regard.config.load import load_config
from regard.config.model import VocabularySizes
from regard.data.preparation.prepare import StageProgress
from regard.errors import ConfigError, CorpusError
from regard.evaluate.bootstrap import RatioStatistics, difference_of_means, estimate_mean
from regard.studies import runner
from regard.studies.measures.alignment_error import GoldPairs, detokenize_hansards
from regard.studies.measures.measure import StudyRun, format_difference, mean_and_deviation
from regard.studies.planning import StudyPlan
from regard.studies.report import Panel, strip_chart
from regard.studies.runner import RunProgress, WorkerChannel, prepare_runs, train_runs
from regard.studies.study_file import Study, built_in_studies, load_study
from regard.tasks.translation.guide import GUIDE_FILE
from tests.command import run_cli
from tests.conftest import DATA, ROOT

needs_corpora = pytest.mark.skipif(not DATA.exists(), reason="needs the corpora: see REGARD_DATA")
GUIDE = (ROOT / "docs" / "guides" / "comparing.md").read_text("utf-8")
(EXAMPLE, *_) = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
SVG = "{http://www.w3.org/2000/svg}"
ENGLISH = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
GERMAN = ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]


def quick_plan(study: Study, out: Path, data: Path | None = DATA) -> StudyPlan:
    return StudyPlan(study, data, out, quick=True)


def train_here(run: StudyRun, monkeypatch: pytest.MonkeyPatch) -> None:
    """Complete a run in this process: a new one takes seconds to start."""
    channel = WorkerChannel(Queue(), multiprocessing.Event())
    with monkeypatch.context() as patched:
        patched.setattr(runner, "_channel", [channel])
        runner._unless_stopped(run)


# built-in studies


@pytest.mark.parametrize("name", built_in_studies())
def test_the_models_of_a_study_have_the_same_size(name: str) -> None:
    sizes = []
    with torch.device("meta"):
        for entry in load_study(name).entries:
            config = load_config(entry.preset, entry.settings)
            model = config.model.build(VocabularySizes(8_000, 8_000))
            sizes.append(sum(parameter.numel() for parameter in model.parameters()))
    assert max(sizes) <= min(sizes) * 1.1
    middle = sorted(sizes)[len(sizes) // 2]
    assert all(abs(size / middle - 1) <= 0.05 for size in sizes)


@needs_corpora
@pytest.mark.parametrize("name", built_in_studies())
def test_the_runs_of_a_study_share_data_and_budget(name: str, tmp_path: Path) -> None:
    runs = quick_plan(load_study(name), tmp_path).runs()
    assert len({run.directory.path for run in runs}) == len(runs)
    configs = [run.config for run in runs]
    budgets = {(c.train.steps, c.train.batch_tokens, c.data.vocabulary) for c in configs}
    assert len(budgets) == 1
    files = configs[0].data.train[0].files
    for run in runs:
        expected = files[::-1] if run.entry.reversed else files
        assert run.config.data.train[0].files == expected


@needs_corpora
def test_alignments_are_those_of_the_models_of_bleu_by_length(tmp_path: Path) -> None:
    by_length, alignments = (
        {run.directory.path: run.config for run in quick_plan(load_study(name), tmp_path).runs()}
        for name in ("bleu-by-length", "alignments")
    )
    shared = by_length.keys() & alignments.keys()
    assert len(shared) == 4
    assert all(by_length[path] == alignments[path] for path in shared)


@pytest.mark.parametrize("name", built_in_studies())
def test_a_missing_corpus_is_reported_with_where_to_get_it(name: str, tmp_path: Path) -> None:
    study = load_study(name)
    plan = StudyPlan(study, tmp_path, tmp_path / "out")
    with pytest.raises(CorpusError, match=r"train\.en\.gz: no such file") as error:
        plan.runs()
    assert " ".join(study.config.data.obtain.split()) in str(error.value)
    assert "--data" in str(error.value)


def test_guided_models_are_trained_in_the_directions_of_their_plain_ones() -> None:
    entries = {entry.name: entry for entry in load_study("alignments").entries}
    guided = {name for name in entries if "guided" in name}
    assert guided == {
        *("Bahdanau guided", "Bahdanau guided backward", "Luong guided"),
        *("Transformer guided", "Transformer guided backward"),
    }
    for name in guided:
        unguided = entries[name.replace(" guided", "")]
        assert entries[name].settings[-1] == "train.guided_alignment={links: auto}"
        assert entries[name].settings[:-1] == unguided.settings
        assert entries[name].reversed == unguided.reversed


@needs_corpora
def test_the_links_of_guided_runs_are_computed_once_for_each_direction(tmp_path: Path) -> None:
    runs = quick_plan(load_study("alignments"), tmp_path).runs()
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
    command = [sys.executable, "-m", "regard", "study", "mechanisms", "--data", str(DATA)]
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
    assert half == 24  # a model and an aligner of each of twelve entries
    assert weights[:half] == weights[half:]


@needs_corpora
@pytest.mark.slow
def test_each_study_runs_as_one_command(tmp_path: Path) -> None:
    for name in built_in_studies():
        run_cli(["study", name, "--data", str(DATA), "--out", str(tmp_path), "--quick"])
        folder = tmp_path / "quick" / name
        assert {"table.md", "figure.svg", "results.json"} <= {
            each.name for each in folder.iterdir()
        }


# study files


def write_study(folder: Path, **changes: Any) -> str:
    """Write the study of the guide with changes; returns its path."""
    path = folder / "scores.yaml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(EXAMPLE), **changes}, sort_keys=False))
    return str(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"entrys": []}, 'entrys is not a setting. Did you mean "entries"?'),
        ({"measures": [{"kind": "scores", "metric": "bleu"}]}, 'Did you mean "metrics"?'),
        ({"measures": [{"kind": "score"}]}, 'measures.0.kind cannot be "score". Did you mean'),
        ({"measures": []}, "measures must be a list of at least 1"),
        ({"entries": [{"name": "a", "presets": "x"}]}, 'Did you mean "preset"?'),
        ({"entries": [{"name": "a"}]}, 'entry "a" needs exactly one of `preset`'),
        ({"entries": [{"name": "a", "extends": "b"}]}, '"b" is not an earlier entry'),
        ({"seeds": [1, 1]}, "a seed occurs twice"),
        ({"settings": [{"train.schedule={kind": "linear}"}]}, "put the setting in quotes"),
        (
            {"measures": [{"kind": "scores-by-length", "edges": [20, 10]}]},
            "measures.0.edges: the lengths must increase",
        ),
        (
            {"measures": [{"kind": "attention-page", "text": "one", "entries": ["adaptive"]}]},
            '"adaptive" is not an entry',
        ),
        (
            {"entries": [{"name": n, "preset": "translate-tiny"} for n in ("a b", "a-b")]},
            "the same directory, a-b",
        ),
    ],
)
def test_mistakes_in_a_study_file_are_explained(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = write_study(tmp_path, **changes)
    with pytest.raises(ConfigError) as error:
        load_study(path)
    assert message in str(error.value)
    assert str(error.value).startswith(f"{path}: ")


def test_an_unknown_study_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match='Did you mean "mechanisms"'):
        load_study("mechanism")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            {"preset": "translate-tiny", "settings": ["model.encodr.dim=8"]},
            'Did you mean "encoder"',
        ),
        ({"preset": "lm-transformer"}, "does not translate texts"),
        ({"extends": "additive", "settings": ["data.vocabulary=100"]}, "share one preparation"),
    ],
)
def test_entries_that_cannot_be_compared_are_refused(
    entry: dict[str, Any], message: str, toy: Path, tmp_path: Path
) -> None:
    entries = [yaml.safe_load(EXAMPLE)["entries"][0], {"name": "other", **entry}]
    path = write_study(toy, entries=entries)
    with pytest.raises(ConfigError, match=message) as error:
        quick_plan(load_study(path), tmp_path / "out", None).runs()
    assert '"other"' in str(error.value)


def test_a_study_file_is_sampled_evenly(toy: Path, tmp_path: Path) -> None:
    data = yaml.safe_load(EXAMPLE)["data"] | {"max_pairs": {"train": 100, "test": 30}}
    plan = StudyPlan(load_study(write_study(toy, data=data)), None, tmp_path)
    run = plan.runs()[0]
    sources, references = run.test_pairs()
    lines = (toy / "test.en").read_text().splitlines()
    assert sources == lines[::2] and len(references) == 30
    (valid,) = run.config.data.valid
    assert valid.files[0] == str(toy / "valid.en")  # has fewer than the limit


# a study on a toy corpus


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus that the guide's study names: number words, in reversed order in German."""
    folder, draws = tmp_path_factory.mktemp("toy"), random.Random(1)
    gold = []
    for name, pairs in (("train", 200), ("valid", 20), ("test", 60)):
        numbers = [draws.choices(range(10), k=draws.randint(2, 12)) for _ in range(pairs)]
        for side, words, order in (("en", ENGLISH, 1), ("de", GERMAN, -1)):
            lines = (" ".join(words[i] for i in each[::order]) for each in numbers)
            (folder / f"{name}.{side}").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        gold = [" ".join(f"{i}-{len(n) - 1 - i}" for i in range(len(n))) for n in numbers]
    (folder / "test.align").write_text("".join(f"{line}\n" for line in gold))
    return folder


EXTENDED = {
    "data": {"name": "scores"},  # shares the runs of the guide's study
    "entries": [
        {
            "name": "no attention",
            "extends": "additive",
            "settings": ["model.decoder={kind: plain, dim: 256}"],
        },
        {"name": "backward", "reverses": "additive"},
    ],
    "measures": [
        {"kind": "scores-by-length", "edges": [5, 10], "metrics": ["chrf"]},
        {
            "kind": "alignment-error-rate",
            "gold": {"source": "test.en", "target": "test.de", "links": "test.align"},
            "others": {"by hand": "test.align"},
            "heatmaps": 1,
        },
        {"kind": "attention-page", "text": "one two three"},
        {"kind": "forced-attention", "bleu": True},
        {"kind": "head-ablation"},
    ],
}


@pytest.fixture(scope="module")
def studied(toy: Path) -> Path:
    """Run the study of the guide and an extended one; returns the directory of the results."""
    example = yaml.safe_load(EXAMPLE)
    (toy / "scores.yaml").write_text(EXAMPLE)
    extended = {
        **example,
        "data": example["data"] | EXTENDED["data"],
        "entries": [*example["entries"][:1], *EXTENDED["entries"]],
        "measures": [*example["measures"], *EXTENDED["measures"]],
    }
    (toy / "extended.yaml").write_text(yaml.safe_dump(extended, sort_keys=False))
    out = toy / "studies" / "quick"
    studies = [load_study(str(toy / f"{name}.yaml")) for name in ("scores", "extended")]
    runs = [run for study in studies for run in quick_plan(study, out, None).runs()]
    with pytest.MonkeyPatch.context() as patched:
        for study in studies:
            prepare_runs(quick_plan(study, out, None).runs(), lambda progress: None)
        for run in runs:
            if run.entry.name != "dot":  # which the command of the guide trains
                train_here(run, patched)
    return out


def results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text("utf-8"))
    return found


def test_the_commands_of_the_guide_run(
    toy: Path, studied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the one that trains for minutes; one of its runs is left to train."""
    monkeypatch.chdir(toy)
    commands = re.findall(r"^\$ regard (.*)$", GUIDE, re.MULTILINE)
    assert len(commands) == 4
    trained = {path: path.stat().st_mtime_ns for path in studied.rglob("model/manifest.json")}
    for command in commands:
        arguments, _, target = command.partition(" > ")
        if "--out" in arguments:
            continue
        output = run_cli(
            [*shlex.split(arguments), *(("--jobs", "1") if "yaml" in arguments else ())]
        )
        if target:
            Path(target).write_text(output, "utf-8")
            assert load_study(target).entries == load_study("mechanisms").entries
    assert all(path.stat().st_mtime_ns == then for path, then in trained.items())
    table = (studied / "scores" / "table.md").read_text("utf-8")
    assert re.search(r"^\| dot \| [\d.]+ \|", table, re.MULTILINE)
    assert "− additive" in table and "BLEU by source length" in table
    found = results(studied / "scores")
    assert set(found["columns"]) >= {"BLEU", "chrF", "agreement", "tokens/s", "parameters, M"}
    difference = found["columns"]["BLEU"]["dot"]["difference"]
    assert difference is not None and found["columns"]["BLEU"]["additive"]["difference"] is None
    figure = ElementTree.fromstring((studied / "scores" / "figure.svg").read_text("utf-8"))
    assert len(figure.findall(f".//{SVG}circle")) == 4 * 3  # drawn columns × entries


def test_every_measure_writes_its_tables_and_files(
    toy: Path, studied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(toy)
    output = run_cli(["study", "extended.yaml", "--quick"])
    folder = studied / "extended"
    assert str(folder) in output
    names = {path.name for path in folder.iterdir()}
    assert {"chrf-by-length.svg", "attention.html", "additive-attention.svg"} <= names
    assert any(re.fullmatch(r"additive-\d+\.svg", name) for name in names)  # a heatmap
    found = results(folder)
    aer = found["columns"]["AER"]
    assert set(aer) == {"additive", "backward"}  # there is no attention in the other
    tables = {table["title"]: table for each in found["measures"] for table in each["tables"]}
    rows = {row[0]: row for row in tables["Alignment error rate"]["rows"]}
    assert float(rows["by hand"][1]) == 0.0
    assert float(rows["word aligner"][1]) < 10  # words of a toy that are easy to align
    assert "additive, both directions" in rows
    forced = [row[:2] for row in tables["Forced attention"]["rows"]]
    assert forced == [["additive", kind] for kind in ("own", "uniform", "shuffled", "links")]
    assert [row[:3] for row in tables["Head ablation"]["rows"]] == [
        ["additive", "decoder.attention", "0"]
    ]
    reversed_bleu = found["columns"]["BLEU"]["backward"]
    assert reversed_bleu["difference"] is None  # its references are in the other language


def test_changed_settings_of_a_complete_run_are_refused(toy: Path, studied: Path) -> None:
    path = write_study(toy, settings=["train.label_smoothing=0.2"])
    with pytest.raises(ConfigError, match=r"other settings: train\.label_smoothing"):
        quick_plan(load_study(path), studied, None).runs()
    (toy / "scores.yaml").write_text(EXAMPLE)


def test_changed_training_files_are_refused_and_a_new_test_set_is_translated(
    toy: Path, studied: Path, tmp_path: Path
) -> None:
    shutil.copytree(studied, tmp_path / "out")
    for path in toy.glob("*.*"):
        shutil.copy(path, tmp_path)
    plan = quick_plan(load_study(str(tmp_path / "scores.yaml")), tmp_path / "out", None)
    (run, *_) = plan.runs()
    assert run.complete
    (tmp_path / "test.en").write_text("one two\n" * 60)
    (run, *_) = plan.runs()
    assert run.cost.exists() and not run.complete
    lines = (tmp_path / "train.en").read_text().replace("one", "two")
    (tmp_path / "train.en").write_text(lines)
    with pytest.raises(CorpusError, match="training data differ"):
        prepare_runs(plan.runs(), lambda progress: None)


def test_a_run_stopped_while_translating_translates_on_the_next_call(
    toy: Path, studied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = load_study(str(toy / "extended.yaml"))
    run = quick_plan(study, tmp_path / "out", None).runs()[0]
    prepare_runs([run], lambda progress: None)
    with monkeypatch.context() as patched:
        stops = property(lambda self: run.directory.model.exists())
        patched.setattr(WorkerChannel, "should_stop", stops)
        train_here(run, monkeypatch)
    assert run.directory.model.exists() and run.cost.exists() and not run.outputs.exists()
    messages: list[RunProgress] = []
    (trained,) = train_runs([run], 1, messages.append)
    assert len(trained.outputs) == len(run.test_pairs()[0])
    assert trained.cost.tokens > 0 and trained.cost.memory > 0
    assert [each.message for each in messages if each.done] == ["done"]
    assert not any("loss" in each.message for each in messages)
    messages.clear()
    assert train_runs([run], 1, messages.append) == [trained]
    assert not messages


# statistics and figures


def _ratios(values: np.ndarray) -> RatioStatistics:
    """A score that is the mean of the sentences' values."""
    return RatioStatistics(np.stack([values, np.ones(len(values))], axis=1))


@pytest.mark.parametrize("case", range(20))
def test_differences_are_those_of_the_means_that_are_printed(case: int) -> None:
    draws = np.random.default_rng(case)
    systems = [
        [_ratios(draws.exponential(mean, 50)) for mean in draws.uniform(0.2, 0.5, 3)]
        for _ in range(2)
    ]
    scores = [[seed.corpus_score() for seed in system] for system in systems]
    difference = difference_of_means(*systems)
    assert difference.value == pytest.approx(fmean(scores[0]) - fmean(scores[1]))
    for form in (".1f", ".2f", ".3f"):
        cell, _ = format_difference(difference, *scores, form)
        printed = [float(mean_and_deviation(values, form).split()[0]) for values in scores]
        assert float(cell.replace("−", "-")) == pytest.approx(printed[0] - printed[1])
    assert estimate_mean(systems[0]).value == pytest.approx(fmean(scores[0]))  # in charts


def test_p_is_that_of_the_t_test_where_only_seeds_vary() -> None:
    # differences of three paired seeds; p of scipy.stats.ttest_1samp
    for values, p in (((0.2, 0.3, 0.7), 0.1191), ((1.0, 1.1, 1.3), 0.0060), ((1, -1, 2), 0.5286)):
        seeds = [_ratios(np.full(40, float(value))) for value in values]
        base = [_ratios(np.zeros(40))] * 3
        assert difference_of_means(seeds, base).p == pytest.approx(p, rel=0.1)


def test_p_is_never_lower_than_that_of_the_seeds_or_of_the_sentences_alone() -> None:
    for case in range(10):
        draws = np.random.default_rng(case)
        base = [draws.normal(size=60) for _ in range(3)]
        seeds = [rows + draws.normal(0.3, 0.5, 60) + draws.normal(0, 0.2) for rows in base]
        both = difference_of_means([*map(_ratios, seeds)], [*map(_ratios, base)])
        sentences = difference_of_means(
            [_ratios(np.mean(seeds, axis=0))], [_ratios(np.mean(base, axis=0))]
        )
        means = [
            _ratios(np.full(60, (rows - own).mean())) for rows, own in zip(seeds, base, strict=True)
        ]
        only_seeds = difference_of_means(means, [_ratios(np.zeros(60))] * 3)
        assert both.p is not None and sentences.p is not None and only_seeds.p is not None
        assert both.p >= 0.9 * max(sentences.p, only_seeds.p)


def test_ratios_are_compared_by_a_paired_bootstrap() -> None:
    draws = np.random.default_rng(1)
    counts = np.full(200, 10.0)
    noise = draws.normal(size=200)
    worse, better = (
        RatioStatistics(
            np.stack([level * counts + 5 * noise, counts], axis=1), scale=-1.0, offset=3.0
        )
        for level in (1.0, 0.9)
    )
    assert worse.corpus_score() == pytest.approx(2, abs=0.1)
    difference = difference_of_means([better, better], [worse, worse])
    assert difference.value == pytest.approx(0.1)
    assert difference.p == pytest.approx(2 / 1001)
    assert difference_of_means([worse], [worse]).p == 1.0


def test_crossed_pairs_come_first() -> None:
    straight, swapped = frozenset({(0, 0), (1, 1)}), frozenset({(0, 1), (1, 0)})
    gold = [GoldAlignment(straight, straight), GoldAlignment(swapped, swapped)]
    pairs = GoldPairs([["a", "b"]] * 2, [["x", "y"]] * 2, gold)
    assert pairs.crossed(2, 14) == [1, 0]
    assert pairs.crossed(2, 1) == []
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
    plan = quick_plan(load_study("alignments"), DATA)
    (measure,) = (
        each for each in plan.study.config.measures if each.kind == "alignment-error-rate"
    )
    pairs = measure.gold.read(plan.find_file)
    assert len(pairs.gold) == 447
    for words, language in [
        *((s, "en") for s in pairs.sources),
        *((t, "fr") for t in pairs.targets),
    ]:
        text, spans = detokenize_hansards(words, language)
        assert len(spans) == len(words)
        assert "".join(text.split()) == "".join(
            text[start:end] for start, end in dict.fromkeys(spans)
        )


def test_a_strip_chart_has_a_panel_for_each_measure_and_a_dot_for_each_value() -> None:
    panels = [
        Panel("BLEU", {"one": [30.1, 30.9, 31.2], "two": [28.0]}),
        Panel("tokens/s", {"one": [2000.0, 2100.0, 1900.0], "two": ()}),
    ]
    tree = ElementTree.fromstring(strip_chart(panels, title="A study", note="seeds"))
    assert len(tree.findall(f".//{SVG}circle")) == 7
    texts = [text.text for text in tree.findall(f".//{SVG}text")]
    assert {"BLEU", "tokens/s", "one", "two", "2,000", "28"} <= set(texts)
    same = [Panel("p", {"one": [0.5], "two": [0.5]})]
    ElementTree.fromstring(strip_chart(same, title="equal values", note=""))
