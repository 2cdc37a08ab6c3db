"""The documentation site, opened from the disk: search, no network, no violations of axe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.test_access import CHECKED
from tests.conftest import ROOT

pytestmark = [pytest.mark.xdist_group("site"), pytest.mark.slow]  # one process builds it

PAGES = (
    "index",
    "tutorials/train",
    "reference/commands",
    "reference/settings",
    "reference/api",
    "mechanisms",
    "reproduced",
    "search",
)


@pytest.fixture(scope="module")
def site() -> Path:
    """The site, built where `scripts/docs` builds it: quickly if it has been built before."""
    pytest.importorskip("sphinx", reason="needs sphinx: pip install 'regard[docs]'")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(
        [ROOT / "scripts" / "docs"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return ROOT / "build" / "docs"


@pytest.fixture
def page(browser):
    """A page without a network; fails on requests to other places than the disk."""
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 844})
    page, problems = context.new_page(), []
    page.on(
        "request", lambda request: problems.append(request.url) if "://" in request.url else None
    )
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    assert [each for each in problems if not each.startswith(("file:", "data:"))] == []
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_pages_fit_and_axe_finds_no_violation(site: Path, page, axe, name, width) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((site / f"{name}.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(axe)
    assert page.evaluate(CHECKED) == []


def test_search_works_from_the_disk(site: Path, page) -> None:
    page.goto((site / "search.html").as_uri() + "?q=sparsemax")
    page.wait_for_selector("ul.search li a")
    titles = page.locator("ul.search li a").all_inner_texts()
    assert any("Settings" in title or "Mechanisms" in title for title in titles), titles
