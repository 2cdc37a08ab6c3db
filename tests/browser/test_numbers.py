"""Every number on screen equals the record's, also if the browser recomputes it."""

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
RECOMPUTED = 1e-4  # numbers that the browser recomputes
STORED = 2e-5  # weights are stored in units of 1/65,535 and shown in single precision

VALUES = """(root, selector) => Array.from(
  root.querySelectorAll(selector), (element) => Number(element.dataset.value || NaN))"""
TEXTS = """(root) => Array.from(root.querySelectorAll("[role=tabpanel] [data-value]"),
  (element) => [element.dataset.value, element.textContent.trim(), element.dataset.testid ?? ""])"""


@pytest.fixture(scope="module")
def records(explanations, synthetic):
    texts = {name: each.to_json() for name, each in explanations.items()} | synthetic
    return {name: unpacked(text) for name, text in texts.items()}


def values(viewer, selector: str):
    return np.array(viewer.evaluate(VALUES, selector))


def numbers(name: str) -> str:
    return f'[data-testid="{name}"] data.number'


def close(found, wanted, atol: float) -> None:
    np.testing.assert_allclose(np.array(found, float), wanted, rtol=0, atol=atol)


def check_texts(viewer) -> int:
    """Printed numbers equal their `data-value` within 5e-4 or their last digit."""
    printed = 0
    for value, text, name in viewer.evaluate(TEXTS):
        if name in ("word", "compared", "share") or text == "":
            continue  # a word, or a number too small to print
        printed += 1
        exact = float(value.replace("Infinity", "inf"))
        if text in ("–", "−∞"):
            assert exact != exact if text == "–" else exact == -np.inf
        else:
            digits = re.fullmatch(r"−?\d+(?:\.(\d+))?(e[+−]\d+)?", text)
            assert digits, f"{name}: {text!r} is not a number"
            shown = float(text.replace("−", "-"))
            last = 10.0 ** -len(digits[1] or "") * (shown if digits[2] else 1)
            assert abs(shown - exact) <= max(SHOWN, last / 2 * 1.0001), f"{name}: {text}, {value}"
    return printed


@pytest.mark.parametrize("name", [*ATTENTIVE, "english", "chinese", "language"])
def test_matrix_shows_the_weights(new_viewer, pages, records, name) -> None:
    record = records[name]
    viewer = new_viewer(viewport={"width": 1600, "height": 900}).open(pages[name], "matrix")
    first = expected.default_selection(record)
    choices = [(*first, False), (*first[:2], 1 - first[2], False), (*first, True)]
    if name == "transformer":
        for other in record["attentions"]:
            choices += [(other["name"], head, 0, False) for head in (1, "mean", "max")]
    for name_, head, shift, pieces in choices:
        cross = expected.find_attention(record, name_)["kind"] == "cross"
        viewer.select("attention", name_)
        viewer.select("head", head)
        if cross:
            viewer.select("shift", shift)
        viewer.at("pieces" if pieces else "words").click()
        wanted = expected.chart(record, name_, head, shift if cross else 0, pieces=pieces)
        close(values(viewer, '[data-testid="cell"]'), wanted.ravel(), STORED)
        close(values(viewer, '[data-testid="row-sum"]'), wanted.sum(axis=1), STORED)
        coverage = np.nansum(wanted, axis=0)
        close(values(viewer, '[data-testid="coverage"]'), coverage, STORED * len(wanted))
        assert check_texts(viewer) > len(wanted)
    viewer.at("words").click()
    viewer.at("special-tokens").uncheck()
    assert check_texts(viewer)
    assert viewer.errors == []


@pytest.mark.parametrize("name", [*ATTENTIVE, "found", "hebrew"])
def test_text_view_shows_the_weights_of_the_selected_word(new_viewer, pages, records, name) -> None:
    record = records[name]
    viewer = new_viewer().open(pages[name], "text")
    wanted = expected.chart(record, *expected.default_selection(record), pieces=False)
    rows, _ = expected.axes(record, "cross", pieces=False)
    for r, row in enumerate(wanted):
        viewer.at("word", side="rows", unit=r).focus()
        close(values(viewer, '[data-testid="word"][data-side="columns"]'), row, STORED)
        *weights, p = values(viewer, numbers("summary"))
        close(p, np.prod(expected.probabilities(record)[rows[r]]), STORED)
        close(weights, np.sort(row)[::-1][: len(weights)], STORED)
        check_texts(viewer)
    for c, column in enumerate(wanted.T):
        viewer.at("word", side="columns", unit=c).focus()
        close(values(viewer, '[data-testid="word"][data-side="rows"]'), column, STORED)
        check_texts(viewer)
    assert viewer.errors == []


