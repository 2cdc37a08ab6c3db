"""Answers of the server are those of the offline translation, whatever else is asked meanwhile."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx2
import pytest

from regard.explain.changes import Changes, FixedWeights, HeadName
from regard.inference.engine import SamplingOptions
from regard.tasks.translation.result import TranslationResult
from regard.tasks.translation.translator import Translator
from tests.running_server import RunningServer, running_server

pytestmark = pytest.mark.xdist_group("server")

WORDS = "a dog runs two cats run away man sees men the go red in house".split()  # noqa: SIM905
OPTIONS: list[dict[str, Any]] = [
    {},
    {"beam_size": 1},
    {"n_best": 3},
    {"length_penalty": 0.5, "n_best": 2},
    {"alignments": True},
    {"quality": True},
    {"beam_size": 1, "prefix": "A dog"},
    {"beam_size": 1, "min_length": 4, "no_repeat_ngram": 2, "forbid": ["cat"]},
]


def sentences(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, 12))) + "." for _ in range(count)]


def expected(result: TranslationResult, request: dict[str, Any]) -> dict[str, Any]:
    """The answer that the offline result stands for."""

    def ranked(each: TranslationResult) -> dict[str, Any]:
        alignment = each.alignment and {
            "source": [list(span) for span in each.alignment.source.words],
            "target": [list(span) for span in each.alignment.target.words],
            "links": [list(link) for link in sorted(each.alignment.links)],
        }
        return {
            "text": each.text,
            "score": pytest.approx(each.score, abs=1e-5),
            "alignment": alignment,
        }

    review = result.quality is not None and result.quality.needs_review
    return {
        **ranked(result),
        "warnings": list(result.warnings),
        "unaligned": [list(span) for span in result.quality.unattended] if review else [],
        "n_best": [ranked(each) for each in result.n_best],
    }


def check(translator: Translator, request: dict[str, Any], answer: httpx2.Response) -> None:
    assert answer.status_code == 200, answer.text
    options = {key: value for key, value in request.items() if key != "texts"}
    results = translator.translate(request["texts"], **options)
    found = answer.json()["translations"]
    assert found == [expected(result, request) for result in results]


@pytest.mark.parametrize("options", OPTIONS, ids=json.dumps)
def test_answers_equal_the_offline_translation(
    server: RunningServer, translator: Translator, options: dict[str, Any]
) -> None:
    texts = [*sentences(5, 1), "", "  ", "Two lines.\nA dog.\n\nGo!", " ".join(sentences(40, 2))]
    request = {"texts": texts, **options}
    with server.client() as client:
        check(translator, request, client.post("/v1/translate", json=request))


def test_requests_at_the_same_time_do_not_mix(
    server: RunningServer, translator: Translator
) -> None:
    requests = [
        {"texts": sentences(1 + seed % 4, seed), **OPTIONS[seed % len(OPTIONS)]}
        for seed in range(64)
    ]
    with server.client() as client, ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda each: client.post("/v1/translate", json=each), requests))
    for request, answer in zip(requests, answers, strict=True):
        check(translator, request, answer)


def test_results_are_streamed_as_they_come(server: RunningServer, translator: Translator) -> None:
    texts = [*sentences(6, 3), "", " ".join(sentences(30, 4))]
    events = []
    with (
        server.client() as client,
        client.stream("POST", "/v1/translate", json={"texts": texts, "stream": True}) as answer,
    ):
        assert answer.headers["content-type"].startswith("text/event-stream")
        for block in answer.read().decode().strip().split("\n\n"):
            name, data = block.split("\n")
            events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    *found, (last, _) = events
    assert last == "done" and all(name == "translation" for name, _ in found)
    by_number = {value.pop("number"): value for _, value in found}
    results = translator.translate(texts)
    assert by_number == {number: expected(result, {}) for number, result in enumerate(results)}


def test_words_of_pairs_are_aligned(server: RunningServer, translator: Translator) -> None:
    sources, targets = sentences(3, 5), sentences(3, 6)
    with server.client() as client:
        answer = client.post("/v1/align", json={"sources": sources, "targets": targets})
    found = [each["links"] for each in answer.json()["alignments"]]
    offline = translator.align(sources, targets)
    assert found == [[list(link) for link in sorted(each.links)] for each in offline]


def test_translations_are_explained(server: RunningServer, translator: Translator) -> None:
    with server.client() as client:
        answer = client.post("/v1/explain", json={"source": "A dog runs."})
        assert answer.status_code == 200, answer.text
        record = answer.json()["record"]
        split = client.post("/v1/explain", json={"source": "A dog.\nA cat."})
    offline = json.loads(translator.explain("A dog runs.").to_json())
    assert record["target"]["text"] == offline["target"]["text"]
    assert record.keys() == offline.keys()
    assert split.status_code == 422 and "one sentence" in split.json()["error"]


def test_translations_with_changed_attention(server: RunningServer, translator: Translator) -> None:
    """The record is that of `Translator.explain`; a change that does not fit is refused."""
    attention = translator.explain("A dog runs.").trace.attentions[-1]
    fixed = FixedWeights(attention.name, 0, (1.0, *[0.0] * (attention.weights.size(2) - 1)))
    for changes in (
        Changes(hidden=(0, 1), temperature=0.5),
        Changes(uniform=(attention.name,), off=(HeadName(attention.name, 0),)),
        Changes(fixed=(fixed,)),
    ):
        body = {"source": "A dog runs.", "changes": asdict(changes)}
        with server.client() as client:
            answer = client.post("/v1/intervene", json=body)
        assert answer.status_code == 200, answer.text
        offline = json.loads(translator.explain("A dog runs.", changes=changes).to_json())
        assert answer.json()["record"] == offline
    wrong = {"source": "A dog runs.", "changes": {"uniform": ["no attention"]}}
    with server.client() as client:
        answer = client.post("/v1/intervene", json=wrong)
    assert answer.status_code == 422 and "no attention is named" in answer.json()["error"]


def test_models_health_and_metrics(server: RunningServer, translator: Translator) -> None:
    with server.client() as client:
        (model,) = client.get("/v1/models").json()["models"]
        assert (model["name"], model["engine"]) == ("en-de", "ctranslate2")
        assert (model["source_language"], model["target_language"]) == ("en", "de")
        assert client.get("/healthz").text == client.get("/readyz").text == "ok\n"
        pair = {"texts": ["A dog."], "source_language": "EN", "target_language": "de"}
        assert client.post("/v1/translate", json=pair).status_code == 200
        metrics = client.get("/metrics").text
    for name in ("regard_requests_total", "regard_queue_seconds_bucket", "regard_cache_total"):
        assert name in metrics
    assert 'route="/v1/translate",status="200"' in metrics
    assert "A dog" not in metrics and "127.0.0.1" not in metrics


def test_one_bad_text_does_not_fail_the_batch_it_is_in(
    server: RunningServer, translator: Translator
) -> None:
    """The prefix of one request is longer than the decoder's positions allow."""
    good = {"texts": sentences(2, 7), "beam_size": 1, "prefix": "A"}
    bad = {"texts": ["A dog."], "beam_size": 1, "prefix": "run away " * 3000}
    with server.client() as client, ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda each: client.post("/v1/translate", json=each), [good, bad] * 4)
        )
    for answer in answers[::2]:
        check(translator, good, answer)


