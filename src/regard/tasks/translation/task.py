"""The translation task."""

from __future__ import annotations

from typing import Any

import torch

from regard.align.alignment_head import AlignmentHead
from regard.align.word_aligner import WordAligner
from regard.batch import Tokens
from regard.bundle.bundle import Bundle
from regard.bundle.card import LIMITATIONS
from regard.config.data import CorpusConfig, DataConfig
from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus
from regard.data.loading.shards import PreparedData
from regard.data.loading.tokenizers import load_tokenizers
from regard.data.preparation.prepare import PreparationSettings, ProgressCallback
from regard.errors import ConfigError
from regard.inference.engine import EngineName
from regard.models import EncoderDecoder
from regard.tasks.base import Task
from regard.tasks.batches import corpus_name
from regard.tasks.model_card import card_files
from regard.tasks.translation.aligner import prepare_aligner, read_prepared_aligner
from regard.tasks.translation.calibrate import calibrate, calibration_files
from regard.tasks.translation.guide import guided_head, links_fingerprint, prepare_guide
from regard.tasks.translation.module import TranslationModule, build_prepared_model
from regard.tasks.translation.pairs import held_out_pairs, read_valid
from regard.tasks.translation.translator import Translator
from regard.text.tagged_tokenizer import tagged_languages, with_tags
from regard.text.tokenizer import Tokenizer
from regard.train.trainer import TrainingOutcome


class TranslationTask(Task[TranslationModule]):
    options = "--source FILE --target FILE"
    metrics = ("bleu", "chrf", "nll")
    supports_guide = True
    supports_tags = True
    supports_separate_tokenizers = True
    supports_comparison = True

    def corpus(self, spec: CorpusConfig, name: str) -> Corpus:
        return spec.build(name)

    def preparation(self, data: DataConfig) -> PreparationSettings:
        return data.build()

    def check_extras(self, run: RunConfig) -> None:
        """Check that the vocabulary of a model to fine-tune has the tags of the corpora."""
        if run.data.tokenizer is None:
            return
        tokenizer, _ = load_tokenizers(run.data.tokenizer)
        languages = tagged_languages(tokenizer)
        for corpus in (*run.data.train, *run.data.valid):
            if languages and corpus.languages is None:
                raise ConfigError(
                    f"data.tokenizer: {run.data.tokenizer} is of a model with several target "
                    "languages. Name those of each corpus (`languages`, or --languages en-fr). "
                    f"The targets are: {', '.join(languages)}."
                )
            with_tags(tokenizer, corpus.tags)

    def prepare_extras(
        self, run: RunConfig, prepared: PreparedData, on_progress: ProgressCallback
    ) -> None:
        """Train the word aligner, and write the links of guided alignment."""
        guided = run.train.guided_alignment
        if guided is not None:
            with torch.device("meta"):  # raises if the model has no attention, before the work
                guided_head(build_prepared_model(run, prepared))
        if run.data.aligner:
            prepare_aligner(prepared, run.data.tokenizer, on_progress)
        if guided is not None:
            corpora = [
                self.corpus(config, corpus_name(i)) for i, config in enumerate(run.data.train)
            ]
            prepare_guide(guided, prepared, corpora, on_progress)

    def make_module(
        self, run: RunConfig, prepared: PreparedData, tokenizer: Tokenizer
    ) -> TranslationModule:
        data = run.data
        pairs = read_valid(data) if data.valid else held_out_pairs(prepared, data)
        source, target = load_tokenizers(prepared.root)
        separate = None if source is target else target
        return TranslationModule(run, prepared, tokenizer, pairs, separate)

    def environment(self, run: RunConfig, prepared: PreparedData) -> dict[str, Any]:
        """Identify the guide by its links, not by its path."""
        guided = run.train.guided_alignment is not None
        return {"train.guided_alignment.links": links_fingerprint(prepared) if guided else None}

    def build_model(self, module: TranslationModule) -> EncoderDecoder[Tokens, Any]:
        return build_prepared_model(module.run, module.prepared)

    def bundle_files(
        self,
        module: TranslationModule,
        model: EncoderDecoder[Tokens, Any],
        outcome: TrainingOutcome,
    ) -> dict[str, bytes]:
        translator = module.translator(model)
        if module.run.data.aligner:
            translator.aligner = read_prepared_aligner(module.prepared)
        guided = None if module.guide is None else module.guide.alignment_head
        calibrate(translator, module.valid, guided)
        search, head = module.run.search, translator.alignment_head
        card = card_files(
            module,
            model,
            outcome,
            pipeline="translation",
            call='translate(["…"])[0].text',
            units=("pairs", "source pieces", "target pieces"),
            limitations=LIMITATIONS,
            pieces=_describe_sides(module),
            search=f"beam {search.beam_size}, scores divided by length^{search.length_penalty:g}",
            alignment=_describe_alignment(translator.aligner, head),
            score_notes={"nll": "mean −log p of a reference token given the tokens before it"},
        )
        return {**calibration_files(translator), **module.languages.files(), **card}

    def load(self, bundle: Bundle, engine: EngineName, device: str | None) -> Translator:
        return Translator.from_bundle(bundle, engine=engine, device=device)


def _describe_sides(module: TranslationModule) -> str:
    if module.target_tokenizer is module.tokenizer:
        return "both sides"
    return f"the source and {module.target_tokenizer.size:,} of the target"


def _describe_alignment(aligner: WordAligner | None, head: AlignmentHead | None) -> str | None:
    if aligner is None:
        return None if head is None else head.summary
    text = f"word aligner, trained on {aligner.facts['pairs']:,} pairs"
    if head is None:
        return text
    return f"{text}; attention ({head.summary}): F1 {head.agreement:.3f} with the aligner's links"


TASK = TranslationTask()
