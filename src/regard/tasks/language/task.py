"""The use of models that read nothing but their own words: going on with a text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from regard.bundle.bundle import Bundle
from regard.config.data import CorpusConfig, DataConfig
from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus, TextLines
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import PreparationSettings
from regard.errors import ConfigError
from regard.inference.engine import EngineName
from regard.models import LanguageModel
from regard.tasks.base import Task
from regard.tasks.bundles import bundle_tokenizer
from regard.tasks.language.completer import Completer, build_language_model, completer_from_bundle
from regard.tasks.language.module import (
    LanguageModule,
    held_out_texts,
    read_texts,
    sample_texts,
    score_texts,
)
from regard.tasks.model_card import card_files
from regard.text.tokenizer import SentencePiece
from regard.train.events import Scores
from regard.train.trainer import TrainingOutcome

LIMITATIONS = (
    "Facts: it says what is likely in texts like those that it read, true or not.",
    "Texts unlike those that it was trained on: it was measured on texts of the same kind.",
    "Explaining why it says something: attention shows where a model looked, not why.",
)


class LanguageTask(Task[LanguageModule]):
    options = "--text FILE"
    metrics = ("perplexity", "nll")

    def corpus(self, spec: CorpusConfig, name: str) -> Corpus:
        if len(spec.files) > 1:
            raise ConfigError(
                "model: does not read and say sentences, but goes on with texts; give it one file "
                "of text (--text FILE), or choose a model that translates"
            )
        return spec.build(name, TextLines)

    def preparation(self, data: DataConfig) -> PreparationSettings:
        return replace(data.build(), fields=("empty", "running_text"), limits=None)

    def make_module(
        self, run: RunConfig, prepared: PreparedData, tokenizer: SentencePiece
    ) -> LanguageModule:
        if run.train.subword_alpha:
            raise ConfigError("train.subword_alpha: windows of text cannot be cut anew; say 0")
        valid = run.data.valid
        if valid is None:
            texts = held_out_texts(prepared, tokenizer)
        else:
            texts = read_texts(self.corpus(valid, "valid"))
        return LanguageModule(run, prepared, tokenizer, sample_texts(texts))

    def build_model(self, task: LanguageModule) -> LanguageModel[Any]:
        return build_language_model(task.run, task.tokenizer.size)

    def bundle_files(
        self, task: LanguageModule, model: LanguageModel[Any], outcome: TrainingOutcome
    ) -> dict[str, bytes]:
        return card_files(
            task,
            model,
            outcome,
            pieces="its texts",
            search="the likeliest piece each time, or what chance draws",
            in_words={},
            pipeline="text-generation",
            call='complete(["…"])[0]',
            units=("texts", "", "pieces"),
            limitations=LIMITATIONS,
        )

    def load(self, bundle: Bundle, engine: EngineName, device: str | None) -> Completer:
        return completer_from_bundle(bundle, device)

    def evaluate(self, bundle: Bundle, corpus: Corpus) -> Scores:
        return score_texts(
            completer_from_bundle(bundle), bundle_tokenizer(bundle), read_texts(corpus)
        )


TASK = LanguageTask()
