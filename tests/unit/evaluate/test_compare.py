"""Comparison with a baseline: paired bootstrap, changed sentences, gates and the HTML page."""

from __future__ import annotations

import json
from dataclasses import asdict
from html.parser import HTMLParser
from random import Random

import numpy as np
import pytest
import sacrebleu

from regard.errors import ConfigError, CorpusError
from regard.evaluate.bootstrap import (
    MIN_SENTENCES,
    estimate_score,
    paired_difference,
    resample_scores,
)
from regard.evaluate.compare import Comparison, Gate, apply_gates, compare_systems, parse_gate
from regard.evaluate.comparison_page import comparison_page
from regard.evaluate.report import verdict_line
from regard.evaluate.scores import count_statistics, score_corpus
from tests.random_sentences import corrupt, sentence

RANDOM = Random(0)
SOURCES = [sentence(RANDOM, 3 + place % 20) for place in range(150)]
REFERENCES = [sentence(RANDOM, 3 + place % 20) for place in range(150)]
OLD = [corrupt(RANDOM, text, 0.3) for text in REFERENCES]
BETTER = [corrupt(RANDOM, text, 0.15) for text in REFERENCES]
ALIKE = [f"{text} zzz" if place < 4 else text for place, text in enumerate(OLD)]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare_systems(
        SOURCES, REFERENCES, {"old": OLD, "better": BETTER, "same": OLD, "alike": ALIKE}
    )


def test_differences_equal_the_differences_of_the_scores(comparison: Comparison) -> None:
    old, better = score_corpus(OLD, REFERENCES).values, score_corpus(BETTER, REFERENCES).values
    found = comparison.candidates[0]
    assert found.name == "better"
    assert {n: d.value for n, d in found.differences.items()} == {
        n: better[n] - old[n] for n in old
    }
    assert {n: e.value for n, e in comparison.evaluation.scores.items()} == old
    assert {n: e.value for n, e in found.evaluation.scores.items()} == better


def test_a_better_system_is_significantly_better(comparison: Comparison) -> None:
    found = comparison.candidates[0].differences
    assert found["bleu"].interval is not None and found["bleu"].interval[0] > 0
    assert found["ter"].interval is not None and found["ter"].interval[1] < 0
    assert all(difference.p == pytest.approx(2 / 1001) for difference in found.values())


def test_the_same_system_does_not_differ(comparison: Comparison) -> None:
    found = comparison.candidates[1]
    assert found.changed == 0 and found.gained == found.lost == ()
    for difference in found.differences.values():
        assert (difference.value, difference.interval, difference.p) == (0, (0, 0), 1)


def test_p_is_small_where_the_interval_excludes_zero(comparison: Comparison) -> None:
    for candidate in comparison.candidates:
        groups = [candidate.differences, *(bucket.differences for bucket in candidate.by_length)]
        for difference in (each for group in groups for each in group.values()):
            if difference.interval is not None:
                low, high = difference.interval
                assert difference.p is not None
                assert (difference.p < 0.049) <= (low > 0 or high < 0) <= (difference.p < 0.053)


def test_both_systems_share_the_resampled_sentences() -> None:
    old, better = (count_statistics(outputs, REFERENCES)["chrf"] for outputs in (OLD, BETTER))
    (old_scores,), (better_scores,) = resample_scores([old]), resample_scores([better])
    differences = better_scores - old_scores
    found = paired_difference({"chrf": better}, {"chrf": old})["chrf"]
    assert found.interval == pytest.approx(tuple(np.quantile(differences, (0.025, 0.975))))
    unpaired = np.var(better_scores) + np.var(old_scores)
    assert np.var(differences) < unpaired  # the difficulty of a sentence cancels out


@pytest.mark.slow
def test_equal_systems_are_rarely_significantly_different() -> None:
    """Of 200 comparisons of equally good systems, about 5 % have p < 0.05."""
    random = Random(5)
    significant = 0
    references = ["right"] * 60
    for _ in range(200):
        first, second = (
            ["right" if random.random() < 0.6 else "wrong" for _ in references] for _ in range(2)
        )
        statistics = [
            {"ter": count_statistics(outputs, references)["ter"]} for outputs in (first, second)
        ]
        p = paired_difference(*statistics)["ter"].p
        assert p is not None
        significant += p < 0.05
    assert 2 <= significant <= 22  # 10 ± 3 standard deviations, plus the bootstrap's own error


@pytest.mark.parametrize("sentences", [MIN_SENTENCES - 1, MIN_SENTENCES, MIN_SENTENCES + 1])
def test_few_sentences_have_no_interval_and_no_p(sentences: int) -> None:
    old, better = (
        {"chrf": count_statistics(texts[:sentences], REFERENCES[:sentences], ["chrf"])["chrf"]}
        for texts in (OLD, BETTER)
    )
    (estimate,), (found,) = estimate_score(old).values(), paired_difference(better, old).values()
    enough = sentences >= MIN_SENTENCES
    figures = (estimate.interval, found.interval, found.p)
    assert [figure is not None for figure in figures] == [enough] * 3


