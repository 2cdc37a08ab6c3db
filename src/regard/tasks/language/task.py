"""The language modeling task."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import torch

from regard.batch import Batch
from regard.bundle.bundle import Bundle, bundle_tokenizer
from regard.config.data import CorpusConfig, DataConfig
from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus, TextLines, read_pairs
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import SpecialTokens
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import PreparationSettings
from regard.errors import ConfigError, CorpusError
from regard.inference.engine import EngineName
from regard.models import LanguageModel
from regard.tasks.base import Task, make_loader, shift_target
from regard.tasks.bundles import card_files
from regard.tasks.language.completer import Completer, build_language_model, completer_from_bundle
from regard.text.tokenizer import Tokenizer
from regard.train.events import Scores, ValidationSample
from regard.train.losses import Loss, TrainingModule
from regard.train.trainer import TrainingOutcome

# -- the training module of language modeling ------------------------------------------------------


MAX_VALIDATED = 2_000  # texts: about 100,000 words if each is a paragraph
SAMPLES = 3  # texts that each validation completes from their first half
SAMPLE_LENGTH = 30  # tokens of a completion


class LanguageModule(TrainingModule[Batch]):
    """Trains p(y_t | y_<t), and validates by the perplexity of other texts."""

    model: LanguageModel[Any]

    def __init__(
        self,
        run: RunConfig,
        prepared: PreparedData,
        tokenizer: Tokenizer,
        valid: tuple[str, ...],
    ) -> None:
        super().__init__()
        self.run, self.prepared, self.tokenizer, self.valid = run, prepared, tokenizer, valid
        torch.manual_seed(run.train.seed)
        self.model = build_language_model(run, prepared.vocabulary)
        self.objective = run.build_objective()
        shards = prepared.shards("train")
        self.epoch_tokens = self.stream(0, 1).epoch_tokens
        self.facts = {
            "data": f"{sum(shard.pairs for shard in shards):,} texts and windows of longer ones, "
            f"{self.epoch_tokens:,} tokens per epoch; {len(valid):,} validation texts"
        }

    def forward(self, batch: Batch) -> Loss:
        inputs, targets = shift_target(batch.target)
        return self.objective(self.model(inputs), self.model.readout, targets)

    def stream(self, rank: int, world: int) -> Loader:
        return make_loader(
            self.run,
            self.prepared,
            rank,
            world,
            source=SpecialTokens(begin=False, end=False),
            target=SpecialTokens(begin=True, end=False),  # shards include the end of a text
        )

    def validate(self) -> Scores:
        completer = self.completer(self.model)
        samples = tuple(_sample(completer, text) for text in self.valid[:SAMPLES])
        return score_texts(completer, self.tokenizer, self.valid, samples)

    def completer(self, model: LanguageModel[Any]) -> Completer:
        """Return a completer with `model` and the settings of this run."""
        return Completer(model, self.tokenizer, self.run.data.max_length)


def score_texts(
    completer: Completer,
    tokenizer: Tokenizer,
    texts: tuple[str, ...],
    samples: tuple[ValidationSample, ...] = (),
) -> Scores:
    """Return the perplexity of texts, with signatures.

    Texts in scripts without spaces have no perplexity per word.
    """
    perplexity = completer.perplexity(texts)
    counting = f"ends of texts included, in windows of {completer.window:,} pieces"
    values = {
        "perplexity": perplexity.per_token,
        "word_perplexity": perplexity.per_word,
        "bits_per_character": perplexity.bits_per_character,
        "nll": perplexity.nll / perplexity.tokens,
    }
    if math.isinf(perplexity.per_word):
        del values["word_perplexity"]
    pieces = f"per piece of {tokenizer.size:,} ({tokenizer.kind}, {tokenizer.form}), {counting}"
    signatures = {
        "perplexity": pieces,
        "word_perplexity": f"per word separated by white space, {counting}",
        "bits_per_character": f"per character, {counting}",
        "nll": pieces,
    }
    return Scores(values, {name: signatures[name] for name in values}, samples)


def read_texts(corpus: Corpus) -> tuple[str, ...]:
    """Return the raw texts of a corpus, without empty ones."""
    texts = tuple(pair.target for pair in read_pairs(corpus) if pair.target.strip())
    if not texts:
        raise CorpusError(f"{', '.join(corpus.paths)}: contains no text. Name another file.")
    return texts


def held_out_texts(prepared: PreparedData) -> tuple[str, ...]:
    """Return the texts that were held out from training, normalized."""
    texts = tuple(text for shard in prepared.shards("valid") for text in shard.read_texts("target"))
    if not texts:
        raise ConfigError(
            "data.valid: contains no text. Name a validation file, or raise data.held_out."
        )
    return texts


def sample_texts(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Select every nth text, at most MAX_VALIDATED."""
    return texts[:: -(-len(texts) // MAX_VALIDATED)]


def _sample(completer: Completer, text: str) -> ValidationSample:
    words = text.split()
    half = len(words) // 2
    (result,) = completer.complete([" ".join(words[:half])], max_length=SAMPLE_LENGTH)
    return ValidationSample(
        result.prompt, " ".join(words[half:]), result.text.strip(), (), result.pieces
    )


# -- task ------------------------------------------------------------------------------------------


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
