"""The package without the folder `attention/kernels`: the same results by the definition alone."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

SOURCE = ROOT / "src" / "regard"

TOY = """
import regard.attention.choice
assert regard.attention.choice.kernels is None
from tests.learning.toy_training import Case, _train
print(_train(Case("bahdanau", "reverse", 300)).accuracy)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a process that imports a copy of the package without its kernels."""
    copy = tmp_path_factory.mktemp("package")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE, copy / "regard", ignore=ignored)
    shutil.rmtree(copy / "regard" / "attention" / "kernels")
    return {**os.environ, "PYTHONPATH": f"{copy}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"}


def run(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_the_invariants_hold_without_kernels(environment: dict[str, str]) -> None:
    """Without the shape checker, which the other runs of these tests have."""
    options = ("-q", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib")
    selection = ("-m", "not exhaustive", "-k", "not block_sparse and not checked_shapes")
    tests = ("tests/invariants/test_attention.py", "tests/invariants/test_models.py")
    assert " passed" in run(environment, "-m", "pytest", *options, *selection, *tests)


def test_a_toy_is_learned_without_kernels(environment: dict[str, str]) -> None:
    assert float(run(environment, "-c", TOY)) >= 0.99


def test_a_kernel_that_cannot_be_imported_is_an_error(environment: dict[str, str]) -> None:
    """Only a missing folder selects the definition: a defect in a kernel must not go unseen."""
    folder = Path(environment["PYTHONPATH"].split(os.pathsep)[0]) / "regard/attention/kernels"
    folder.mkdir()
    try:
        (folder / "__init__.py").write_text("import regard.attention.no_such_module\n")
        done = subprocess.run(
            [sys.executable, "-c", "import regard.attention"],
            cwd=ROOT, env=environment, capture_output=True, text=True,
        )  # fmt: skip
        assert "no_such_module" in done.stderr
    finally:
        shutil.rmtree(folder)


def test_one_module_imports_the_kernels() -> None:
    importers = []
    for path in SOURCE.rglob("*.py"):
        if path.is_relative_to(SOURCE / "attention" / "kernels"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            if any(name.startswith("regard.attention.kernels") for name in names):
                importers.append(path.relative_to(SOURCE).as_posix())
    assert importers == ["attention/choice.py"]
