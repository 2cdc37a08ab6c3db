"""A real browser without a network, and pages to open in it: the product's own, and odd ones."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import regard
from regard.explain.page import explanation_page as page_of
from regard.explain.record import Explanation, side_by_side
from regard.tasks.translation.translator import Translator
from tests.bundles import LINES, sealed

pytest.importorskip("playwright", reason="needs playwright: pip install 'regard[dev]'")

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
        pytest.skip("no chromium here")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def look(browser: Browser) -> Iterator[Callable[..., Viewer]]:
    """A new viewer in a context of its own; the settings are those of a Playwright context."""
    made: list[Viewer] = []

    def new(**settings: Any) -> Viewer:
        made.append(Viewer(browser, **settings))
        return made[-1]

    yield new
    for viewer in made:
        viewer.close()


@pytest.fixture(scope="session")
def axe() -> str:
    if not AXE.is_file():
        pytest.skip("no axe-core here: npm ci in web/")
    return AXE.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def translators(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Translator]:
    folder = tmp_path_factory.mktemp("sealed")
    return {name: regard.load(sealed(name, folder / name / "model")) for name in PRESETS}


@pytest.fixture(scope="session")
def explanations(translators: dict[str, Translator]) -> dict[str, Explanation]:
    """Of a target that was given, by each preset; and `found`: what a beam search found."""
    made = {name: each.explain(SOURCE, TARGET) for name, each in translators.items()}
    return made | {"found": translators["transformer"].explain(LINES[1])}


@pytest.fixture(scope="session")
def synthetic() -> dict[str, str]:
    """Records of odd shapes, by name."""
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
    """Files to open: of every preset, of every odd shape, and four models `together`."""
    folder = tmp_path_factory.mktemp("pages")
    texts = {name: each.to_html() for name, each in explanations.items()}
    texts |= {name: page_of([record], name) for name, record in synthetic.items()}
    four = ("bahdanau", "transformer", "luong-general", "sutskever")
    texts["together"] = side_by_side([explanations[name] for name in four])
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}
