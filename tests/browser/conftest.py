"""A browser without a network, and pages to open in it: of real models, and synthetic ones."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import regard
from regard.explain.page import explanation_page
from regard.explain.record import Explanation, side_by_side
from regard.tasks.translation.translator import Translator
from tests.bundles import LINES, make_bundle

pytest.importorskip("playwright", reason="needs playwright: pip install 'regard[test-browser]'")

from playwright.sync_api import Browser, sync_playwright

from tests.browser.viewer import Viewer

ROOT = Path(__file__).parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PRESETS = ("transformer", "bahdanau", "luong-general", "luong-local-p", "sparse", "sutskever")
SOURCE, TARGET = "A man sees two dogs.", "Two cats run away. Go!"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("needs chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def new_viewer(browser: Browser) -> Iterator[Callable[..., Viewer]]:
    """Opens viewers, each in its own Playwright context with the given settings."""
    viewers: list[Viewer] = []

    def new(**settings: Any) -> Viewer:
        viewers.append(Viewer(browser, **settings))
        return viewers[-1]

    yield new
    for viewer in viewers:
        viewer.close()


@pytest.fixture(scope="session")
def axe() -> str:
    if not AXE.is_file():
        pytest.skip("needs axe-core: run npm ci in web/")
    return AXE.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def translators(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Translator]:
    folder = tmp_path_factory.mktemp("bundles")
    return {name: regard.load(make_bundle(name, folder / name / "model")) for name in PRESETS}


@pytest.fixture(scope="session")
def explanations(translators: dict[str, Translator]) -> dict[str, Explanation]:
    """Explanations of a given target by each preset, and `found` by beam search."""
    given = {name: each.explain(SOURCE, TARGET) for name, each in translators.items()}
    return given | {"found": translators["transformer"].explain(LINES[1])}


@pytest.fixture(scope="session")
def synthetic() -> dict[str, str]:
    """Synthetic records, by name."""
    folder = str(ROOT / "web" / "fixtures")
    sys.path.insert(0, folder)
    try:
        from synthetic import records
    finally:
        sys.path.remove(folder)
    return records()


@pytest.fixture(scope="session")
def pages(
    explanations: dict[str, Explanation],
    synthetic: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Path]:
    """Saved pages: of every preset, of every synthetic record, and of four models `together`."""
    folder = tmp_path_factory.mktemp("pages")
    texts = {name: each.to_html() for name, each in explanations.items()}
    texts |= {name: explanation_page([record], name) for name, record in synthetic.items()}
    four = ("bahdanau", "transformer", "luong-general", "sutskever")
    texts["together"] = side_by_side([explanations[name] for name in four])
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}
