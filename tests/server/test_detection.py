"""Detection of languages does not stop the event loop."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest

from regard.serve.detection import DetectedLanguage, LanguageRouter
from regard.serve.settings import ServerSettings
from tests.running_server import run_async
from tests.server.served_model import served_model

TEXT = "The house that my father built stands on the hill behind the church. " * 15_000


async def _no_translation(*arguments: Any) -> Any:
    raise AssertionError


@pytest.fixture
def router() -> LanguageRouter:
    models = {name: served_model(name) for name in ("en-de", "fr-de", "de-en", "nds-de")}
    service: Any = SimpleNamespace(
        registry=SimpleNamespace(models=models), settings=ServerSettings(max_characters=2_000_000)
    )
    return LanguageRouter(service, _no_translation)


def test_other_requests_go_on_while_a_large_text_is_read(router: LanguageRouter) -> None:
    async def run() -> tuple[float, float, DetectedLanguage]:
        await router.detect(["Go!"])  # loads the model
        start = time.monotonic()
        detection = asyncio.create_task(router.detect([TEXT]))
        longest, last = 0.0, start
        while not detection.done():
            await asyncio.sleep(0.001)
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
        return longest, time.monotonic() - start, detection.result()[0][0]

    longest, seconds, detected = run_async(run())
    assert detected.language == "en"
    assert longest < seconds / 3, (longest, seconds)


def test_all_languages_are_ranked(router: LanguageRouter) -> None:
    (ranked,) = run_async(router.detect(["Where is the station?"]))
    assert ranked[0].language == "en"
    assert {each.language for each in ranked} == {"en", "fr", "de", "nds"}
    assert ranked == sorted(ranked, key=lambda each: -each.confidence)
    (into_english,) = run_async(router.detect(["Where is the station?"], "en"))
    assert [each.language for each in into_english] == ["de"]