@pytest.mark.parametrize("name", [*ATTENTIVE, "additive", "hard", "image", "language"])
def test_every_step_shows_the_exact_numbers_of_the_model(new_viewer, pages, records, name) -> None:
    record = records[name]
    trace, arrays = record["head_trace"], record["arrays"]
    queries, keys, scores, weights, contents, contexts = (
        arrays[trace[part]].astype(float)
        for part in ("queries", "keys", "scores", "weights", "values", "contexts")
    )
    norms = np.linalg.norm(contents, axis=-1)
    viewer = new_viewer(reduced_motion="reduce").open(pages[name], "trace")
    viewer.at("pieces").click()
    for t, step in enumerate(record["steps"]):
        viewer.at("word", side="rows", unit=t).focus()
        close(values(viewer, numbers("score")), scores[t], RECOMPUTED)
        close(values(viewer, numbers("weight")), weights[t], RECOMPUTED)
        close(values(viewer, numbers("contribution")), weights[t] * norms, RECOMPUTED)
        assert values(viewer, '[data-testid="recompute-error"]').max() <= RECOMPUTED
        query, context = viewer.evaluate(
            """(root) => Array.from(root.querySelectorAll("[data-testid=vector]"),
              (vector) => vector.dataset.values.split(" ").map(Number))"""
        )
        close(query, queries[t], 1e-6)
        close(context, contexts[t], RECOMPUTED)
        target = record["target"]["pieces"][t]
        top = [logp for _, logp in step["top"]]
        if target not in [piece for piece, _ in step["top"]]:
            top.append(step["logp"])
        close(values(viewer, numbers("probability")), np.exp(top), 1e-6)
        at = int(np.argmax(weights[t]))
        check_summands(viewer, trace, arrays, queries[t], keys[at], scores[t, at])
        check_texts(viewer)
    for _ in range(5):
        viewer.at("back").click()
        check_texts(viewer)
    assert viewer.errors == []


def check_summands(viewer, trace, arrays, query, key, score) -> None:
    """The largest summands of a score, the rest and their sum."""
    energy = None if trace["energy"] is None else arrays[trace["energy"]].astype(float)
    parts = trace["scale"] * query * key if energy is None else energy * np.tanh(query + key)
    close(values(viewer, numbers("score-sum")), [parts.sum()], RECOMPUTED)
    close(parts.sum(), score, RECOMPUTED)
    order = np.argsort(-np.abs(parts), kind="stable")
    rows = values(viewer, '[data-testid="summands"] tbody tr td:last-child data')
    close(rows[: min(6, len(parts))], parts[order[:6]], RECOMPUTED)
    if len(parts) > 6:
        close(values(viewer, numbers("rest")), [parts[order[6:]].sum()], RECOMPUTED)


def test_temperature_recomputes_the_weights(new_viewer, pages, records) -> None:
    record = records["transformer"]
    scores = record["arrays"][record["head_trace"]["scores"]].astype(float)
    viewer = new_viewer().open(pages["transformer"], "trace")
    viewer.at("pieces").click()
    viewer.at("word", side="rows", unit=1).focus()
    viewer.at("temperature").fill("1")
    hot = np.exp((scores[1] - scores[1].max()) / 2)
    close(values(viewer, numbers("weight")), hot / hot.sum(), RECOMPUTED)
    assert "not the weights of the model" in viewer.at("stage-2").inner_text()
    viewer.at("reset-temperature").click()
    assert values(viewer, '[data-testid="recompute-error"]').max() <= RECOMPUTED


