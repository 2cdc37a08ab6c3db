"""Builds: native kernels if there is a C compiler, links of the README, and equal bytes."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import ROOT
from tests.release.environment import copy_tracked_files

pytest.importorskip("hatchling")


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path: Path, hook: ModuleType) -> Path:
    for source in hook.KERNELS:
        (tmp_path / source).parent.mkdir(parents=True)
        shutil.copy(ROOT / source, tmp_path / source)
    return tmp_path


def build(hook: ModuleType, tree: Path) -> tuple[dict, list[str]]:
    """Run the hook; return the build data and the warnings."""
    warnings: list[str] = []
    app = type("App", (), {"display_warning": staticmethod(warnings.append)})
    data: dict = {"artifacts": []}
    kernel = object.__new__(hook.NativeKernels)
    kernel._BuildHookInterface__root = str(tree)
    kernel._BuildHookInterface__app = app
    kernel.initialize("standard", data)
    return data, warnings


@pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)
def test_with_a_compiler_the_wheel_has_the_libraries_and_a_platform_tag(hook, tree) -> None:
    data, warnings = build(hook, tree)
    assert warnings == []
    additive, hmm = data["artifacts"]
    assert data["tag"].startswith("py3-none-") and data["pure_python"] is False
    assert ctypes.CDLL(str(tree / additive)).regard_additive_scores
    assert ctypes.CDLL(str(tree / hmm)).regard_align


def test_without_a_compiler_the_wheel_is_pure_with_one_warning(hook, tree, monkeypatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tree))
    data, warnings = build(hook, tree)
    assert data == {"artifacts": []}
    assert len(warnings) == 1 and "no C compiler" in warnings[0]


def test_a_failed_compilation_leaves_no_files(hook, tree, monkeypatch) -> None:
    monkeypatch.setenv("CC", "false")
    with pytest.raises(subprocess.CalledProcessError):
        hook.compile_kernel(tree, source := next(iter(hook.KERNELS)))
    assert list((tree / source).parent.iterdir()) == [tree / source]


def test_the_package_index_gets_absolute_links(hook) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    shown = hook.absolute_links(text, "https://host/regard", "v1.2.3")
    links = re.findall(r'\]\(([^)]+)\)|src="([^"]+)"', shown)
    assert len(links) > 20
    assert all(re.match(r"https://", "".join(link)) for link in links)
    assert "](https://host/regard/blob/v1.2.3/docs/guides/training.md)" in shown
    assert 'src="https://host/regard/raw/v1.2.3/docs/figures/figure-3.svg"' in shown


@pytest.mark.slow
def test_two_builds_in_different_places_have_equal_bytes(tmp_path: Path) -> None:
    """Of the tracked files, at different times, with the native kernels if there is a compiler.

    One place has files beside the tracked ones: packages of the viewer, and documentation.
    """
    built, places = [], ("one", "elsewhere/two")
    for place in places:
        copy_tracked_files(tmp_path / place)
    for name in ("web/node_modules/three/index.js", "build/docs/index.html"):
        (tmp_path / "one" / name).parent.mkdir(parents=True)
        (tmp_path / "one" / name).write_text("not part of a release")
    for place in places:
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build"],
            cwd=tmp_path / place,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
            check=True,
            capture_output=True,
        )
        files = sorted((tmp_path / place / "dist").iterdir())
        built.append({file.name: sha256(file.read_bytes()).hexdigest() for file in files})
    one, two = built
    assert [name.rpartition(".")[2] for name in one] == ["whl", "gz"]
    assert one == two
