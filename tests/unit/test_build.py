"""The native kernel is built where there is a compiler, and missed nowhere."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import ROOT

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
    (tmp_path / hook.FOLDER).mkdir(parents=True)
    shutil.copy(ROOT / hook.SOURCE, tmp_path / hook.SOURCE)
    return tmp_path


def build(hook: ModuleType, tree: Path) -> tuple[dict, list[str]]:
    """What the hook tells the wheel's builder, and the user."""
    said: list[str] = []
    app = type("App", (), {"display_warning": staticmethod(said.append)})
    data: dict = {"artifacts": []}
    kernel = object.__new__(hook.NativeKernel)
    kernel._BuildHookInterface__root = str(tree)
    kernel._BuildHookInterface__app = app
    kernel.initialize("standard", data)
    return data, said


@pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)
def test_with_a_compiler_the_wheel_has_the_library_and_its_platform(hook, tree) -> None:
    data, said = build(hook, tree)
    assert said == []
    assert data["artifacts"] == [hook.LIBRARY.as_posix()]
    assert data["tag"].startswith("py3-none-") and data["pure_python"] is False
    assert ctypes.CDLL(str(tree / hook.LIBRARY)).regard_additive_scores


def test_without_one_the_wheel_is_pure_and_one_line_says_so(hook, tree, monkeypatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tree))
    data, said = build(hook, tree)
    assert data == {"artifacts": []}
    assert len(said) == 1 and "no C compiler" in said[0]


def test_a_compiler_that_fails_leaves_nothing_behind(hook, tree, monkeypatch) -> None:
    monkeypatch.setenv("CC", "false")
    with pytest.raises(subprocess.CalledProcessError):
        hook.compile_kernel(tree)
    assert not (tree / hook.LIBRARY).exists()
    assert list((tree / hook.FOLDER).iterdir()) == [tree / hook.SOURCE]
