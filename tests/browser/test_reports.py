"""The report of a comparison in a browser: it fits a phone, folds details, and axe accepts it."""

from __future__ import annotations

from pathlib import Path

import pytest

from regard.evaluate.compare import compare_systems
from regard.evaluate.comparison_page import comparison_page
from tests.browser.test_access import CHECKED

SENTENCES = 40
LONGEST = 3_500  # pixels of the report on a phone; it had 14,149 without folding


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A baseline, and a system that is better on most sentences."""
    references = [f"sentence {n} has a dog and a cat in the park" for n in range(SENTENCES)]
    better = [line if n % 5 else line.replace("dog", "hen") for n, line in enumerate(references)]
    baseline = [line.replace("a cat in the park", "the cats of parks") for line in references]
    sources = [f"Satz {n} hat einen Hund und eine Katze im Park" for n in range(SENTENCES)]
    comparison = compare_systems(sources, references, {"baseline": baseline, "new": better})
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(comparison_page(comparison, []), encoding="utf-8")
    return path


def test_the_report_begins_with_the_result_and_is_short_on_a_phone(browser, report) -> None:
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator(".verdict").first.inner_text().startswith("new is better than baseline")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.documentElement.scrollHeight") <= LONGEST
    gains = page.get_by_text("Largest gains")
    assert not page.locator("article").first.is_visible()
    gains.click()
    assert page.locator("article").first.is_visible()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_axe_finds_no_violation_in_the_report(browser, report, axe, width, scheme) -> None:
    context = browser.new_context(
        offline=True, color_scheme=scheme, viewport={"width": width, "height": 900}
    )
    page = context.new_page()
    page.goto(report.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")
    page.evaluate(axe)
    assert page.evaluate(CHECKED) == []
    context.close()
