"""The stage: keys, playback, sizes, arcs and numbers."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.browser import expected
from tests.browser.test_access import CHECKED, MOVING
from tests.browser.test_numbers import check_texts, close
from tests.unpacked_record import unpacked

STEP = """() => ({...document.querySelector("regard-view").shadowRoot
  .querySelector("[data-testid=stage-view]").dataset})"""
# Texts smaller than the given size, except those that are hidden.
SMALL = """(root, size) => {
  const walker = document.createTreeWalker(root, 4);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent?.closest(".hidden, style")) continue;
    if (!parent?.checkVisibility()) continue;
    const points = parseFloat(getComputedStyle(parent).fontSize);
    if (points < size - 0.01) found.push([node.data.trim(), points]);
  }
  return found;
}"""
ARCS = """(root) => Array.from(root.querySelectorAll("[data-testid=arc]"), (arc) =>
  [Number(arc.dataset.unit), Number(arc.dataset.value),
   parseFloat(getComputedStyle(arc).strokeWidth), arc.getTotalLength() > 0])"""
FOCUS = """(root, selector, i) => {
  document.activeElement?.blur();
  root.querySelectorAll(selector)[i]?.focus();
}"""
SIZES = [(1920, 1080), (1280, 720), (390, 844)]


@pytest.fixture(scope="module")
def records(explanations, synthetic):
    texts = {"found": explanations["found"].to_json(), "english": synthetic["english"]}
    return {name: unpacked(text) for name, text in texts.items()}


def step(viewer) -> tuple[int, str]:
    data = viewer.page.evaluate(STEP)
    return int(data["step"]), data["phase"]


def test_stage_is_the_first_view_of_a_text_source(new_viewer, pages) -> None:
    viewer = new_viewer()
    for name, first in {"found": "stage", "sutskever": "stage", "image": "image"}.items():
        assert viewer.open(pages[name]).views[0] == first
    assert viewer.errors == []


@pytest.mark.parametrize("view", ["stage", "trace"])
def test_keys_move_wherever_the_focus_is(new_viewer, pages, records, view) -> None:
    viewer = new_viewer().open(pages["found"], f"{view}/1", options=False)
    selector = "button, [role=tab], [role=button]"
    count = viewer.evaluate("(root, all) => root.querySelectorAll(all).length", selector)
    viewer.page.keyboard.press("PageDown")
    last = len(records["found"]["steps"])
    for i in range(-1, min(count, 24)):
        viewer.evaluate(FOCUS, selector, i)
        for key in ("ArrowRight", "PageDown", "PageUp", "ArrowLeft"):
            before = viewer.page.evaluate("() => location.hash"), position(viewer)
            viewer.page.keyboard.press(key)
            viewer.evaluate("(root) => 0")
            assert viewer.at(f"view-{view}").count() == 1, f"{key} at {i} leaves the view"
            after = viewer.page.evaluate("() => location.hash"), position(viewer)
            forward = key in ("ArrowRight", "PageDown")
            at_end = step_of(before[0]) == (last if forward else 1)
            assert after != before or at_end, f"{key} does nothing at {i}"
    viewer.evaluate(FOCUS, "[role=tab]", 0)
    viewer.page.keyboard.press("Space")
    assert viewer.at("play").get_attribute("aria-pressed") == "true"
    assert viewer.errors == []


def step_of(address: str) -> int:
    return int(address.split("/")[1])


def position(viewer) -> str:
    """Step and phase, or the stage of the step-by-step view."""
    if viewer.at("stage-view").count():
        return " ".join(map(str, step(viewer)))
    return str(int(viewer.at("stage").inner_text().split()[1]) - 1)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_playback_shows_every_phase_and_ends_in_time(new_viewer, pages, records, motion) -> None:
    viewer = new_viewer(reduced_motion=motion).open(pages["found"], options=False)
    viewer.at("speed").locator("[data-speed='2']").click()
    began = time.monotonic()
    viewer.at("play").click()
    shown = set()
    while viewer.at("play").get_attribute("aria-pressed") == "true":
        shown.add(step(viewer))
        if motion == "reduce":
            assert viewer.evaluate(MOVING) == 0
        assert time.monotonic() - began < 20
    steps = len(expected.units(records["found"]["target"], pieces=False))
    assert {number for number, _ in shown} == set(range(steps))
    assert {phase for _, phase in shown} == {"query", "weights", "context", "output"}
    assert step(viewer) == (steps - 1, "output")
    said = viewer.page.locator("[data-testid=target-word][data-when=said]").count()
    assert said == steps and viewer.errors == []


def test_long_sentences_play_in_twenty_seconds(new_viewer, pages) -> None:
    viewer = new_viewer().open(pages["forty"], options=False)
    began = time.monotonic()
    viewer.at("play").click()
    viewer.page.wait_for_timeout(8000)
    share = (step(viewer)[0] + 1) / viewer.at("target-word").count()
    taken = time.monotonic() - began
    assert taken / share < 24  # the pace at 8 seconds; timers of a busy machine are late


@pytest.mark.parametrize("size", SIZES)
def test_nothing_scrolls(new_viewer, pages, size) -> None:
    width, height = size
    viewer = new_viewer(viewport={"width": width, "height": height})
    for name in ("found", "sutskever"):
        for query in ("", "?present"):
            viewer.open(pages[name], options=False, query=query)
            for stage in viewer.at("phase").all():
                stage.click()
                page = viewer.page.evaluate(
                    "() => [document.documentElement.scrollHeight, "
                    "document.documentElement.scrollWidth]"
                )
                assert page[0] <= height and page[1] <= width, (name, query)
    assert viewer.errors == []


def test_type_is_large_enough(new_viewer, pages) -> None:
    viewer = new_viewer(viewport={"width": 1920, "height": 1080})
    viewer.open(pages["found"], options=False, query="?present")
    assert viewer.evaluate(SMALL, 24) == []
    viewer.open(pages["found"])
    for view in viewer.views:
        assert viewer.show(view).evaluate(SMALL, 14) == [], view


@pytest.mark.parametrize("name", ["found", "english"])
def test_arcs_are_as_wide_as_the_weights(new_viewer, pages, records, name) -> None:
    record = records[name]
    viewer = new_viewer().open(pages[name], options=False)
    attention, head, _ = expected.default_selection(record)
    wanted = expected.chart(record, attention, head, 0, pieces=False)
    probabilities = expected.probabilities(record)
    rows, _ = expected.axes(record, "cross", pieces=False)
    order = sorted(range(len(rows)), key=lambda r: rows[r][0])
    for number, row in enumerate(order):
        viewer.at("target-word", unit=number).evaluate("(word) => word.click()")
        arcs = viewer.evaluate(ARCS)
        units = [int(unit) for unit, *_ in arcs]
        assert units == list(np.flatnonzero(wanted[row] >= 0.005))
        close([value for _, value, *_ in arcs], wanted[row][units], 2e-5)
        close([width for *_, width, _ in arcs], 26 * wanted[row][units], 0.01)
        assert all(drawn for *_, drawn in arcs)
        shares = viewer.evaluate(
            "(root) => Array.from(root.querySelectorAll('[data-testid=share]'), "
            "(part) => Number(part.dataset.value))"
        )
        close(shares, contributions(record, attention, head, rows[row]), 1e-3)
        output = viewer.page.locator("[data-output=true] data.number")
        p = float(output.get_attribute("data-value") or "nan")
        close(p, np.prod(probabilities[rows[row]]), 1e-6)
        check_texts(viewer)
    assert viewer.errors == []


def contributions(record, name, head, row):
    """The share of each source word in the context: weight · ‖value‖, normalized."""
    attention = expected.find_attention(record, name)
    fine = expected.weights(record, attention, head)[row].sum(axis=0)
    norms = record["arrays"][attention["norms"]].astype(float)
    of_head = norms.mean(axis=0) if head == "mean" else norms[int(head)]
    parts = fine * of_head
    _, columns = expected.axes(record, "cross", pieces=False)
    words = np.array([parts[column].sum() for column in columns])
    return words / words.sum()


def test_numbers_open_down_to_one_product(new_viewer, pages) -> None:
    viewer = new_viewer().open(pages["found"], options=False)
    for name, shown in {
        "query": "vector",
        "source-word": "summands",
        "context": "products",
        "race": "output",
    }.items():
        viewer.at(name).first.click()
        viewer.at("numbers").locator(f"[data-testid={shown}]").wait_for()
        check_texts(viewer)
        viewer.page.keyboard.press("Escape")
        viewer.at("numbers").wait_for(state="detached")
    products = "[data-testid=products] tbody tr td:last-child data"
    viewer.at("context").click()
    values = viewer.evaluate(
        "(root, all) => Array.from(root.querySelectorAll(all), (each) => "
        "Number(each.dataset.value))",
        products,
    )
    close(sum(values[:-1]), values[-1], 1e-4)
    assert viewer.errors == []


def test_a_model_without_attention_has_one_vector(new_viewer, pages) -> None:
    viewer = new_viewer().open(pages["sutskever"], options=False)
    assert viewer.at("chip").count() == 1 and viewer.at("share").count() == 0
    assert viewer.at("arc").count() == viewer.at("source-word").count()
    assert "fixed vector" in viewer.at("chip").inner_text()
    viewer.at("chip").click()
    assert viewer.at("numbers").locator("[data-testid=vector]").count() == 1


def test_models_step_together(new_viewer, pages) -> None:
    viewer = new_viewer().open(pages["together"], "stage/1", options=False)
    lanes = viewer.at("lane")
    assert lanes.count() == 4
    viewer.page.keyboard.press("PageDown")
    current = viewer.page.locator("[aria-current=step]")
    assert [word.get_attribute("data-unit") for word in current.all()] == ["1"] * 4
    viewer.page.set_viewport_size({"width": 390, "height": 844})
    assert viewer.page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert viewer.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_no_violation_on_the_stage(new_viewer, pages, axe, scheme, size) -> None:
    width, height = size
    viewer = new_viewer(
        color_scheme=scheme, bypass_csp=True, viewport={"width": width, "height": height}
    )
    for name in ("found", "sutskever"):
        viewer.open(pages[name], options=False)
        viewer.page.evaluate(axe)
        viewer.page.wait_for_timeout(700)
        assert viewer.evaluate(CHECKED) == []


def test_another_record_of_the_model_keeps_the_view(new_viewer, pages, explanations) -> None:
    viewer = new_viewer().open(pages["found"], "matrix")
    viewer.evaluate(
        "(root, json) => root.host.replace(json)",
        explanations["transformer"].to_json(),
    )
    assert viewer.at("view-matrix").count() == 1
    rows = viewer.page.locator(".side bdi").all_inner_texts()
    assert rows[:2] == ["Two", "cats"]
    assert viewer.errors == []


def test_the_address_restores_step_and_head(new_viewer, pages) -> None:
    viewer = new_viewer().open(pages["found"], "stage/4")
    viewer.select("head", "1")
    address = viewer.page.evaluate("() => location.hash")
    assert address.startswith("#stage/4/decoder.blocks.") and address.endswith("/2")
    arcs = viewer.evaluate(ARCS)
    viewer.open(pages["found"], address.removeprefix("#"))
    assert viewer.evaluate(ARCS) == arcs
    assert viewer.at("head").input_value() == "1" and step(viewer)[1] == "output"