@pytest.mark.parametrize("name", ["transformer", "english"])
def test_other_heads_show_their_recorded_weights(new_viewer, pages, records, name) -> None:
    record = records[name]
    viewer = new_viewer().open(pages[name], "heads")
    for other in record["attentions"]:
        if other["kind"] != "cross":
            continue
        for head in (1, "mean"):
            viewer.show("heads")
            viewer.at("tile", attention=other["name"], head=head).click()
            viewer.show("trace")
            viewer.at("pieces").click()
            viewer.at("word", side="rows", unit=1).focus()
            wanted = expected.weights(record, other, head)[1]
            # scores have half precision outside the head trace
            close(values(viewer, numbers("weight")), wanted, 2e-3)
            check_texts(viewer)
    assert viewer.errors == []


@pytest.mark.parametrize("name", ["transformer", "bahdanau", "english"])
def test_measures_of_heads(new_viewer, pages, records, name) -> None:
    record = records[name]
    shift = expected.default_selection(record)[2]
    viewer = new_viewer().open(pages[name], "heads")
    fine = partial(expected.weights, record)

    def agreement(links):
        return lambda each, head: expected.agreement(record, each["name"], head, shift, links)

    measures = {
        "entropy": lambda each, head: expected.entropy(fine(each, head)).mean(),
        "diagonality": lambda each, head: expected.diagonality(fine(each, head)),
        "agreement": agreement(record["links"]),
    }
    if record["gold"]:
        measures["error"] = lambda each, head: 1 - agreement(record["gold"])(each, head)
    offered = viewer.at("sort").locator("option").evaluate_all("all => all.map((o) => o.value)")
    assert offered == ["layer", *measures]
    for measure in offered[1:]:
        viewer.select("sort", measure)
        tiles = viewer.evaluate(
            """(root) => Array.from(root.querySelectorAll("[data-testid=tile]"), (tile) => [
              tile.dataset.attention, tile.dataset.head,
              tile.querySelector("data")?.dataset.value])"""
        )
        assert len(tiles) == sum(
            each["heads"] + (2 if each["heads"] > 1 else 0) for each in record["attentions"]
        )
        for name_, head, value in tiles:
            attention = expected.find_attention(record, name_)
            if value is None:
                assert attention["kind"] != "cross" and measure in ("agreement", "error")
            else:
                close(float(value), measures[measure](attention, head), 1e-3)
        check_texts(viewer)
    assert viewer.errors == []


@pytest.mark.parametrize("name", ["found", "english"])
def test_beam_nodes_show_their_numbers(new_viewer, pages, records, name) -> None:
    beam = records[name]["beam"]
    viewer = new_viewer().open(pages[name], "beam")
    viewer.at("pruned").check()
    check_texts(viewer)
    nodes = viewer.evaluate(
        """async (root) => {
          const nodes = [];
          for (const { dataset } of Array.from(root.querySelectorAll("[data-testid=node]"))) {
            root.querySelector(`[data-node="${dataset.node}"]`).click();
            await root.host.updateComplete;
            const numbers = root.querySelectorAll("[data-testid=detail] data.number");
            nodes.push([Number(dataset.node), dataset.best === "true",
              root.querySelector(`[data-node="${dataset.node}"] small`)?.textContent,
              Array.from(numbers, (number) => Number(number.dataset.value))]);
          }
          return nodes;
        }"""
    )
    assert sorted(node for node, *_ in nodes) == list(range(-1, len(beam["parents"])))
    assert [node for node, best, *_ in nodes if best] == [-1, *beam["best"]]
    for node, _, shown, found in nodes:
        if node < 0:
            continue
        parent, length, total = beam["parents"][node], 1, beam["totals"][node]
        while parent >= 0:
            parent, length = beam["parents"][parent], length + 1
        close(found, [beam["logps"][node], total, total / length ** beam["length_penalty"]], 1e-6)
        close(float(shown), np.exp(beam["logps"][node]), 5.001e-3)  # printed with two digits
    check_texts(viewer)
    assert viewer.errors == []


