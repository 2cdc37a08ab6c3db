"""Several threads use one model at once: their results are those of one thread, bit for bit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch import nn

import regard
from regard.align.aligner_training import train_aligner
from regard.align.chunks import corpus_readers
from regard.data.formats.corpus import open_corpus
from regard.data.preparation.runner import InProcessRunner
from regard.inference.threads import allowed_workers, map_batches, single_threaded
from regard.models import eval_mode
from tests.bundles import LINES, make_bundle

CPU = torch.device("cpu")
THREADS = 8
TEXTS = [*LINES, "Two dogs run.", "A man runs away.", "Two men!"]  # one for each thread


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Let PyTorch use two threads, as it does outside the tests."""
    torch.set_num_threads(2)
    try:
        yield
    finally:
        torch.set_num_threads(1)


@pytest.fixture(scope="module", params=["translate-tiny", "bahdanau"])
def translator(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> regard.Translator:
    folder = tmp_path_factory.mktemp("bundles")
    translator = regard.Translator.load(make_bundle(request.param, folder / "model"))
    (folder / "lines").write_text("".join(f"{line}\n" for line in LINES * 20), "utf-8")
    corpus = open_corpus(str(folder / "lines"), str(folder / "lines"))
    work, runner = str(folder / "work"), InProcessRunner()
    translator.aligner = train_aligner(corpus_readers(corpus, work, runner), work, runner)
    return translator


def at_once(function: Callable[[str], Any], texts: list[str]) -> list[Any]:
    """Call `function` of each text in THREADS threads that start together."""
    barrier = threading.Barrier(THREADS, timeout=60)

    def run(text: str) -> Any:
        barrier.wait()
        return function(text)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, texts))


def test_explanations_are_those_of_one_thread(translator, two_threads) -> None:
    def explain(text: str) -> str:
        return translator.explain(text).to_json()

    expected = [explain(text) for text in TEXTS]
    assert at_once(explain, TEXTS) == expected
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize("align_with", ["aligner", "attention"])
def test_translations_are_those_of_one_thread(translator, two_threads, align_with) -> None:
    def translate(text: str) -> Any:
        results = translator.translate(
            [text, LINES[1]], alignments=True, align_with=align_with, quality=True, n_best=3
        )
        return [
            (each.text, each.score, each.logps, each.quality, each.alignment.weights.tolist())
            for result in results
            for each in result.n_best
        ]

    expected = [translate(text) for text in TEXTS]
    assert at_once(translate, TEXTS) == expected


def test_a_model_in_training_stays_in_eval_mode_until_the_last_thread_leaves() -> None:
    model, entered, left = nn.Dropout(), threading.Event(), threading.Event()
    modes = []

    def use() -> None:
        with eval_mode(model):
            entered.set()
            assert left.wait(60)
            modes.append(model.training)

    other = threading.Thread(target=use)
    with eval_mode(model):
        other.start()
        assert entered.wait(60)
    left.set()
    other.join()
    assert modes == [False]
    assert model.training


def test_products_of_batches_have_one_thread(two_threads) -> None:
    used = map_batches(lambda batch: torch.get_num_threads(), range(4), allowed_workers(CPU))
    assert used == [1, 1, 1, 1]
    assert torch.get_num_threads() == 2


def test_a_thread_that_starts_meanwhile_may_use_as_many_workers(two_threads) -> None:
    """`torch.set_num_threads` is also the number of threads that have not computed yet."""
    with single_threaded(), ThreadPoolExecutor(1) as pool:
        workers, after = pool.submit(_workers_and_threads_after).result()
        with single_threaded():
            pass
        assert torch.get_num_threads() == 1  # the outer block has not ended
    assert (workers, after) == (2, 2)
    assert torch.get_num_threads() == 2


def _workers_and_threads_after() -> tuple[int, int]:
    workers = allowed_workers(CPU)
    with single_threaded():
        pass
    return workers, torch.get_num_threads()
