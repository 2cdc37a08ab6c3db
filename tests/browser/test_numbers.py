"""Every number on screen is the record's, also where the browser computes it again."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest

from tests.browser import expected
from tests.unpacked_record import unpacked

ATTENTIVE = ("transformer", "bahdanau", "luong-general", "luong-local-p", "sparse")
EVERY = (*ATTENTIVE, "sutskever", "found")
SHOWN = 5e-4
AGAIN = 1e-4  # where the browser computes it a second time
KEPT = 2e-5  # a weight is kept in parts of 65,535, and drawn in single precision

VALUES = """(root, selector) => Array.from(
  root.querySelectorAll(selector), (element) => Number(element.dataset.value || NaN))"""
TEXTS = """(root) => Array.from(root.querySelectorAll("[role=tabpanel] [data-value]"),
  (element) => [element.dataset.value, element.textContent.trim(), element.dataset.testid ?? ""])"""


@pytest.fixture(scope="module")
def records(explanations, synthetic):
    written = {name: each.to_json() for name, each in explanations.items()} | synthetic
    return {name: unpacked(text) for name, text in written.items()}


def values(viewer, selector: str):
    return np.array(viewer.ask(VALUES, selector))


def numbers(name: str) -> str:
    return f'[data-testid="{name}"] data.number'


def close(found, wanted, within: float) -> None:
    np.testing.assert_allclose(np.array(found, float), wanted, rtol=0, atol=within)


def check_texts(viewer) -> int:
    """What is printed is its `data-value`, to within 5e-4 or its last digit."""
    printed = 0
    for value, text, name in viewer.ask(TEXTS):
        if name in ("word", "compared") or text == "":
            continue  # a word; or a number too small to print
        printed += 1
        exact = float(value.replace("Infinity", "inf"))
        if text in ("–", "−∞"):
            assert exact != exact if text == "–" else exact == -np.inf
        else:
            digits = re.fullmatch(r"−?\d+(?:\.(\d+))?(e[+−]\d+)?", text)
            assert digits, f"{name}: {text!r} is no number"
            shown = float(text.replace("−", "-"))
            last = 10.0 ** -len(digits[1] or "") * (shown if digits[2] else 1)
            assert abs(shown - exact) <= max(SHOWN, last / 2 * 1.0001), f"{name}: {text}, {value}"
    return printed


@pytest.mark.parametrize("name", [*ATTENTIVE, "english", "chinese", "language"])
def test_the_matrix_shows_the_weights(look, pages, records, name) -> None:
    record = records[name]
    viewer = look(viewport={"width": 1600, "height": 900}).open(pages[name], "matrix")
    first = expected.best(record)
    choices = [(*first, False), (*first[:2], 1 - first[2], False), (*first, True)]
    if name == "transformer":
        for other in record["looks"]:
            choices += [(other["name"], head, 0, False) for head in (1, "mean", "max")]
    for look_, head, shift, pieces in choices:
        source = expected.named(record, look_)["kind"] == "source"
        viewer.choose("look", look_)
        viewer.choose("head", head)
        if source:
            viewer.choose("shift", shift)
        viewer.at("pieces" if pieces else "words").click()
        wanted = expected.chart(record, look_, head, shift if source else 0, pieces=pieces)
        close(values(viewer, '[data-testid="cell"]'), wanted.ravel(), KEPT)
        close(values(viewer, '[data-testid="row-sum"]'), wanted.sum(axis=1), KEPT)
        covered = np.nansum(wanted, axis=0)
        close(values(viewer, '[data-testid="coverage"]'), covered, KEPT * len(wanted))
        assert check_texts(viewer) > len(wanted)
    viewer.at("words").click()
    viewer.at("ends").uncheck()
    assert check_texts(viewer)
    assert viewer.trouble == []


@pytest.mark.parametrize("name", [*ATTENTIVE, "found", "hebrew"])
def test_reading_shows_the_weights_of_the_word_asked_about(look, pages, records, name) -> None:
    record = records[name]
    viewer = look().open(pages[name], "reading")
    wanted = expected.chart(record, *expected.best(record), pieces=False)
    rows, _ = expected.axes(record, "source", pieces=False)
    for r, row in enumerate(wanted):
        viewer.at("word", side="rows", unit=r).focus()
        close(values(viewer, '[data-testid="word"][data-side="columns"]'), row, KEPT)
        *looks, p = values(viewer, numbers("said"))
        close(p, np.prod(expected.probabilities(record)[rows[r]]), KEPT)
        close(looks, np.sort(row)[::-1][: len(looks)], KEPT)
        check_texts(viewer)
    for c, column in enumerate(wanted.T):
        viewer.at("word", side="columns", unit=c).focus()
        close(values(viewer, '[data-testid="word"][data-side="rows"]'), column, KEPT)
        check_texts(viewer)
    assert viewer.trouble == []


@pytest.mark.parametrize("name", [*ATTENTIVE, "additive", "hard", "image", "language"])
def test_every_step_walks_through_the_exact_numbers_of_the_model(
    look, pages, records, name
) -> None:
    record = records[name]
    walk, arrays = record["walk"], record["arrays"]
    queries, keys, scores, weights, contents, contexts = (
        arrays[walk[part]].astype(float)
        for part in ("queries", "keys", "scores", "weights", "values", "contexts")
    )
    norms = np.linalg.norm(contents, axis=-1)
    viewer = look(reduced_motion="reduce").open(pages[name], "walk")
    for t, step in enumerate(record["steps"]):
        viewer.at("word", side="rows", unit=t).focus()
        close(values(viewer, numbers("score")), scores[t], AGAIN)
        close(values(viewer, numbers("weight")), weights[t], AGAIN)
        close(values(viewer, numbers("brought")), weights[t] * norms, AGAIN)
        assert values(viewer, '[data-testid="apart"]').max() <= AGAIN
        query, context = viewer.ask(
            """(root) => Array.from(root.querySelectorAll("[data-testid=strip]"),
              (strip) => strip.dataset.values.split(" ").map(Number))"""
        )
        close(query, queries[t], 1e-6)
        close(context, contexts[t], AGAIN)
        said = record["target"]["pieces"][t]
        top = [logp for _, logp in step["top"]]
        if said not in [piece for piece, _ in step["top"]]:
            top.append(step["logp"])
        close(values(viewer, numbers("probability")), np.exp(top), 1e-6)
        at = int(np.argmax(weights[t]))
        check_summands(viewer, walk, arrays, queries[t], keys[at], scores[t, at])
        check_texts(viewer)
    for _ in range(5):
        viewer.at("back").click()
        check_texts(viewer)
    assert viewer.trouble == []


def check_summands(viewer, walk, arrays, query, key, score) -> None:
    """A score, taken apart into its largest summands, the rest and their sum."""
    energy = None if walk["energy"] is None else arrays[walk["energy"]].astype(float)
    parts = walk["scale"] * query * key if energy is None else energy * np.tanh(query + key)
    close(values(viewer, numbers("score-sum")), [parts.sum()], AGAIN)
    close(parts.sum(), score, AGAIN)
    order = np.argsort(-np.abs(parts), kind="stable")
    rows = values(viewer, '[data-testid="summands"] tbody tr td:last-child data')
    close(rows[: min(6, len(parts))], parts[order[:6]], AGAIN)
    if len(parts) > 6:
        close(values(viewer, numbers("rest")), [parts[order[6:]].sum()], AGAIN)


def test_a_temperature_is_computed_again_and_said_to_be_no_ones_own(look, pages, records) -> None:
    record = records["transformer"]
    scores = record["arrays"][record["walk"]["scores"]].astype(float)
    viewer = look().open(pages["transformer"], "walk")
    viewer.at("word", side="rows", unit=1).focus()
    viewer.at("temperature").fill("1")
    hot = np.exp((scores[1] - scores[1].max()) / 2)
    close(values(viewer, numbers("weight")), hot / hot.sum(), AGAIN)
    assert "Not the model’s own" in viewer.at("stage-2").inner_text()
    viewer.at("own").click()
    assert values(viewer, '[data-testid="apart"]').max() <= AGAIN


@pytest.mark.parametrize("name", ["transformer", "english"])
def test_other_heads_walk_through_what_the_record_has_of_them(look, pages, records, name) -> None:
    record = records[name]
    viewer = look().open(pages[name], "heads")
    for other in record["looks"]:
        if other["kind"] != "source":
            continue
        for head in (1, "mean"):
            viewer.turn("heads")
            viewer.at("tile", look=other["name"], head=head).click()
            viewer.turn("walk")
            viewer.at("word", side="rows", unit=1).focus()
            wanted = expected.weights(record, other, head)[1]
            # scores are kept in half precision where they are not those of the walk
            close(values(viewer, numbers("weight")), wanted, 2e-3)
            check_texts(viewer)
    assert viewer.trouble == []


@pytest.mark.parametrize("name", ["transformer", "bahdanau", "english"])
def test_heads_are_measured_as_they_are(look, pages, records, name) -> None:
    record = records[name]
    shift = expected.best(record)[2]
    viewer = look().open(pages[name], "heads")
    fine = partial(expected.weights, record)

    def agreeing(links):
        return lambda look, head: expected.agreement(record, look["name"], head, shift, links)

    measures = {
        "entropy": lambda look, head: expected.entropy(fine(look, head)).mean(),
        "diagonality": lambda look, head: expected.diagonality(fine(look, head)),
        "agreement": agreeing(record["links"]),
    }
    if record["gold"]:
        measures["error"] = lambda look, head: 1 - agreeing(record["gold"])(look, head)
    offered = viewer.at("sort").locator("option").evaluate_all("all => all.map((o) => o.value)")
    assert offered == ["layer", *measures]
    for measure in offered[1:]:
        viewer.choose("sort", measure)
        tiles = viewer.ask(
            """(root) => Array.from(root.querySelectorAll("[data-testid=tile]"), (tile) => [
              tile.dataset.look, tile.dataset.head, tile.querySelector("data")?.dataset.value])"""
        )
        assert len(tiles) == sum(
            each["heads"] + (2 if each["heads"] > 1 else 0) for each in record["looks"]
        )
        for name_, head, value in tiles:
            look_ = expected.named(record, name_)
            if value is None:
                assert look_["kind"] != "source" and measure in ("agreement", "error")
            else:
                close(float(value), measures[measure](look_, head), 1e-3)
        check_texts(viewer)
    assert viewer.trouble == []


@pytest.mark.parametrize("name", ["found", "english"])
def test_every_hypothesis_of_the_beam_has_its_numbers(look, pages, records, name) -> None:
    beam = records[name]["beam"]
    viewer = look().open(pages[name], "beam")
    viewer.at("cut").check()
    check_texts(viewer)
    nodes = viewer.ask(
        """async (root) => {
          const told = [];
          for (const { dataset } of Array.from(root.querySelectorAll("[data-testid=node]"))) {
            root.querySelector(`[data-node="${dataset.node}"]`).click();
            await root.host.updateComplete;
            const numbers = root.querySelectorAll("[data-testid=detail] data.number");
            told.push([Number(dataset.node), dataset.best === "true",
              root.querySelector(`[data-node="${dataset.node}"] small`)?.textContent,
              Array.from(numbers, (number) => Number(number.dataset.value))]);
          }
          return told;
        }"""
    )
    assert sorted(node for node, *_ in nodes) == list(range(-1, len(beam["parents"])))
    assert [node for node, best, *_ in nodes if best] == [-1, *beam["best"]]
    for node, _, shown, found in nodes:
        if node < 0:
            continue
        above, length, total = beam["parents"][node], 1, beam["totals"][node]
        while above >= 0:
            above, length = beam["parents"][above], length + 1
        close(found, [beam["logps"][node], total, total / length ** beam["alpha"]], 1e-6)
        close(float(shown), np.exp(beam["logps"][node]), 5.001e-3)  # two digits are printed
    check_texts(viewer)
    assert viewer.trouble == []


@pytest.mark.parametrize("name", ["transformer", "sutskever"])
def test_every_intervention_shows_before_and_after(look, pages, records, name) -> None:
    record = records[name]
    whatifs, arrays = record["whatifs"], record["arrays"]
    viewer = look().open(pages[name], "whatif")
    before = expected.probabilities(record)
    for n, (kind, word) in enumerate(zip(whatifs["kinds"], whatifs["words"], strict=True)):
        viewer.at("whatif-kind", kind=kind).click()
        if word is not None:
            viewer.at("word", side="columns", unit=word).focus()
        assert viewer.at("whatif").get_attribute("data-index") == str(n)
        after = np.exp(arrays[whatifs["logps"]][n].astype(float))
        close(values(viewer, numbers("before")), before, 1e-6)
        close(values(viewer, numbers("after")), after, 1e-6)
        changed = np.array(whatifs["says"][n]) != np.array(record["target"]["pieces"])
        instead = np.exp(arrays[whatifs["says_logps"]][n].astype(float))
        close(values(viewer, numbers("says")), instead[changed], 1e-6)
        first = int(np.argmax(np.abs(after - before)))
        lost = arrays[whatifs["logps"]][n].astype(float).sum() - np.log(before).sum()
        close(values(viewer, numbers("said")), [before[first], after[first], abs(lost)], 1e-4)
        check_texts(viewer)
    assert viewer.trouble == []


def test_models_side_by_side_show_their_own_weights(look, pages, records) -> None:
    four = ("bahdanau", "transformer", "luong-general", "sutskever")
    viewer = look().open(pages["together"], "compare")
    for c in range(len(expected.units(records["bahdanau"]["source"], pieces=False))):
        viewer.at("word", side="columns", unit=c).focus()
        for card, name in zip(viewer.at("model-card").all(), four, strict=True):
            record = records[name]
            found = [
                float(v)
                for v in card.locator("[data-testid=compared]").evaluate_all(
                    "all => all.map((word) => word.dataset.value)"
                )
            ]
            if name == "sutskever":
                assert found == []
                continue
            wanted = expected.chart(record, *expected.best(record), pieces=False)[:, c]
            close(found, wanted, KEPT)
        check_texts(viewer)
    assert viewer.trouble == []


def test_a_picture_is_lit_where_each_word_looked(look, pages, records) -> None:
    record = records["image"]
    viewer = look().open(pages["image"], "image")
    viewer.at("grid").check()
    wanted = expected.chart(record, *expected.best(record), pieces=False)
    for r, row in enumerate(wanted):
        viewer.at("word", side="rows", unit=r).focus()
        close(values(viewer, '[data-testid="place"]'), row, KEPT)
        told = [row.max(), expected.entropy(row), np.log2(len(row))]
        close(values(viewer, numbers("said")), told, 1e-3)
        check_texts(viewer)
    moved = np.abs(np.diff(wanted, axis=0)).sum(axis=1).mean() / 2
    close(values(viewer, numbers("moves")), [moved], 1e-3)
    assert viewer.trouble == []


@pytest.mark.parametrize("name", EVERY)
def test_no_number_stands_on_screen_without_its_whole_value(look, pages, records, name) -> None:
    """Citations aside: section 3.2 is no number."""
    parts = ("score", "span", "weighing")
    cited = [each[part]["citation"] for each in records[name]["looks"] for part in parts]
    viewer = look().open(pages[name])
    for view in viewer.views:
        bare = viewer.turn(view).ask(
            r"""(root, cited) => {
              const walker = document.createTreeWalker(root.querySelector("[role=tabpanel]"), 4);
              const found = [];
              for (let node = walker.nextNode(); node; node = walker.nextNode())
                if (/\d\.\d/.test(node.data) && !cited.includes(node.data.trim())
                    && !node.parentElement.closest("[data-value]"))
                  found.push(node.data.trim());
              return found;
            }""",
            cited,
        )
        assert bare == [], view
