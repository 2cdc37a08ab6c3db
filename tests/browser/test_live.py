"""Pages that translate: edited sentences, changed attention, shared addresses, the race."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from regard.align.tokenized_text import TokenizedText
from regard.explain.changes import Changes
from regard.explain.page import LiveModels
from regard.explain.record import side_by_side
from regard.tasks.translation.translator import Translator
from tests.browser.viewer import Viewer
from tests.bundles import LINES

SENTENCE = LINES[1]
RACE = [(line, line) for line in LINES[1:4]]
NAMES = ("bahdanau", "transformer")
CROSS = "decoder.blocks.{}.cross_attention"

NewViewer = Callable[..., Viewer]


@pytest.fixture(scope="module")
def live_page(translators: dict[str, Translator], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two models with a race."""
    models = [translators[name].live_model(precision="f32") for name in NAMES]
    records = [translators[name].explain(SENTENCE) for name in NAMES]
    page = side_by_side(records, LiveModels(models, NAMES, SENTENCE, LINES[2:4], RACE))
    path = tmp_path_factory.mktemp("live") / "page.html"
    path.write_text(page, encoding="utf-8")
    return path


def check(viewer: Viewer, expected: dict[str, str]) -> None:
    """Wait until the models have these translations."""
    for model, name in enumerate(NAMES):
        output = viewer.at("live-output", model=model).locator("[data-testid=live-translation]")
        expect(output).to_have_text(expected[name])


def translated(translators: dict[str, Translator], text: str, changes: Changes) -> dict[str, str]:
    return {name: translators[name].explain(text, changes=changes).target.raw for name in NAMES}


def test_a_typed_sentence_is_translated_without_requests(
    new_viewer: NewViewer, live_page: Path, translators: dict[str, Translator]
) -> None:
    viewer = new_viewer().open(live_page)
    translations = set()
    for text in ("Two men.", "A cat runs away from the dog!", "Go"):
        viewer.at("live-source").fill(text)
        expected = translated(translators, text, Changes())
        assert expected["transformer"] == translators["transformer"].translate([text])[0].text
        check(viewer, expected)
        translations.add(expected["transformer"])
    assert len(translations) > 1, "the models translate these sentences differently"
    local = ("file:", "blob:", "about:")
    assert [url for url in viewer.requests if not url.startswith(local)] == []
    assert viewer.errors == []


def test_a_struck_word_is_hidden_or_removed(
    new_viewer: NewViewer, live_page: Path, translators: dict[str, Translator]
) -> None:
    viewer = new_viewer().open(live_page)
    tokenizer = translators["transformer"].tokenizer
    text = TokenizedText.from_text(tokenizer, SENTENCE)
    results = set()
    for word in (1, 2):
        viewer.at("struck", word=word).click()
        hidden = [piece for struck in range(1, word + 1) for piece in text.word_pieces[struck]]
        expected = translated(translators, SENTENCE, Changes(hidden=tuple(hidden)))
        check(viewer, expected)
        results.add(expected["transformer"])
    viewer.at("remove").click()
    words = [word for number, word in enumerate(text.word_texts) if number not in (1, 2)]
    shorter = " ".join(words).replace(" .", ".").replace(" !", "!")
    check(viewer, translated(translators, shorter, Changes()))
    viewer.at("undo").click()
    unchanged = translated(translators, SENTENCE, Changes())
    check(viewer, unchanged)
    assert results != {unchanged["transformer"]}, "a struck word changes the translation"
    assert viewer.errors == []


def test_changed_attention_is_that_of_python(
    new_viewer: NewViewer, live_page: Path, translators: dict[str, Translator]
) -> None:
    """Temperature and equal weights of all models; a head and weights of the Transformer."""
    viewer = new_viewer().open(live_page)
    viewer.page.locator("summary", has_text="Change the attention").click()
    viewer.at("live-temperature").fill("3")
    check(viewer, translated(translators, SENTENCE, Changes(temperature=8.0)))
    viewer.at("live-temperature").fill("0")
    viewer.at("uniform").check()
    for model, name in enumerate(NAMES):
        cross = ("decoder.attention",) if name == "bahdanau" else (CROSS.format(0), CROSS.format(1))
        names = [a.name for a in translators[name].explain(SENTENCE).trace.attentions]
        changes = Changes(uniform=tuple(each for each in cross if each in names))
        output = viewer.at("live-output", model=model).locator("[data-testid=live-translation]")
        changed = translators[name].explain(SENTENCE, changes=changes)
        expect(output).to_have_text(changed.target.raw)
    assert viewer.errors == []


def test_an_address_restores_sentence_changes_and_view(
    new_viewer: NewViewer, live_page: Path, translators: dict[str, Translator]
) -> None:
    viewer = new_viewer().open(live_page, "matrix")
    viewer.at("live-source").fill(LINES[3])
    check(viewer, translated(translators, LINES[3], Changes()))
    viewer.at("struck", word=0).click()
    expect(viewer.at("undo")).to_be_visible()
    address = viewer.page.evaluate("() => location.href")
    again = new_viewer()
    again.page.goto(address)
    expect(again.at("live-source")).to_have_value(LINES[3])
    expect(again.at("struck", word=0)).to_have_attribute("aria-pressed", "true")
    expect(again.at("view-matrix")).to_be_visible()
    text = TokenizedText.from_text(translators["transformer"].tokenizer, LINES[3])
    changes = Changes(hidden=tuple(text.word_pieces[0]))
    check(again, translated(translators, LINES[3], changes))
    again.page.goto(live_page.as_uri() + "#stage&edits=%7B%22hidden%22%3A%5B%22x%22%5D%7D")
    again.page.reload()
    check(again, translated(translators, SENTENCE, Changes()))  # a damaged part is left out
    assert viewer.errors == [] and again.errors == []


def test_the_race_counts_right_words(new_viewer: NewViewer, live_page: Path) -> None:
    viewer = new_viewer().open(live_page)
    for position, (_, reference) in enumerate(RACE):
        viewer.at("race-length").fill(str(position))
        for model in range(len(NAMES)):
            lane = viewer.at("race-lane", model=model)
            expect(lane).to_have_attribute("data-of", str(len(reference.split())))
            expect(lane.locator(".score")).to_contain_text("words right")
    viewer.at("see-how").click()
    expect(viewer.at("live-source")).to_have_value(RACE[-1][0])
    assert viewer.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(
    new_viewer: NewViewer, live_page: Path, axe: str, scheme: str
) -> None:
    viewer = new_viewer(color_scheme=scheme, bypass_csp=True).open(live_page)
    viewer.at("struck", word=1).click()
    expect(viewer.at("undo")).to_be_visible()
    viewer.page.locator("summary", has_text="Change the attention").click()
    viewer.page.evaluate(axe)
    script = """() => axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join()}`))"""
    assert viewer.page.evaluate(script) == []