@pytest.mark.parametrize("name", ["transformer", "sutskever"])
def test_interventions_show_probabilities_before_and_after(
    new_viewer, pages, records, name
) -> None:
    record = records[name]
    interventions, arrays = record["interventions"], record["arrays"]
    viewer = new_viewer().open(pages[name], "interventions")
    viewer.at("pieces").click()
    before = expected.probabilities(record)
    for n, (kind, word) in enumerate(
        zip(interventions["kinds"], interventions["words"], strict=True)
    ):
        viewer.at("intervention-kind", kind=kind).click()
        if word is not None:
            viewer.at("word", side="columns", unit=word).focus()
        assert viewer.at("intervention").get_attribute("data-index") == str(n)
        after = np.exp(arrays[interventions["logps"]][n].astype(float))
        close(values(viewer, numbers("before")), before, 1e-6)
        close(values(viewer, numbers("after")), after, 1e-6)
        changed = np.array(interventions["tokens"][n]) != np.array(record["target"]["pieces"])
        instead = np.exp(arrays[interventions["token_logps"]][n].astype(float))
        close(values(viewer, numbers("prediction")), instead[changed], 1e-6)
        first = int(np.argmax(np.abs(after - before)))
        lost = arrays[interventions["logps"]][n].astype(float).sum() - np.log(before).sum()
        close(values(viewer, numbers("summary")), [before[first], after[first], abs(lost)], 1e-4)
        check_texts(viewer)
    assert viewer.errors == []


def test_states_are_shown_without_attention(new_viewer, pages, records) -> None:
    record = records["sutskever"]
    steps = len(record["steps"])
    viewer = new_viewer().open(pages["sutskever"], "trace")
    close(viewer_vector(viewer), record["arrays"][record["summary"]], SHOWN)
    probabilities = expected.probabilities(record)
    for step in range(steps):
        encoder = viewer.at("encoder").locator("[data-testid=state]").count()
        decoder = viewer.at("stage-0").locator("[data-testid=state]").count()
        assert (encoder, decoder) == (len(record["source"]["pieces"]), step + 1)
        assert viewer.at("stage").inner_text().startswith("stage 1 of 2")
        viewer.at("forward").click()
        summary = values(viewer, numbers("summary"))
        close(summary[:1], probabilities[step : step + 1], SHOWN)
        viewer.at("forward").click()
    assert viewer.at("stage").inner_text().startswith("stage 2 of 2")  # it stops at the end
    check_texts(viewer)
    assert viewer.errors == []


def viewer_vector(viewer):
    values = viewer.at("vector").get_attribute("data-values")
    return np.array([float(value) for value in values.split()])


def test_compared_models_show_their_weights(new_viewer, pages, records) -> None:
    four = ("bahdanau", "transformer", "luong-general", "sutskever")
    viewer = new_viewer().open(pages["together"], "compare")
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
            wanted = expected.chart(record, *expected.default_selection(record), pieces=False)[:, c]
            close(found, wanted, STORED)
        check_texts(viewer)
    assert viewer.errors == []


def test_image_view_shows_the_weights_of_each_word(new_viewer, pages, records) -> None:
    record = records["image"]
    viewer = new_viewer().open(pages["image"], "image")
    viewer.at("grid").check()
    wanted = expected.chart(record, *expected.default_selection(record), pieces=False)
    for r, row in enumerate(wanted):
        viewer.at("word", side="rows", unit=r).focus()
        close(values(viewer, '[data-testid="region"]'), row, STORED)
        summary = [row.max(), expected.entropy(row), np.log2(len(row))]
        close(values(viewer, numbers("summary")), summary, 1e-3)
        check_texts(viewer)
    moved = np.abs(np.diff(wanted, axis=0)).sum(axis=1).mean() / 2
    close(values(viewer, numbers("movement")), [moved], 1e-3)
    assert viewer.errors == []


@pytest.mark.parametrize("name", EVERY)
def test_every_number_on_screen_has_its_full_value(new_viewer, pages, records, name) -> None:
    """Except in references, where 3.2 is a section."""
    parts = ("score", "span", "normalizer")
    references = [each[part]["reference"] for each in records[name]["attentions"] for part in parts]
    viewer = new_viewer().open(pages[name])
    for view in viewer.views:
        bare = viewer.show(view).evaluate(
            r"""(root, references) => {
              const walker = document.createTreeWalker(root.querySelector("[role=tabpanel]"), 4);
              const found = [];
              for (let node = walker.nextNode(); node; node = walker.nextNode())
                if (/\d\.\d/.test(node.data) && !references.includes(node.data.trim())
                    && !node.parentElement.closest("[data-value]"))
                  found.push(node.data.trim());
              return found;
            }""",
            references,
        )
        assert bare == [], view
