"""Every stage, and documents of every format: twice the size takes twice the cost at most.

    python -m pytest -n0 -m slow tests/growth

measures larger sizes, which takes about ten minutes of one core. One case alone, without pytest:

    python -m tests.growth.measure full "doctor"
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from regard.align import aligner_training
from regard.data.corpus_job import BlockFunction
from regard.data.formats.corpus import Corpus
from regard.data.preparation import stages
from regard.documents.formats.base import FORMAT_NAMES
from tests.growth.cases import CASES, JOBS, ONE_SUFFIX
from tests.growth.corpora import FORMATS
from tests.growth.documents import MANY_TEXTS, ONE_TEXT
from tests.growth.measure import WHOLE, Measured

ROOT = Path(__file__).parents[2]
SCALES = pytest.mark.parametrize("scale", ["quick", pytest.param("full", marks=pytest.mark.slow)])
IN_MEMORY = Path("/dev/shm")  # the kernel's time for files on a disk varies with the load
ONE = [name for name in CASES if name.endswith(ONE_SUFFIX)]
MANY = [name for name in CASES if name not in ONE]


@cache
def measure(scale: str, one_text: bool) -> list[Measured]:
    """Measure cases in a process without type checks, once for all tests."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    if IN_MEMORY.is_dir():
        environment["TMPDIR"] = str(IN_MEMORY)
    names = ONE if one_text else MANY
    command = [sys.executable, "-m", "tests.growth.measure", scale, *names]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    values = [Measured(**json.loads(line)) for line in done.stdout.splitlines()]
    assert [value.name for value in values] == names
    return values


def errors(values: list[Measured]) -> dict[str, list[str]]:
    return {value.name: value.errors for value in values if value.errors}


@SCALES
def test_stages_and_documents_of_many_texts(scale: str) -> None:
    assert errors(measure(scale, one_text=False)) == {}


@SCALES
def test_documents_of_one_long_text(scale: str) -> None:
    assert errors(measure(scale, one_text=True)) == {}


def test_every_format_has_documents_to_measure() -> None:
    assert set(MANY_TEXTS) == set(ONE_TEXT) == set(FORMAT_NAMES)


def test_every_corpus_format_is_measured() -> None:
    assert {kind.__name__ for kind in FORMATS} == set(concrete_subclasses(Corpus))


def test_every_corpus_job_is_measured() -> None:
    measured = {name for value in measure("quick", one_text=False) for name in value.functions}
    assert {kind.__name__ for kind in JOBS} == measured == set(concrete_subclasses(BlockFunction))


def test_every_stage_is_measured() -> None:
    measured = {name for value in measure("quick", one_text=False) for name in value.seconds}
    known = set(stages.STAGES) | set(aligner_training.STAGES) | set(named_stages())
    assert known - {WHOLE} <= measured


def modules() -> Iterator[Path]:
    return (ROOT / "src" / "regard").rglob("*.py")


def named_stages() -> Iterator[str]:
    """The names of stages in calls of `PreparationTask`, and in corpus jobs."""
    for path in modules():
        tree = ast.parse(path.read_text())
        beginnings = dict(task_makers(tree))
        for node in ast.walk(tree):
            match node:
                case ast.Call(ast.Name("PreparationTask"), [ast.Constant(str(stage)), *_]):
                    yield stage
                case ast.Call(ast.Attribute(_, maker), [ast.Constant(str(stage)), *_]):
                    if maker in beginnings:
                        yield beginnings[maker] + stage
                case ast.AnnAssign(ast.Name("verb"), _, ast.Constant(str(verb))):
                    yield verb


def task_makers(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The methods that make the task of a stage, and how the names of their stages begin."""
    for method in ast.walk(tree):
        if isinstance(method, ast.FunctionDef):
            for node in ast.walk(method):
                match node:
                    case ast.Call(
                        ast.Name("PreparationTask"),
                        [ast.JoinedStr([ast.Constant(str(beginning)), _]), *_],
                    ):
                        yield method.name, beginning


def test_stages_that_are_named_in_parts_are_found() -> None:
    assert {f"align {stage}" for stage in ("start", "cells", "sum", "update")} <= {*named_stages()}


def concrete_subclasses(base: type) -> Iterator[str]:
    """The names of classes in the package that inherit from `base` and have no subclasses."""
    bases: dict[str, set[str]] = {}
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                bases[node.name] = {one.id for one in node.bases if isinstance(one, ast.Name)}
    inherited = {base.__name__}
    while more := {name for name, parents in bases.items() if parents & inherited} - inherited:
        inherited |= more
    return (
        name for name in inherited - {base.__name__} if name not in set().union(*bases.values())
    )
