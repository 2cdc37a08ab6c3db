"""One server with a small exported Transformer for all tests of a process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from regard.tasks.translation.exchange import export_bundle
from regard.tasks.translation.translator import Translator
from tests.bundles import make_bundle
from tests.running_server import RunningServer, running_server


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip(
        "ctranslate2", reason="needs ctranslate2: pip install 'regard[ctranslate2]'"
    )
    path = make_bundle("transformer", tmp_path_factory.mktemp("served") / "model")
    export_bundle(path, None)
    return path


@pytest.fixture(scope="session")
def translator(bundle: Path) -> Translator:
    """The same model, offline."""
    return Translator.load(bundle)


@pytest.fixture(scope="session")
def server(bundle: Path) -> Iterator[RunningServer]:
    with running_server(f"en-de={bundle}", "--workers", "2") as running:
        yield running
