"""The documentation site, opened from the disk: search, no network, no violations of axe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.browser.test_access import CHECKED
from tests.conftest import ROOT

pytestmark = [pytest.mark.xdist_group("site"), pytest.mark.slow]  # one process builds it

PAGES = (
    "index",
    "guides/explaining",
    "lessons/1-one-vector",
    "lessons/3-scores-and-softmax",
    "lessons/teaching",
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280, 1920])
@pytest.mark.parametrize("name", PAGES)
def test_pages_fit_and_axe_finds_no_violation(site: Path, page, axe, name, width, scheme) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto((site / f"{name}.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(axe)
    assert page.evaluate(CHECKED) == []


@pytest.mark.parametrize(
    ("words", "title"), [("sparsemax", "Mechanisms"), ("gradient shortcut", "Lesson 2")]
)
def test_search_works_from_the_disk(site: Path, page, words, title) -> None:
    page.goto((site / "search.html").as_uri() + f"?q={quote(words)}")
    page.wait_for_selector("ul.search li a")
    titles = page.locator("ul.search li a").all_inner_texts()
    assert any(title in listed for listed in titles), titles


def test_every_page_of_the_lessons_leads_to_the_next(site: Path, page) -> None:
    page.goto((site / "lessons" / "index.html").as_uri())
    for title in ("Lesson 1", "Lesson 2", "Lesson 3", "Lesson 4", "Lesson 5", "For teachers"):
        page.locator("a.next-page").click()
        assert title in page.title()


def test_scores_that_are_dragged_change_the_weights(site: Path, page) -> None:
    page.goto((site / "lessons" / "3-scores-and-softmax.html").as_uri())
    lab = page.locator(".softmax-lab")
    weights = lab.locator("td:nth-child(5)")
    before = weights.all_inner_texts()
    assert abs(sum(map(float, before)) - 1) < 0.02
    lab.get_by_role("button", name="all + 2").click()
    assert weights.all_inner_texts() == before
    lab.get_by_role("button", name="all × 2").click()
    assert max(map(float, weights.all_inner_texts())) >= max(map(float, before))
    lab.get_by_role("slider", name="Score of car").fill("9")
    assert weights.all_inner_texts() != before
    lab.get_by_role("button", name="reset").click()
    assert weights.all_inner_texts() == before
