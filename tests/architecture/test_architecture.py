"""The architecture, guarded: rooms, their subjects, what they need, and what is said of them."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import regard
from regard.config.mechanisms_table import mechanisms_table
from tests.conftest import ROOT

SOURCE = ROOT / "src" / "regard"
FILES = sorted(SOURCE.rglob("*.py"))
ROOMS = sorted(
    path.name for path in SOURCE.iterdir() if path.is_dir() and (path / "__init__.py").exists()
)


def test_a_room_imports_only_rooms_below() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports"))],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_every_file_says_its_subject(path: Path) -> None:
    said = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert said, f"{path} has no docstring"
    assert len(path.read_text("utf-8").splitlines()) <= 500, "one subject is shorter than this"


def test_there_is_no_drawer_for_what_fits_nowhere() -> None:
    drawers = {"utils", "helpers", "common", "misc", "tools"}
    assert not [path for path in FILES if path.stem in drawers]


@pytest.mark.parametrize("page", ["README.md", "docs/architecture.md"])
def test_the_tree_that_is_shown_is_the_real_tree(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    tree = re.search(r"```\nsrc/regard/\n(.*?)```", text, re.DOTALL)
    assert tree is not None
    shown = re.findall(r"^[├└]── ([\w.]+)", tree.group(1), re.MULTILINE)
    files = ["__init__.py", "batch.py", "errors.py", "html.py", "svg.py"]
    real = [f"{room}/" for room in ROOMS] + files
    assert sorted(name.rstrip("/") for name in shown) == sorted(name.rstrip("/") for name in real)


def test_heavy_libraries_are_imported_in_one_room_each() -> None:
    homes = {
        "ray": {"data"},
        "pyarrow": {"data"},
        "sentencepiece": {"text"},
        "fsspec": {"data"},
        "sacrebleu": {"evaluate"},
        "tensorboard": {"train"},
        "PIL": {"train", "data"},
        "mlflow": {"train"},
        "wandb": {"train"},
        "resvg_py": {"explain"},
        "safetensors": {"bundle", "data"},
        "ctranslate2": {"engine"},
    }
    for path in FILES:
        room = path.relative_to(SOURCE).parts[0]
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            for name in names:
                allowed = homes.get(name.partition(".")[0])
                assert allowed is None or room in allowed, f"{path} imports {name}"


def test_the_heart_needs_torch_and_nothing_else() -> None:
    known = {"torch", "jaxtyping", "regard"} | set(sys.stdlib_module_names)
    for path in (SOURCE / "attention").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            module = getattr(node, "module", None) if isinstance(node, ast.ImportFrom) else None
            if module:
                assert module.partition(".")[0] in known, f"{path} imports {module}"
                assert not module.startswith("regard.") or module.startswith("regard.attention")


def test_text_and_data_preparation_need_no_torch() -> None:
    code = (
        "import sys, regard.text.tokenizer, regard.data.formats.corpus, regard.data.preparation.prepare\n"
        "print(sorted({'torch', 'ray', 'pyarrow', 'fsspec'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stdout + done.stderr


def test_help_needs_no_torch() -> None:
    code = (
        "import sys; sys.argv = ['regard', '--help']\n"
        "from regard.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.endswith("False\n"), done.stderr


def test_nothing_is_unpickled_or_evaluated() -> None:
    banned = re.compile(
        r"\bimport pickle\b|\btorch\.load\(|\byaml\.unsafe_load|(?<![.\w])eval\(|(?<![.\w])exec\("
    )
    for path in FILES:
        assert not banned.search(path.read_text("utf-8")), path


def test_public_names_are_few_and_there() -> None:
    assert set(regard.__all__) == {
        "Attention",
        "Sizes",
        "Translator",
        "beam",
        "greedy",
        "load",
        "read_run",
        "sample",
        "watch",
    }
    for name in regard.__all__:
        assert getattr(regard, name) is not None
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == regard.__version__


def test_the_table_of_mechanisms_is_that_of_the_presets() -> None:
    assert (ROOT / "docs" / "mechanisms.md").read_text("utf-8") == mechanisms_table(), (
        "scripts/mechanisms"
    )


GOLDEN = ROOT / "tests" / "golden" / "format-1"
TAUGHT = {  # else to translate
    "captioning.md": "captions",
    "language-models.md": "language",
    "classifying.md": "documents",
}
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_code_in_the_documents_runs(path: Path, tmp_path: Path) -> None:
    """Where a reader stands who has trained a model: it lies in model/ and in run/model."""
    blocks = re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL)
    if blocks:
        for place in ("model", "run/model"):
            golden = GOLDEN / TAUGHT.get(path.name, "transformer") / "model"
            shutil.copytree(golden, tmp_path / place)
        done = subprocess.run(
            [sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_what_the_documents_point_at_is_there(path: Path) -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", path.read_text("utf-8")):
        assert (path.parent / link).exists(), f"{path}: {link}"


@pytest.mark.parametrize("room", ["train", "search", "bundle", "explain", "evaluate", "cli"])
def test_only_tasks_know_what_a_model_is_for(room: str) -> None:
    """Elsewhere nobody asks of which kind a model is, or what it reads: a use is asked instead."""
    asked = re.compile(
        r"model\.(kind|reads)\b|[\"'](language-model|classifier|encoder-decoder)[\"']"
    )
    for path in (SOURCE / room).rglob("*.py"):
        assert not asked.search(path.read_text("utf-8")), path
