"""The commands of the guide to recipes, with small models and few steps."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from regard.config.load import load_config
from regard.data.formats.corpus import read_pairs
from regard.data.loading.shards import load_tokenizers
from regard.data.preparation.prepare import PreparationSettings, prepare_corpora
from regard.data.preparation.runner import InProcessRunner
from regard.errors import ConfigError
from regard.tasks.translation.translator import Translator
from tests.command import run_cli
from tests.conftest import ROOT

pytest.importorskip("ctranslate2")

GUIDE = (ROOT / "docs" / "guides" / "recipes.md").read_text("utf-8")
COMMANDS = [
    line.removeprefix("$ ")
    for block in re.findall(r"```console\n(.*?)```", GUIDE, re.DOTALL)
    for line in block.splitlines()
]
RUN_FILES = dict(re.findall(r"```yaml\n# (\S+)\n(.*?)```", GUIDE, re.DOTALL))
SMALL = (
    *("train.steps=2", "train.validate_every=2", "train.save_every=2", "train.batch_tokens=256"),
    *("data.vocabulary=300", "train.guided_alignment=null", "model.encoder.layers=1"),
)


@pytest.mark.slow
def test_the_commands_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    numbers = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    pairs = [(f"{a} and {b} cats run", f"{b} und {a} Katzen") for a in numbers for b in numbers]
    for name, part in (("train", pairs), ("val", pairs[::8])):
        for side, language in enumerate(("en", "de")):
            Path(f"{name}.{language}").write_text("".join(f"{each[side]}\n" for each in part))
    Path("mono.de").write_text("".join(f"{a} Hunde und {b}\n" for a in numbers for b in numbers))
    for name, content in RUN_FILES.items():
        Path(name).write_text(content)
    assert set(RUN_FILES) == {"tagged.yaml", "student.yaml"}
    for command in COMMANDS:
        if command.startswith("paste"):
            subprocess.run(command, shell=True, check=True)
            continue
        program, *arguments = shlex.split(command)
        assert program == "regard"
        if arguments[0] == "train":
            arguments += [part for setting in SMALL for part in ("--set", setting)]
        run_cli([each if each != "2" else "1" for each in arguments])  # --workers
    assert Path("mono.en").read_text().count("\n") == 64
    best = [line.split("\t") for line in Path("best.tsv").read_text().splitlines()]
    assert {(source, target) for source, target in best} == set(pairs)
    assert Translator.load("student/model").options.beam_size == 1
    for folder in ("en-de", "filtered"):
        assert (Path(folder) / "model" / "manifest.json").is_file()


def test_a_tag_is_before_the_sources_of_its_corpus(tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("a.en", "a.de")]
    for path in files:
        Path(path).write_text("a dog\n\n")
    setting = {"data": {"train": [{"files": files, "tag": "<BT>", "weight": 0.5}]}}
    (config,) = load_config("translate-tiny", [setting]).data.train
    corpus = config.build("web")
    assert list(read_pairs(corpus)) == [("a dog", "a dog"), ("", "")]
    assert (corpus.name, corpus.weight, corpus.tags) == ("web", 0.5, ("<BT>",))
    settings = PreparationSettings(vocabulary=300, limits=None)
    prepared = prepare_corpora([corpus], str(tmp_path / "data"), settings, InProcessRunner())
    tokenizer, _ = load_tokenizers(prepared.root)
    source, target = prepared.shards("train")[0].open().pair(0)
    assert source.tolist() == [tokenizer.tags["<BT>"], *tokenizer.encode(["a dog"])[0]]
    assert target.tolist() == tokenizer.encode(["a dog"])[0]
    with pytest.raises(ConfigError, match="tag"):
        load_config("translate-tiny", [{"data": {"train": [{"files": files, "tag": "a b"}]}}])