def test_log_lines_are_json_without_texts(server: RunningServer) -> None:
    with server.client() as client:
        answer = client.post("/v1/translate", json={"texts": ["zebra canary walks"]})
        client.post("/v1/translate", json={"texts": ["zebra"], "zebra": "zebra"})
    number = answer.headers["x-request-id"]
    lines = [json.loads(line) for line in server.lines if line.startswith("{")]
    (line,) = [line for line in lines if line["request"] == number]
    assert line["status"] == 200 and line["texts"] == 1 and line["model"] == "en-de"
    assert "zebra" not in "\n".join(server.lines)


def test_draws_are_those_of_the_offline_translation(bundle: Path, tmp_path: Path) -> None:
    texts = ["A dog runs.", " ".join(sentences(8, 2)), "Go!"]
    sampling = {"seed": 7, "temperature": 0.9}
    settings = tmp_path / "settings.yaml"
    settings.write_text("deadline_seconds: 300\n")  # this engine is slow
    options = ("--workers", "1", "--engine", "invariant", "--settings", settings)
    body = {"texts": texts, "sampling": sampling, "n_best": 2}
    with (
        running_server(f"en-de={bundle}", *options) as server,
        server.client(timeout=300) as client,
    ):
        answer = client.post("/v1/translate", json=body)
    offline = Translator.load(bundle, engine="invariant").translate(
        texts, sampling=SamplingOptions(**sampling), n_best=2
    )
    found = [[each["text"] for each in one["n_best"]] for one in answer.json()["translations"]]
    assert found == [[each.text for each in one.n_best] for one in offline]


def test_pages_of_other_sites_are_refused(server: RunningServer) -> None:
    with server.client() as client:
        answer = client.post(
            "/v1/translate", json={"texts": ["A dog."]}, headers={"Sec-Fetch-Site": "cross-site"}
        )
    assert answer.status_code == 403
