"""Scores by source length, bootstrap intervals and the chart."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import asdict
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import numpy as np
import pytest
import sacrebleu

from regard.errors import CorpusError
from regard.evaluate.bootstrap import (
    MIN_SENTENCES,
    RESAMPLES,
    SEED,
    estimate_score,
    resample_scores,
)
from regard.evaluate.comparison_page import chart_by_length
from regard.evaluate.scores import (
    Evaluation,
    LengthRange,
    count_statistics,
    evaluate_by_length,
    length_buckets,
    score_corpus,
)
from tests.random_sentences import corrupt, sentence


@pytest.fixture(scope="module")
def texts() -> tuple[list[str], list[str], list[str]]:
    """Sources of 1 to 25 words, outputs that get worse with length, and references."""
    random = Random(0)
    sources = [sentence(random, 1 + place % 25) for place in range(120)]
    references = [sentence(random, len(source.split())) for source in sources]
    outputs = [corrupt(random, text, len(text.split()) / 40) for text in references]
    return sources, outputs, references


@pytest.fixture(scope="module")
def evaluation(texts: tuple[list[str], list[str], list[str]]) -> Evaluation:
    return evaluate_by_length(*texts, edges=(5, 10, 15))


def test_the_corpus_scores_equal_those_of_score_corpus(texts, evaluation: Evaluation) -> None:
    _, outputs, references = texts
    measured = score_corpus(outputs, references)
    assert {name: each.value for name, each in evaluation.scores.items()} == measured.values
    assert evaluation.signatures == measured.signatures
    assert evaluation.sentences == 120


def test_each_bucket_is_scored_as_a_separate_corpus(texts, evaluation: Evaluation) -> None:
    lengths = [len(re.findall(r"\w+|,", source)) for source in texts[0]]
    for bucket, (first, last) in zip(
        evaluation.buckets, [(1, 5), (6, 10), (11, 15), (16, 99)], strict=True
    ):
        places = [place for place, length in enumerate(lengths) if first <= length <= last]
        outputs, references = ([side[place] for place in places] for side in texts[1:])
        assert bucket.sentences == len(places)
        values = {name: each.value for name, each in bucket.scores.items()}
        assert values == score_corpus(outputs, references).values


def test_lengths_count_source_words_with_punctuation() -> None:
    sources = ["", "one two", "one, two", "a b c d", "a b c d e"]
    places = length_buckets(sources, sources, edges=(2, 4))
    assert places == {
        LengthRange(1, 2): [0, 1],
        LengthRange(3, 4): [2, 3],
        LengthRange(5, None): [4],
    }
    assert [str(lengths) for lengths in places] == ["1–2", "3–4", "5+"]


def test_a_resampled_corpus_scores_as_its_sentences(texts) -> None:
    _, outputs, references = texts
    statistics = count_statistics(outputs, references)
    resampled = dict(zip(statistics, resample_scores(list(statistics.values())), strict=True))
    random = np.random.default_rng(SEED)
    for index in range(3):
        sample = random.integers(len(outputs), size=len(outputs))
        some, expected = [outputs[i] for i in sample], [references[i] for i in sample]
        assert resampled["bleu"][index] == sacrebleu.corpus_bleu(some, [expected]).score
        assert resampled["chrf"][index] == sacrebleu.corpus_chrf(some, [expected]).score
        assert resampled["ter"][index] == sacrebleu.corpus_ter(some, [expected]).score
    assert all(len(scores) == RESAMPLES for scores in resampled.values())


def test_an_interval_contains_the_score_and_95_per_cent_of_the_resamples(texts) -> None:
    statistics = count_statistics(*texts[1:])
    for (name, each), scores in zip(
        estimate_score(statistics).items(), resample_scores(list(statistics.values())), strict=True
    ):
        assert each.interval is not None
        low, high = each.interval
        assert low < each.value < high, name
        assert np.mean((low <= scores) & (scores <= high)) == pytest.approx(0.95, abs=0.002)


def test_an_interval_of_many_sentences_equals_the_normal_approximation() -> None:
    """TER of one-word sentences is 100 × the share of wrong ones: a binomial."""
    random = Random(1)
    outputs = ["right" if random.random() < 0.7 else "wrong" for _ in range(2_000)]
    found = estimate_score(count_statistics(outputs, ["right"] * 2_000))["ter"]
    share = outputs.count("wrong") / 2_000
    spread = 100 * 1.96 * (share * (1 - share) / 2_000) ** 0.5
    assert found.value == pytest.approx(100 * share)
    assert found.interval == pytest.approx(
        (found.value - spread, found.value + spread), abs=0.1 * spread
    )


def test_intervals_are_deterministic(texts, evaluation: Evaluation) -> None:
    assert evaluate_by_length(*texts, edges=(5, 10, 15)) == evaluation


def test_too_few_sentences_have_no_interval() -> None:
    texts = ["a cat sits on the mat"] * MIN_SENTENCES
    assert evaluate_by_length(texts, texts, texts).scores["bleu"].interval is not None
    few = evaluate_by_length(texts[1:], texts[1:], texts[1:])
    assert few.scores["bleu"].interval is None
    assert few.scores["bleu"].value == pytest.approx(100)


def test_a_bucket_without_sentences_has_no_scores() -> None:
    texts = ["a cat sits on the mat"] * MIN_SENTENCES
    first, *others = evaluate_by_length(texts, texts, texts).buckets
    assert first.sentences == MIN_SENTENCES
    assert all(bucket.sentences == 0 and bucket.scores == {} for bucket in others)


def test_an_evaluation_is_json_serializable(evaluation: Evaluation) -> None:
    facts = json.loads(json.dumps(asdict(evaluation)))
    assert facts["buckets"][0]["lengths"] == {"first": 1, "last": 5}
    assert facts["scores"]["bleu"]["value"] == evaluation.scores["bleu"].value


def test_each_output_needs_a_source_and_a_reference() -> None:
    with pytest.raises(CorpusError, match=r"sources: 1 .*2 outputs"):
        evaluate_by_length(["a"], ["a", "b"], ["a", "b"])
    with pytest.raises(CorpusError, match=r"references: 1 .*2 outputs"):
        evaluate_by_length(["a", "b"], ["a", "b"], ["a"])
    with pytest.raises(CorpusError, match=r"outputs: .*no sentences"):
        evaluate_by_length([], [], [])


def test_the_chart_has_every_system_bucket_and_count(evaluation: Evaluation) -> None:
    nasty = "</text><script>alert(1)</script>"
    chart = chart_by_length({"ours": evaluation, nasty: evaluation}, "bleu")
    root = ElementTree.fromstring(chart)
    texts = [element.text for element in root.iter() if element.text]
    assert not [element for element in root.iter() if "script" in element.tag]
    assert {"ours", nasty, "BLEU by source length"} <= set(texts)
    for bucket in evaluation.buckets:
        assert str(bucket.lengths) in texts and str(bucket.sentences) in texts


def test_the_chart_has_bands_for_intervals_and_omits_trailing_empty_buckets() -> None:
    many, few = ["a cat sits on the mat"] * MIN_SENTENCES, [" ".join(["cat"] * 25)]
    texts = many + few
    root = ElementTree.fromstring(
        chart_by_length({"ours": evaluate_by_length(texts, texts, texts)}, "chrf")
    )
    bands = [element for element in root.iter() if element.get("fill-opacity")]
    labels = [element.text for element in root.iter()]
    assert len(bands) == 1
    assert "21–30" in labels and "31–40" not in labels


def test_the_europarl_test_set_fills_every_bucket(corpora: Path) -> None:
    path = corpora / "europarl-en-fr-de" / "test_by_length.en.gz"
    sources = gzip.decompress(path.read_bytes()).decode().splitlines()
    places = length_buckets(sources, sources)
    assert sum(map(len, places.values())) == 1_956
    assert all(len(rows) > 150 for rows in places.values())
