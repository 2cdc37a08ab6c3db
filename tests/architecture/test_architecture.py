"""Checks of the architecture: layers, dependencies, names, and the documents that describe them."""

from __future__ import annotations

import ast
import contextlib
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import regard
from regard.config.describe import mechanisms_table
from tests.bundles import make_bundle
from tests.conftest import ROOT
from tests.running_server import running_server

SOURCE = ROOT / "src" / "regard"
FILES = sorted(SOURCE.rglob("*.py"))
TOP_LEVEL = sorted(
    path.name
    for path in SOURCE.iterdir()
    if (path / "__init__.py").exists() or (path.suffix == ".py" and path.name != "__main__.py")
)
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
TREE = re.compile(r"```\nsrc/regard/\n(.*?)```", re.DOTALL)


def imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_packages_import_only_lower_layers() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports"))],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_modules_have_a_docstring_and_at_most_500_lines(path: Path) -> None:
    text = path.read_text("utf-8")
    assert ast.get_docstring(ast.parse(text)), f"{path} has no docstring"
    assert len(text.splitlines()) <= 500, f"{path} is too long: split it by subject"


def test_no_module_is_a_collection_of_helpers() -> None:
    names = {"utils", "helpers", "common", "misc", "tools"}
    assert not [path for path in FILES if path.stem in names]


def test_functions_have_a_complexity_of_at_most_15() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "shape"), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["largest complexity"] <= 15, "divide a function into steps"


def test_public_names_are_defined_once() -> None:
    """Classes and functions of modules, in all packages together."""
    places = defaultdict(list)
    for path in FILES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(
                node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
            ) and not node.name.startswith("_"):
                overload = any("overload" in ast.unparse(each) for each in node.decorator_list)
                if not overload:
                    places[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


@pytest.mark.parametrize("document", ["README.md", "docs/architecture.md"])
def test_documented_tree_is_the_real_tree(document: str) -> None:
    tree = TREE.search((ROOT / document).read_text("utf-8"))
    assert tree is not None
    shown = re.findall(r"^[├└]── ([\w.]+)", tree.group(1), re.MULTILINE)
    assert sorted(shown) == TOP_LEVEL


def test_documented_layers_are_those_of_import_linter() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contract = next(c for c in project["tool"]["importlinter"]["contracts"] if "layers" in c)
    layers = [layer.replace(" | ", " · ") for layer in contract["layers"]]
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    assert "```\n" + "\n".join(layers) + "\n```" in text


def test_the_list_of_fast_tests_names_files() -> None:
    listed = (ROOT / "tests" / "fast.txt").read_text("utf-8").splitlines()[1:]
    assert listed and all((ROOT / name).is_file() for name in listed)


def test_heavy_dependencies_are_imported_in_few_packages() -> None:
    allowed = {
        "ray": {"data"},
        "pyarrow": {"data"},
        "sentencepiece": {"text"},
        "fsspec": {"data"},
        "sacrebleu": {"evaluate"},
        "tensorboard": {"train"},
        "PIL": {"train", "data", "explain"},
        "playwright": {"explain"},
        "mlflow": {"train"},
        "wandb": {"train"},
        "resvg_py": {"explain"},
        "safetensors": {"bundle", "data"},
        "ctranslate2": {"inference", "interop"},
        "filelock": {"data"},
        "python_multipart": {"serve"},
        "sentencex": {"text"},
        "py3langid": {"text"},
    }
    for path in FILES:
        package = path.relative_to(SOURCE).parts[0]
        for module in imported_modules(path):
            packages = allowed.get(module.partition(".")[0])
            assert packages is None or package in packages, f"{path} imports {module}"


def test_attention_depends_only_on_torch() -> None:
    known = {"torch", "jaxtyping"} | set(sys.stdlib_module_names)
    for path in (SOURCE / "attention").rglob("*.py"):
        for module in imported_modules(path):
            assert module.partition(".")[0] in known or module.startswith("regard.attention"), (
                f"{path} imports {module}"
            )


def test_text_and_data_preparation_do_not_import_torch() -> None:
    code = (
        "import sys, regard.text.tokenizer, regard.data.formats.corpus\n"
        "import regard.data.preparation.prepare\n"
        "print(sorted({'torch', 'ray', 'pyarrow', 'fsspec'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stdout + done.stderr


@pytest.mark.parametrize(
    "module",
    [
        *("regard.serve.run", "regard.serve.worker", "regard.serve.markup_worker"),
        *("regard.serve.document_worker", "regard.client"),
    ],
)
def test_processes_of_a_server_do_not_import_torch(module: str) -> None:
    """It takes seconds and 150 MB. An engine imports it for a model that needs it."""
    code = f"import sys, {module}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "False\n", done.stdout + done.stderr


def test_help_does_not_import_torch() -> None:
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
        r"\bimport pickle\b|\btorch\.load\((?![^()]*\bweights_only=True\))|\byaml\.unsafe_load"
        r"|(?<![.\w])eval\(|(?<![.\w])exec\("
    )
    for path in FILES:
        assert not banned.search(path.read_text("utf-8")), path


def test_public_names_of_the_package() -> None:
    assert set(regard.__all__) == {
        "Attention",
        "Captioner",
        "Client",
        "Completer",
        "DocumentClassifier",
        "SamplingOptions",
        "TranslateOptions",
        "Translator",
        "VocabularySizes",
        "batch",
        "beam",
        "greedy",
        "load",
        "load_config",
        "register",
        "sample",
        "watch",
    }
    for name in regard.__all__:
        assert getattr(regard, name) is not None


def test_table_of_mechanisms_is_up_to_date() -> None:
    assert (ROOT / "docs" / "mechanisms.md").read_text("utf-8") == mechanisms_table(), (
        "run scripts/mechanisms"
    )


SERVER = "http://localhost:8000"
GOLDEN = ROOT / "tests" / "golden" / "format-2"
BUNDLES = {
    "captioning.md": "captioning",
    "language-models.md": "language",
    "classifying.md": "classification",
}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_python_code_of_documents_runs(path: Path, tmp_path: Path) -> None:
    """In a directory with a trained model in model/, run/model, run1/model and so on.

    The model is served if the code contains the server's usual address. A model with several
    target languages is in multilingual/model.
    """
    blocks = re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL)
    if blocks:
        bundle = GOLDEN / BUNDLES.get(path.name, "transformer") / "model"
        for place in ("model", "run/model", "run1/model", "run2/model", "run3/model"):
            shutil.copytree(bundle, tmp_path / place)
        code = "\n".join(blocks)
        if "multilingual/model" in code:
            (tmp_path / "multilingual").mkdir()
            pairs = (("en", "fr"), ("en", "de"))
            make_bundle("transformer", tmp_path / "multilingual" / "model", pairs=pairs)
        with contextlib.ExitStack() as stack:
            if SERVER in code:
                options = ("--workers", "1", "--store", tmp_path / "store.db")
                serve = running_server(f"en-de={bundle}", *options)
                code = code.replace(SERVER, stack.enter_context(serve).url)
            done = subprocess.run(
                [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
            )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_relative_links_of_documents_exist(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)|src=\"([^\":]+)\"", path.read_text("utf-8"))
    for link in map("".join, links):
        assert (path.parent / link).exists(), f"{path}: {link}"


