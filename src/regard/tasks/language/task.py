"""The language modeling task."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from regard.bundle.bundle import Bundle
from regard.bundle.tokenizer import bundle_tokenizer
from regard.config.data import CorpusConfig, DataConfig
from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus, TextLines
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import PreparationSettings
from regard.errors import ConfigError
from regard.inference.engine import EngineName
from regard.models import LanguageModel
from regard.tasks.base import Task
from regard.tasks.language.completer import Completer, build_language_model, completer_from_bundle
from regard.tasks.language.module import (
    LanguageModule,
    held_out_texts,
    read_texts,
    sample_texts,
    score_texts,
)
from regard.tasks.model_card import card_files
from regard.text.tokenizer import Tokenizer
from regard.train.events import Scores
from regard.train.trainer import TrainingOutcome

LIMITATIONS = (
    "Facts: it produces likely text, whether true or not.",
    "Texts unlike the training data: the scores hold for texts of the same kind only.",
    "Explaining why it produces an output: attention weights are not reasons.",
)


class LanguageTask(Task[LanguageModule]):
    options = "--text FILE"
    metrics = ("perplexity", "nll")

    def corpus(self, config: CorpusConfig, name: str) -> Corpus:
        if len(config.files) > 1:
            raise ConfigError(
                "data.train: a language model's corpus is one text file (--text FILE). To "
                "translate, choose a translation model."
            )
        if config.columns is not None:
            raise ConfigError(
                "data.train: the corpus of a language model is plain text, which has no columns. "
                "Remove the columns (--columns)."
            )
        return config.build(name, TextLines)

    def preparation(self, data: DataConfig) -> PreparationSettings:
        return replace(data.build(), fields=("empty", "running_text"), limits=None)

    def make_module(
        self, run: RunConfig, prepared: PreparedData, tokenizer: Tokenizer
    ) -> LanguageModule:
        if run.train.subword_alpha:
            raise ConfigError(
                "train.subword_alpha: subword sampling does not apply to this task. Set it to 0."
            )
        valid = run.data.valid
        if not valid:
            texts = held_out_texts(prepared)
        else:
            texts = read_texts(self.corpus(valid[0], "valid"))
        return LanguageModule(run, prepared, tokenizer, sample_texts(texts))

    def build_model(self, module: LanguageModule) -> LanguageModel[Any]:
        return build_language_model(module.run, module.tokenizer.size)

    def bundle_files(
        self, module: LanguageModule, model: LanguageModel[Any], outcome: TrainingOutcome
    ) -> dict[str, bytes]:
        return card_files(
            module,
            model,
            outcome,
            pieces="its texts",
            search="greedy search or sampling",
            score_notes={},
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
