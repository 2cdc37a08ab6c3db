"""Commands that show progress, run on a pseudo-terminal: there they draw bars, elsewhere lines."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from regard.tasks.training import RunDirectory
from tests import captioned_images, labelled_documents, plain_texts
from tests.toy_corpus import TRANSFORMER, Toy, make_toy

# All commands run in one process, because importing torch takes longer than most of them.
RUN = """
import json, sys, traceback
from regard.cli.main import app
assert sys.stdout.isatty() and sys.stderr.isatty()
for name, arguments in json.load(open(sys.argv[1])).items():
    print(f"<{name}>", flush=True)
    try:
        app(arguments, standalone_mode=False)
    except BaseException:
        traceback.print_exc()
    print(f"</{name}>", flush=True)
"""
TYPED = b"a white horse\n\n"  # for the prompt of the demo, which only an empty line ends
FEW = ("train.steps=2", "train.validate_every=2", "train.save_every=2", "search.beam_size=1")


def commands(folder: Path) -> dict[str, list[str]]:
    """Return the arguments of each command by its name."""
    folders = {name: folder / name for name in ("translation", "captions", "texts", "documents")}
    for each in folders.values():
        each.mkdir()
    toy, run = make_toy(folders["translation"]), folder / "run"
    captioned_images.write_images(folders["captions"])
    plain_texts.write_texts(folders["texts"])
    labelled_documents.write_documents(folders["documents"])
    train, valid = ([str(toy.folder / f"{name}.{s}") for s in "ab"] for name in ("train", "valid"))
    model = str(folder / "run" / "translate" / "model")
    lines = ["--source", valid[0]]
    return {
        "prepare": ["prepare", *train, "--out", str(folder / "data"), "--vocabulary", "280"],
        "doctor": ["doctor", *train],
        "translate": Toy(toy.folder).arguments(
            TRANSFORMER, RunDirectory(run / "translate"), "train.guided_alignment={}", *FEW
        ),
        "caption": captioned_images.arguments(
            folders["captions"], "caption-soft", run / "caption", *FEW
        ),
        "language": plain_texts.arguments(
            folders["texts"], "lm-transformer", run / "language", *FEW
        ),
        "classify": labelled_documents.arguments(folders["documents"], run / "classify", *FEW),
        "translate lines": ["translate", model, *lines, "--out", str(folder / "translated")],
        "evaluate": ["evaluate", model, *lines, "--reference", valid[1]],
        "align": [
            *("align", "--source", train[0], "--target", train[1]),
            *("--out", str(folder / "train.links")),
        ],
        "demo": ["demo", "--quick", "--html", str(folder / "demo.html")],
    }  # fmt: skip


SHOWN = {
    "prepare": r"encoding.*train: \d+ pairs",
    "doctor": "pairs",
    "translate": "encoding.*guide.*bleu.*run/translate/model",
    "caption": "reading images.*exact.*run/caption/model",
    "language": "perplexity.*run/language/model",
    "classify": "accuracy.*run/classify/model",
    "translate lines": "translating",
    "evaluate": "BLEU",
    "align": "align",
    "demo": "attention, seed 1.*without any error.*demo.html.*Type a sentence.*> .*fixed vector",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("terminal")


@pytest.fixture(scope="module")
def shown(folder: Path) -> str:
    """What the terminal shows while all commands run."""
    (folder / "commands.json").write_text(json.dumps(commands(folder)))
    terminal, end = pty.openpty()
    os.write(terminal, TYPED)
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200", "OMP_NUM_THREADS": "1"}
    browser = folder / "browser"
    browser.write_text(f"#!/bin/sh\necho $1 > {folder}/opened\n")
    browser.chmod(0o755)
    environment["BROWSER"] = f"{browser} %s"
    output = b""
    with subprocess.Popen(
        [sys.executable, "-c", RUN, str(folder / "commands.json")],
        stdin=end,
        stdout=end,
        stderr=end,
        env=environment,
    ):
        os.close(end)
        try:
            while block := os.read(terminal, 1 << 16):
                output += block
        except OSError:  # Linux reports the end of the output so
            pass
    os.close(terminal)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", output.decode())


def test_the_demo_opens_its_page(shown: str, folder: Path) -> None:
    opened = folder / "opened"
    assert opened.exists(), shown
    assert opened.read_text().strip() == (folder / "demo.html").as_uri()


@pytest.mark.parametrize("name", SHOWN)
def test_progress_on_a_terminal(shown: str, name: str) -> None:
    found = re.search(f"<{name}>(.*)</{name}>", shown, re.DOTALL)
    assert found is not None, shown
    assert "Traceback" not in found[1], found[1]
    assert re.search(SHOWN[name], found[1], re.DOTALL), found[1]