@pytest.mark.parametrize("package", ["train", "search", "bundle", "explain", "evaluate", "cli"])
def test_only_tasks_depend_on_the_kind_of_model(package: str) -> None:
    """Other packages use the `Task` of a model, never its kind or its input type."""
    kind = re.compile(
        r"model\.(kind|reads)\b|[\"'](language-model|classifier|encoder-decoder)[\"']"
    )
    for path in (SOURCE / package).rglob("*.py"):
        assert not kind.search(path.read_text("utf-8")), path


def test_shapes_in_signatures_are_checked_in_tests() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]
    (packages,) = re.findall(r"--jaxtyping-packages=(\S+)", options["ini_options"]["addopts"])
    checked = tuple(packages.split(","))
    for path in sorted((ROOT / "src").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        if "from jaxtyping import" in path.read_text():
            assert any(module == name or module.startswith(f"{name}.") for name in checked), module


def test_no_conftest_of_the_fast_tests_skips_when_it_is_imported() -> None:
    """With `.[dev]` alone, `scripts/test --fast` would end there."""
    lines = (ROOT / "tests" / "fast.txt").read_text().splitlines()
    folders = {(ROOT / line).parent for line in lines if not line.startswith("#")}
    for conftest in (folder / "conftest.py" for folder in sorted(folders)):
        text = conftest.read_text() if conftest.exists() else ""
        assert not re.search(r"^pytest\.(importorskip|skip)", text, re.MULTILINE), conftest
