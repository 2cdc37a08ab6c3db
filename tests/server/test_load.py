"""Many requests at once: every answer is right, nobody sees another's text, nothing grows."""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import psutil
import pytest

from regard.serve.schemas import TranslateRequest
from regard.tasks.translation.translator import Translator
from tests.running_server import RunningServer, run_async, running_server
from tests.server.test_answers import OPTIONS, expected, sentences

pytestmark = pytest.mark.xdist_group("server")

CLIENTS = 32


async def send_all(server: RunningServer, requests: list[dict[str, Any]]) -> list[httpx2.Response]:
    """Send requests from CLIENTS connections; return the answers in order."""
    answers: dict[int, httpx2.Response] = {}
    numbers = iter(range(len(requests)))
    limits = httpx2.Limits(max_connections=CLIENTS)
    async with httpx2.AsyncClient(
        base_url=server.url, timeout=300, limits=limits, trust_env=False
    ) as client:

        async def work() -> None:
            for number in numbers:
                answers[number] = await client.post("/v1/translate", json=requests[number])

        await asyncio.gather(*(work() for _ in range(CLIENTS)))
    return [answers[number] for number in range(len(requests))]


def mixed_requests(count: int) -> list[dict[str, Any]]:
    """Requests of one to four texts, some of them in common, with all kinds of options."""
    draw = random.Random(1)
    texts = sentences(count // 2, 21)
    options = [each for each in OPTIONS if "quality" not in each]
    return [
        {"texts": draw.choices(texts, k=draw.randint(1, 4)), **draw.choice(options)}
        for _ in range(count)
    ]


MARKED: list[dict[str, Any]] = [
    {"format": "html"},
    {"format": "xml", "beam_size": 2},
    {"format": "html", "terms": {"dog": "Wauwau", "two cats": "Katzenpaar"}},
    {"terms": {"man": "Mensch"}, "keep": ["house"]},
    {"length_penalty": 0.2},  # text with tags and placeholders
]


def marked_requests(count: int) -> list[dict[str, Any]]:
    """Requests of texts with markup, placeholders, kept texts and terms."""
    draw = random.Random(2)
    words = sentences(400, 22)
    texts = [f"{words[i]} <b>{words[i + 1]}</b> {{name}}" for i in range(0, 400, 2)]
    return [
        {"texts": draw.choices(texts, k=draw.randint(1, 3)), **draw.choice(MARKED)}
        for _ in range(count)
    ]


def check_mixed(server: RunningServer, translator: Translator, count: int) -> None:
    """Requests of all kinds, in one crowd: a quarter has markup, placeholders or terms."""
    marked = marked_requests(count // 4)
    requests = [*mixed_requests(count - len(marked)), *marked]
    random.Random(3).shuffle(requests)
    answers = run_async(send_all(server, requests))
    is_marked = {number for number, request in enumerate(requests) if request in marked}
    check_marked(
        translator,
        [requests[number] for number in is_marked],
        [answers[number].json()["translations"] for number in is_marked],
    )
    plain = [number for number in range(count) if number not in is_marked]
    check_plain(translator, [requests[i] for i in plain], [answers[i] for i in plain])


def check_marked(
    translator: Translator, requests: list[dict[str, Any]], answers: list[list[dict[str, Any]]]
) -> None:
    """Each answer is that of the offline translation."""
    by_options: dict[str, dict[str, str]] = {}
    for request, answer in zip(requests, answers, strict=True):
        options = {name: value for name, value in request.items() if name != "texts"}
        known = by_options.setdefault(repr(options), {})
        missing = [text for text in dict.fromkeys(request["texts"]) if text not in known]
        translated = translator.translate_marked(missing, **options)
        known.update(zip(missing, (text.text for text in translated), strict=True))
        assert [text["text"] for text in answer] == [known[text] for text in request["texts"]]


def check_plain(
    translator: Translator, requests: list[dict[str, Any]], answers: list[httpx2.Response]
) -> None:
    count = len(requests)
    right = 0
    by_options: dict[str, list[int]] = {}
    for number, request in enumerate(requests):
        key = repr({name: value for name, value in request.items() if name != "texts"})
        by_options.setdefault(key, []).append(number)
    for numbers in by_options.values():
        options = {k: v for k, v in requests[numbers[0]].items() if k != "texts"}
        texts = [text for number in numbers for text in requests[number]["texts"]]
        offline = iter(translator.translate(texts, **options))
        for number in numbers:
            results = [next(offline) for _ in requests[number]["texts"]]
            found = answers[number].json()["translations"]
            right += found == [expected(result, requests[number]) for result in results]
    assert right == count


def test_answers_of_mixed_requests_are_right(server: RunningServer, translator: Translator) -> None:
    check_mixed(server, translator, 300)


@pytest.mark.slow
def test_ten_thousand_answers_are_right(server: RunningServer, translator: Translator) -> None:
    check_mixed(server, translator, 10_000)


def test_no_tenant_sees_the_text_of_another(server: RunningServer, translator: Translator) -> None:
    """200 tenants with a word of their own; answers equal those that each gets alone."""
    canaries = [f"zq{number:03}x" for number in range(200)]
    requests = [{"texts": [f"a dog sees {canary}.", canary]} for canary in canaries]
    answers = run_async(send_all(server, requests))
    for canary, request, answer in zip(canaries, requests, answers, strict=True):
        foreign = [other for other in canaries if other != canary and other in answer.text]
        assert not foreign
        (alone,) = [[each.text for each in translator.translate(request["texts"])]]
        assert [each["text"] for each in answer.json()["translations"]] == alone


def test_texts_and_keys_are_not_in_logs_metrics_or_errors(server: RunningServer) -> None:
    """1,000 texts, in right and wrong requests."""
    canaries = [f"canary{number:04}q" for number in range(1_000)]
    requests: list[dict[str, Any]] = []
    for number, canary in enumerate(canaries):
        right = {"texts": [canary], "beam_size": 1}
        wrong = {"texts": [canary], "prefix": [canary, canary], "forbid": canary}
        requests.append(right if number % 2 else wrong)
    answers = run_async(send_all(server, requests))
    with server.client() as client:
        metrics = client.get("/metrics").text
    errors = [answer.text for answer in answers if answer.status_code != 200]
    written = "\n".join([*server.lines, metrics, *errors])
    assert not any(canary in written for canary in canaries)
    assert len(errors) == 500 and all(answer.status_code in (200, 422) for answer in answers)


def test_parsed_texts_are_not_kept() -> None:
    """pydantic would keep thousands of short strings, so that equal ones are the same object."""
    first, second = (
        TranslateRequest.model_validate_json(b'{"texts": ["a private text"]}') for _ in range(2)
    )
    assert first == second and first.texts[0] is not second.texts[0]


@pytest.mark.slow
def test_memory_and_descriptors_do_not_grow(bundle: Path, tmp_path: Path) -> None:
    """15 minutes of load with markup, glossaries and documents.

    RSS grows by at most 1 MB in ten minutes, after the first three.

    The cache is so small that it is full by then, and later entries replace others.
    """
    settings = tmp_path / "settings.yaml"
    settings.write_text("cache_megabytes: 1\n")
    store = ["--store", str(tmp_path / "store.db")]
    options = ["--workers", "2", "--settings", str(settings), *store]
    with running_server(f"en-de={bundle}", *options) as server:
        server.wait_for_engines(2)
        front = psutil.Process(server.process.pid)
        with server.client() as client:
            made = {
                "name": "soak",
                "source_lang": "en",
                "target_lang": "de",
                "entries": "cat\tKatze",
            }
            glossary = {"glossary": client.post("/v2/glossaries", json=made).json()["glossary_id"]}
            html = {"texts": ["<b>A dog.</b>"], "format": "html", **glossary}
            assert client.post("/v1/translate", json=html).status_code == 200
        processes = [front, *server.engines, *server.markup_processes]
        idle = front.num_fds() + 1  # and a file that is open for a moment
        start, times, memory, descriptors, statuses = time.monotonic(), [], [], [], set()
        block = 0
        while time.monotonic() - start < 15 * 60:
            block += 1
            requests = [{"texts": sentences(2, 1_000 * block + number)} for number in range(200)]
            for number, request in enumerate(requests[:40]):
                request |= MARKED[number % len(MARKED)] | (glossary if number % 2 else {})
            statuses |= {answer.status_code for answer in run_async(send_all(server, requests))}
            with server.client(timeout=300) as client:
                page = "".join(f"<p>{text}</p>" for text in sentences(5, block))
                document = client.post("/v1/documents?format=html", content=page.encode())
            statuses.add(document.status_code)
            times.append((time.monotonic() - start) / 600)
            memory.append([each.memory_info().rss / 1e6 for each in processes])
            time.sleep(0.3)
            deadline = time.monotonic() + 10
            while front.num_fds() > idle and time.monotonic() < deadline:
                time.sleep(0.1)  # the server closes connections that its clients have closed
            descriptors.append(front.num_fds())
        late = [row for row, at in enumerate(times) if at > 0.3]
        slopes = np.polyfit([times[row] for row in late], [memory[row] for row in late], 1)[0]
        print(f"{200 * block} requests, MB at the end {memory[-1]}, per ten minutes {slopes}")
        assert statuses == {200}
        assert slopes.sum() <= 1
        assert max(descriptors) <= idle
