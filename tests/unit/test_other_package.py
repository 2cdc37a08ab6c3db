"""Mechanisms of another package: a wheel, built and installed into a fresh environment.

The environment sees the packages of the environment of the tests, without their `.pth` files, so
that torch is not installed again, and `regard` from this repository. What is tested is the way of
the mechanisms: nothing of regard names them.
"""

from __future__ import annotations

import ast
import json
import os
import random
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.unpacked_record import unpacked

PACKAGE = ROOT / "tests" / "mechanisms_package"
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven"]
DECODER = {
    "kind": "last-word",
    "dim": 16,
    "attention": {
        "score": {"kind": "squared-distance", "dim": 8},
        "normalizer": {"kind": "entmax15"},
    },
}
SETTINGS = {
    "extends": "translate-rnn-tiny",
    "model": {"embedding_dim": 16, "encoder": {"dim": 16}, "decoder": DECODER},
    "data": {"vocabulary": 290},
    "train": {"steps": 20, "batch_tokens": 128, "validate_every": 20, "save_every": 20},
    "search": {"beam_size": 2},
}
STUDY = {
    "title": "Scores",
    "data": {
        "train": ["train.a", "train.b"],
        "valid": ["valid.a", "valid.b"],
        "test": ["valid.a", "valid.b"],
    },
    "settings": ["train.steps=4", "train.validate_every=4", "train.save_every=4"],
    "seeds": [1],
    "entries": [
        {"name": "distance", "preset": "run.yaml"},
        {
            "name": "softmax",
            "extends": "distance",
            "settings": ["model.decoder.attention.normalizer.kind=softmax"],
        },
    ],
    "measures": [{"kind": "scores", "metrics": ["chrf"]}],
}
CHECKS = """
from regard.testing import check_mechanism
check_mechanism("squared-distance", dim=8, heads=2)
check_mechanism("entmax15")
check_mechanism("last-word", dim=8, attention={"score": {"kind": "dot"}})
import regard
print(regard.load("run/model").translate(["one two"])[0].text is not None)
"""


class Installed:
    """A folder with a toy corpus, and an environment in which the package is installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        source, dist, environment = (folder / name for name in ("source", "dist", "environment"))
        shutil.copytree(PACKAGE, source)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        self.call(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(dist), str(source))
        self.call(sys.executable, "-m", "venv", "--without-pip", str(environment))
        (site,) = environment.glob("lib/python*/site-packages")
        paths = (ROOT / "src", sysconfig.get_path("purelib"))
        (site / "tests.pth").write_text("".join(f"{path}\n" for path in paths))
        (wheel,) = dist.glob("*.whl")
        self.python = str(environment / "bin" / "python")
        install = ["install", "--no-deps", "--no-index", str(wheel)]
        self.call(*pip, "--python", self.python, *install)

    def call(self, *command: str) -> str:
        hidden = ("PYTHON", "COV")  # the path of the repository must not come from a variable
        variables = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
        done = subprocess.run(
            command, cwd=self.folder, env=variables, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def regard(self, *arguments: str) -> str:
        return self.call(self.python, "-m", "regard", *arguments)


def write_corpus(folder: Path) -> None:
    draws = random.Random(1)
    for name, pairs in (("train", 120), ("valid", 8)):
        sentences = [draws.choices(WORDS, k=draws.randint(2, 6)) for _ in range(pairs)]
        for side, order in (("a", 1), ("b", -1)):
            text = "".join(" ".join(words[::order]) + "\n" for words in sentences)
            (folder / f"{name}.{side}").write_text(text)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The package, and a model that was trained with its mechanisms in run/model."""
    folder = tmp_path_factory.mktemp("package")
    write_corpus(folder)
    (folder / "run.yaml").write_text(yaml.safe_dump(SETTINGS))
    (folder / "study.yaml").write_text(yaml.safe_dump(STUDY, sort_keys=False))
    environment = Installed(folder)
    files = ["--source", "train.a", "--target", "train.b", "--valid", "valid.a", "valid.b"]
    environment.regard("train", "run.yaml", *files, "--threads", "1")
    return environment


@pytest.mark.parametrize("name", ["score", "normalizer", "decoder"])
def test_a_mechanism_has_at_most_25_lines_of_code(name: str) -> None:
    """Without blank lines and docstrings."""
    text = (PACKAGE / "src" / "kernel_attention" / f"{name}.py").read_text("utf-8")
    tree = ast.parse(text)
    documented = [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    docstrings = [node.body[0] for node in documented if ast.get_docstring(node)]
    skipped = {line for node in docstrings for line in range(node.lineno, node.end_lineno + 1)}
    lines = [
        line for number, line in enumerate(text.splitlines(), 1) if number not in skipped and line
    ]
    assert 5 < len(lines) <= 25


def test_regard_does_not_name_the_mechanisms() -> None:
    names = ("squared-distance", "entmax15", "last-word", "kernel_attention")
    for path in (ROOT / "src" / "regard").rglob("*.py"):
        assert not [name for name in names if name in path.read_text("utf-8")], path


def test_run_files_and_bundles_are_described(installed: Installed) -> None:
    for name in ("run.yaml", "run"):
        shown = installed.regard("describe", name)
        assert "score(q, k) = −‖W q − W' k‖² / √d" in shown
        assert "Peters et al. 2019" in shown
        assert "o_t = tanh(W [y_{t−1}; c_t])" in shown


def test_an_explanation_shows_the_scores_and_no_other_arithmetic(installed: Installed) -> None:
    installed.regard("explain", "run", "one two three", "-o", "record.json")
    record = unpacked((installed.folder / "record.json").read_text("utf-8"))
    trace, (attention,) = record["head_trace"], record["attentions"]
    assert attention["score"]["name"] == "squared-distance"
    assert attention["normalizer"]["name"] == "entmax15"
    assert trace["queries"] is trace["keys"] is trace["scale"] is trace["energy"] is None
    scores, weights, values, contexts = (
        record["arrays"][trace[name]].astype(float)
        for name in ("scores", "weights", "values", "contexts")
    )
    assert (scores <= 0).all() and abs(weights.sum(axis=1) - 1).max() < 1e-5
    assert abs(weights @ values - contexts).max() < 1e-5


def test_a_page_with_the_viewer_is_written(installed: Installed) -> None:
    installed.regard("explain", "run", "one two three", "-o", "page.html")
    assert "squared-distance" in (installed.folder / "page.html").read_text("utf-8")


def test_the_invariants_hold_and_the_model_translates(installed: Installed) -> None:
    assert installed.call(installed.python, "-c", CHECKS).endswith("True\n")


def test_a_study_compares_the_mechanisms(installed: Installed) -> None:
    installed.regard("study", "study.yaml", "--out", "studies", "--jobs", "1")
    results: dict[str, Any] = json.loads(
        next(installed.folder.glob("studies/**/results.json")).read_text("utf-8")
    )
    assert "distance" in json.dumps(results) and "softmax" in json.dumps(results)


def test_error_messages_and_settings_list_the_mechanisms(installed: Installed) -> None:
    assert "squared-distance" in installed.regard("settings")
    command = [installed.python, "-m", "regard", "describe", "run.yaml"]
    wrong = ["--set", "model.decoder.attention.normalizer.kind=entmax"]
    done = subprocess.run([*command, *wrong], cwd=installed.folder, capture_output=True, text=True)
    assert done.returncode == 2 and 'Did you mean "entmax15"?' in done.stderr