def test_differences_by_length_use_only_the_sentences_of_the_bucket(comparison: Comparison) -> None:
    found = comparison.candidates[0].by_length
    lengths = [len(source.split()) for source in SOURCES]
    assert sum(bucket.sentences for bucket in found) == len(SOURCES)
    rows = [place for place, length in enumerate(lengths) if length <= 10]
    better, old = (
        score_corpus([outputs[i] for i in rows], [REFERENCES[i] for i in rows]).values["chrf"]
        for outputs in (BETTER, OLD)
    )
    assert found[0].differences["chrf"].value == better - old
    assert found[-1].differences == {}


def test_changes_are_sorted_by_gain_with_their_texts(comparison: Comparison) -> None:
    found = comparison.candidates[0]
    assert len(found.gained) == len(found.lost) == 10
    gains = [change.gain for change in found.gained]
    assert gains == sorted(gains, reverse=True) and gains[-1] > 0
    losses = [change.gain for change in found.lost]
    assert losses == sorted(losses) and losses[-1] < 0
    top = found.gained[0]
    place = top.line - 1
    assert (top.source, top.reference) == (SOURCES[place], REFERENCES[place])
    assert (top.before, top.after) == (OLD[place], BETTER[place])
    assert top.chrf[1] == sacrebleu.sentence_chrf(top.after, [top.reference]).score
    every = [
        sacrebleu.sentence_chrf(b, [r]).score - sacrebleu.sentence_chrf(o, [r]).score
        for o, b, r in zip(OLD, BETTER, REFERENCES, strict=True)
    ]
    assert gains[0] == max(every) and losses[0] == min(every)


def test_few_changes_are_all_shown(comparison: Comparison) -> None:
    found = comparison.candidates[2]
    assert found.changed == 4 and {change.line for change in found.lost} == {1, 2, 3, 4}
    assert found.gained == ()


def test_a_gate_passes_losses_within_the_limit(comparison: Comparison) -> None:
    worse = compare_systems(SOURCES, REFERENCES, {"new": BETTER, "old": OLD})
    loss = worse.candidates[0].differences["bleu"].value
    strict, wide = Gate("bleu", -0.3), Gate("bleu", loss - 0.01)
    assert [verdict.passed for verdict in apply_gates(worse, [strict, wide])] == [False, True]
    assert all(verdict.passed for verdict in apply_gates(comparison, [strict])[:2])
    failed = apply_gates(worse, [strict])[0]
    assert failed.candidate == "old" and failed.difference.value == loss
    line = verdict_line(failed)
    assert line.startswith(f"old fails: bleu −{-loss:.2f}; −0.30 is the lowest allowed (95 %")


def test_lower_ter_is_better(comparison: Comparison) -> None:
    assert apply_gates(comparison, [Gate("ter", 0.0)])[0].passed
    worse = compare_systems(SOURCES, REFERENCES, {"new": BETTER, "old": OLD})
    verdict = apply_gates(worse, [Gate("ter", 0.5)])[0]
    assert not verdict.passed and "+0.50 is the highest allowed" in verdict_line(verdict)


def test_parse_gate() -> None:
    assert parse_gate("bleu=-0.3") == Gate("bleu", -0.3)
    assert parse_gate("ter=1") == Gate("ter", 1.0)
    with pytest.raises(ConfigError, match=r"gate: 'blue=-0\.3'.*metric.*bleu"):
        parse_gate("blue=-0.3")
    for wrong in ("bleu", "bleu=", "bleu=much", "bleu=nan"):
        with pytest.raises(ConfigError, match=r"gate: .*number"):
            parse_gate(wrong)


def test_different_numbers_of_sentences_are_rejected() -> None:
    with pytest.raises(CorpusError, match=r"references: 150 .*149 outputs"):
        compare_systems(SOURCES, REFERENCES, {"old": OLD, "short": OLD[1:]})
    with pytest.raises(CorpusError, match=r"sources: 149 .*150 outputs"):
        compare_systems(SOURCES[1:], REFERENCES, {"old": OLD, "better": BETTER})


def test_a_comparison_is_json_serializable(comparison: Comparison) -> None:
    facts = json.loads(json.dumps(asdict(comparison)))
    assert facts["candidates"][0]["differences"]["bleu"]["p"] < 0.05


class Tags(HTMLParser):
    """The tags of a page; asserts that they are properly nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not {"src", "href", "onload", "onclick"} & {name for name, _ in attrs}
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_complete_and_self_contained(comparison: Comparison) -> None:
    text = comparison_page(comparison, apply_gates(comparison, [Gate("bleu", -0.3)]))
    tags = Tags(text)
    assert {"svg", "table", "ins", "del"} <= tags.seen
    assert "better passes: bleu +" in text
    assert text.index("better passes") < text.index("<h2>Scores</h2>") < text.index("<details>")
    assert "script" not in tags.seen and "link" not in tags.seen
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert comparison.evaluation.signatures["bleu"] in text


def test_texts_are_escaped_in_the_page() -> None:
    nasty = "<script>alert('&')</script>"
    outputs = {nasty: ["a"] * 12, f"{nasty}2": [nasty] * 12}
    text = comparison_page(compare_systems([nasty] * 12, [nasty] * 12, outputs), [])
    assert "script" not in Tags(text).seen
