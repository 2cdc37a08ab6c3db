"""Every option of a search changes its result, or is refused: for every task and every engine.

The options are the fields of `SearchOptions` and `SamplingOptions`. A new one needs an example in
EXAMPLES before these tests pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from regard.data.formats.images import encode_png
from regard.errors import ConfigError
from regard.hypothesis import Hypothesis
from regard.inference.engine import Engine, SamplingOptions, SearchOptions
from regard.inference.torch_engine import TorchEngine
from regard.tasks.captioning.captioner import (
    Captioner,
    CaptionSettings,
    build_captioning_model,
    make_captioner,
    to_source,
)
from regard.tasks.language.completer import Completer, load_completer
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import EOS, SentencePiece
from tests.bundles import LINES, make_bundle, make_language_bundle
from tests.tiny_models import tiny_run

GREEDY = SearchOptions(1)
DRAWN = SearchOptions(2, sampling=SamplingOptions(temperature=2.0))
EXAMPLES: dict[str, tuple[SearchOptions, SearchOptions]] = {
    "beam_size": (SearchOptions(1), SearchOptions(4)),
    "length_penalty": (SearchOptions(3, 0.0), SearchOptions(3, 1.0)),
    "sampling": (SearchOptions(1), SearchOptions(1, sampling=SamplingOptions(temperature=2.0))),
    "min_length": (SearchOptions(1), SearchOptions(1)),  # these two depend on the model
    "no_repeat_ngram": (SearchOptions(1), SearchOptions(1, no_repeat_ngram=1)),
    "forbidden": (SearchOptions(1), SearchOptions(1)),
} | {
    f"sampling.{name}": (DRAWN, replace(DRAWN, sampling=replace(DRAWN.sampling, **{name: value})))
    for name, value in {
        "seed": 2,
        "temperature": 0.5,
        "top_k": 1,
        "top_p": 0.1,
        "offset": 7,
        "segment": 3,
    }.items()
}
SAMPLING = [name for name in EXAMPLES if name.startswith("sampling.")]


@dataclass(frozen=True)
class TaskSearch:
    """A task or an engine that takes search options."""

    run: Callable[[SearchOptions], Any]
    search: Callable[[SearchOptions], list[list[Hypothesis]]]  # the hypotheses of `run`
    forbidding: SearchOptions = GREEDY  # to which `forbidden` is added
    forbids: Callable[[int], bool] = lambda token: True  # whether a token alone can be forbidden

    def example(self, name: str) -> tuple[SearchOptions, SearchOptions]:
        before, after = EXAMPLES[name]
        if name == "forbidden":
            before = self.forbidding
            hypotheses = (each for row in self.search(before) for each in row)
            tokens = (token for hypothesis in hypotheses for token in hypothesis.tokens)
            after = replace(before, forbidden=((next(filter(self.forbids, tokens)),),))
        if name == "min_length":
            ended = min(len(best.tokens) for best, *_ in self.search(before) if best.ended)
            after = replace(after, min_length=ended + 1)
        return before, after


def test_every_option_has_an_example() -> None:
    options = {field.name for field in fields(SearchOptions)}
    options |= {f"sampling.{field.name}" for field in fields(SamplingOptions)}
    assert set(EXAMPLES) == options


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search-options")
    make_bundle("transformer", folder / "translate")
    make_language_bundle(folder / "complete")
    draws = np.random.default_rng(0)
    for number in range(3):
        image = draws.integers(0, 256, (32, 48, 3), np.uint8)
        (folder / f"{number}.png").write_bytes(encode_png(image))
    return folder


@pytest.fixture(scope="module")
def captioner() -> Captioner:
    size = ("model.encoder.height=32", "model.encoder.width=48")
    run, tokenizer = tiny_run("caption-soft", size), SentencePiece.train(LINES, size=300)
    torch.manual_seed(0)
    model = build_captioning_model(run, tokenizer.size).eval()
    with torch.no_grad():
        model.readout.weight.mul_(10)
        model.readout.bias[EOS] += 2  # so that some captions end
    return make_captioner(run, model, tokenizer, CaptionSettings(10))


@pytest.fixture(scope="module")
def completer(folder: Path) -> Completer:
    completer = load_completer(folder / "complete")
    with torch.no_grad():
        completer.model.readout.weight.mul_(3)
    return completer


def engine_search(engine: Engine, sources: Sequence[Sequence[int]]) -> TaskSearch:
    run = cache(lambda options: engine.search(sources, options))
    return TaskSearch(run, run)


@pytest.fixture(scope="module")
def searches(folder: Path, captioner: Captioner, completer: Completer) -> dict[str, TaskSearch]:
    translator = Translator.load(folder / "translate")
    images = [str(folder / f"{number}.png") for number in range(3)]

    texts = LINES[:3]

    def translate(options: SearchOptions) -> list[Any]:
        results = translator.translate(
            texts,
            beam_size=options.beam_size,
            n_best=options.beam_size if options.sampling is not None else 1,
            length_penalty=options.length_penalty,
            sampling=options.sampling,
            min_length=options.min_length,
            no_repeat_ngram=options.no_repeat_ngram,
            forbid=[translator.target_tokenizer.decode(ids) for ids in options.forbidden],
        )
        return [[(one.text, one.score) for one in (result, *result.n_best)] for result in results]

    def caption(options: SearchOptions) -> list[Any]:
        n_best = options.beam_size if options.sampling is not None else 1
        return captioner.caption(images, options, n_best=n_best)

    def search_captions(options: SearchOptions) -> list[list[Hypothesis]]:
        arrays = [captioner.image_input.read(image) for image in images]
        return captioner.search(to_source(np.stack(arrays)), options)

    def complete(options: SearchOptions) -> list[Any]:
        return completer.complete(["A dog", "Two"], options.sampling, max_length=8)

    encoded = translator.tokenizer.encode(texts)
    pieces, model = translator.target_tokenizer, translator.model
    never = tuple((token,) for token in pieces.never_encoded)

    def search_texts(options: SearchOptions) -> list[list[Hypothesis]]:
        if options.sampling is not None:
            options = replace(options, forbidden=never)
        return engine.search(encoded, options)

    engine = TorchEngine(model)
    return {
        "translate": TaskSearch(
            cache(translate),
            search_texts,
            SearchOptions(8, sampling=SamplingOptions(temperature=9.0)),
            lambda token: pieces.encode([pieces.decode([token])]) == [[token]],
        ),
        "caption": TaskSearch(cache(caption), search_captions),
        "complete": TaskSearch(cache(complete), lambda options: []),
        "invariant": engine_search(TorchEngine(model, invariant=True), encoded),
    }


@pytest.mark.parametrize("option", EXAMPLES)
@pytest.mark.parametrize(
    "task", ["translate", "caption", pytest.param("invariant", marks=pytest.mark.slow)]
)
def test_an_option_changes_the_result(
    searches: dict[str, TaskSearch], task: str, option: str
) -> None:
    search = searches[task]
    before, after = search.example(option)
    assert search.run(before) != search.run(after)


@pytest.mark.parametrize("option", SAMPLING)
def test_an_option_changes_a_completion(searches: dict[str, TaskSearch], option: str) -> None:
    """A completion takes sampling options only."""
    complete = searches["complete"]
    before, after = complete.example(option)
    assert complete.run(before) != complete.run(after)
    assert complete.run(before) != complete.run(SearchOptions())


@pytest.mark.parametrize("task", ["translate", "caption", "complete", "invariant"])
def test_equal_options_give_equal_results(searches: dict[str, TaskSearch], task: str) -> None:
    run = searches[task].run
    assert run(DRAWN) == run.__wrapped__(DRAWN)  # type: ignore[attr-defined]


@pytest.mark.parametrize("option", EXAMPLES)
def test_an_option_changes_the_result_of_ctranslate2_or_is_refused(option: str) -> None:
    pytest.importorskip("ctranslate2")
    from tests.unit.inference.test_ctranslate2 import exported, sources, transformer

    torch.manual_seed(0)
    search = engine_search(exported(transformer()), sources())
    before, after = search.example(option)
    if before.sampling is not None or after.sampling is not None:
        with pytest.raises(ConfigError, match="sampling"):
            search.run(after)
        return
    assert search.run(before) != search.run(after)
    if after.constrained:
        with pytest.raises(ConfigError, match=option[:6]):
            search.run(replace(after, beam_size=2))


@pytest.mark.parametrize("sampling", [None, SamplingOptions(temperature=2.0)])
@pytest.mark.parametrize("n_best", [1, 2, 8])
def test_every_task_returns_n_best_results(
    folder: Path, captioner: Captioner, n_best: int, sampling: SamplingOptions | None
) -> None:
    translator = Translator.load(folder / "translate")
    (translation,) = translator.translate(LINES[:1], beam_size=2, n_best=n_best, sampling=sampling)
    assert len(translation.n_best or (translation,)) == n_best
    options = SearchOptions(2, sampling=sampling)
    (caption,) = captioner.caption([str(folder / "0.png")], options, n_best=n_best)
    assert len((caption, *caption.alternatives)) == n_best
    scores = [one.score for one in (caption, *caption.alternatives)]
    assert sampling is not None or scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(sampling=SamplingOptions()),
        SearchOptions(min_length=3),
        SearchOptions(no_repeat_ngram=2),
        SearchOptions(forbidden=((5,),)),
    ],
    ids=str,
)
def test_options_that_cannot_be_defaults_are_refused(
    folder: Path, captioner: Captioner, options: SearchOptions
) -> None:
    translator = Translator.load(folder / "translate")
    with pytest.raises(ConfigError, match="only beam_size and length_penalty"):
        Translator(translator.model, translator.tokenizer, translator.splitting, options)
    with pytest.raises(ConfigError, match="only beam_size and length_penalty"):
        Captioner(
            captioner.model,
            captioner.tokenizer,
            captioner.image_input,
            captioner.grid,
            captioner.settings,
            options,
        )


def test_impossible_options_of_captions_are_refused(folder: Path, captioner: Captioner) -> None:
    images = [str(folder / "0.png")]
    with pytest.raises(ConfigError, match="n_best: must be at least 1, not 0"):
        captioner.caption(images, n_best=0)
    with pytest.raises(ConfigError, match="min_length: 20 tokens are too many"):
        captioner.caption(images, SearchOptions(min_length=20))


def test_draws_of_captions_depend_on_the_seed_and_the_index_only(
    folder: Path, captioner: Captioner
) -> None:
    images = [str(folder / f"{number}.png") for number in range(3)]
    options = SearchOptions(sampling=SamplingOptions(temperature=2.0))
    together = captioner.caption(images, options)
    for index, image in enumerate(images):
        moved = replace(options, sampling=SamplingOptions(temperature=2.0, offset=index))
        (alone,) = captioner.caption([image], moved)
        assert alone.text == together[index].text
