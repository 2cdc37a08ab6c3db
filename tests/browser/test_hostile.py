"""Sources, targets and model names are shown as text and never run."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from regard.explain.record import ModelIdentity, side_by_side
from tests.browser.hostile import HOSTILE

TOGETHER = 4  # on one page
SENTINEL = "window.pwned = () => { window.ran = true; console.error('pwned'); };"

# Visit every view of every model; return the texts of `text` and the names of `compare`.
TOUR = """async (root, views) => {
  const texts = [];
  const select = root.querySelector("[data-testid=model]");
  for (let model = 0; model < select.options.length; model++) {
    select.selectedIndex = model;
    select.dispatchEvent(new Event("change"));
    for (const view of views) {
      root.querySelector(`#tab-${view}`).click();
      await root.host.updateComplete;
      if (view === "text")
        texts.push(Array.from(root.querySelectorAll(".text"), (text) => text.textContent));
    }
  }
  root.querySelector("#tab-compare").click();
  await root.host.updateComplete;
  return [texts, Array.from(root.querySelectorAll("article h3"), (name) => name.textContent)];
}"""


def test_there_are_a_hundred_hostile_texts() -> None:
    assert len(set(HOSTILE)) == 100


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_hostile_text_is_shown_literally(new_viewer, translators, tmp_path, every) -> None:
    viewer, path = new_viewer(), tmp_path / "page.html"
    viewer.context.add_init_script(SENTINEL)
    for first in range(0, len(HOSTILE), TOGETHER * every):
        texts = HOSTILE[first : first + TOGETHER * every : every]
        explained = [
            replace(translators["bahdanau"].explain(text, text), identity=ModelIdentity(text, text))
            for text in texts
        ]
        path.write_text(side_by_side(explained), encoding="utf-8")
        viewer.open(path)
        shown, names = viewer.evaluate(TOUR, viewer.views)
        heading = normalize(viewer.page.locator("h1").text_content())
        for text, (source, target), name in zip(map(normalize, texts), shown, names, strict=True):
            assert text in heading and text == normalize(name)
            assert text in normalize(source) and text in normalize(target)
        assert viewer.errors == [] and len(viewer.requests) == 1
        assert viewer.page.evaluate("() => [window.ran ?? false, document.scripts.length]") == [
            False,
            TOGETHER + 1,
        ]


def normalize(text: str) -> str:
    """Normalize spaces; the viewer shows U+202E by its name."""
    return re.sub(r"\s+", " ", text.replace("\u202e", "U+202e")).strip()
