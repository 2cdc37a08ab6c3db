"""The translation task."""

from __future__ import annotations

import time
from statistics import fmean
from typing import Any

import numpy as np
import torch

from regard.align.tokenized_text import AlignmentHead
from regard.align.word_aligner import WordAligner
from regard.batch import Batch, Tokens
from regard.bundle.bundle import Bundle
from regard.bundle.card import LIMITATIONS
from regard.config.data import CorpusConfig, DataConfig, language_pairs
from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import SubwordSampling
from regard.data.loading.shards import MAX_TOKENS, PreparedData, load_tokenizers
from regard.data.preparation.prepare import PreparationSettings, ProgressCallback
from regard.errors import ConfigError
from regard.evaluate.scores import score_corpus
from regard.inference.engine import EngineName, SearchOptions, Splitting, max_target_length
from regard.inference.forced_decoding import force_decode
from regard.interop.ctranslate2_export import export_obstacles
from regard.models import EncoderDecoder
from regard.tasks.base import Task, corpus_name, left_out, make_loader, shift_target
from regard.tasks.bundles import card_files
from regard.tasks.translation.aligner import aligner_cost, prepare_aligner, read_prepared_aligner
from regard.tasks.translation.bundle_parts import ModelLanguages
from regard.tasks.translation.guide import Guide, guided_head, links_fingerprint, prepare_guide
from regard.tasks.translation.loading import build_translation_model
from regard.tasks.translation.pairs import Languages, Pairs, held_out_pairs, read_valid
from regard.tasks.translation.result import TranslationResult
from regard.tasks.translation.scoring import calibrate, calibration_files
from regard.tasks.translation.translator import Translator
from regard.text.sentences import SentenceSplitter
from regard.text.tagged_tokenizer import tagged_languages, with_tags
from regard.text.tokenizer import Tokenizer
from regard.train.events import SampleAttention, Scores, ValidationSample
from regard.train.losses import Loss, TrainingModule
from regard.train.trainer import TrainingOutcome

# -- the training module of translation models -----------------------------------------------------


UNSPLIT = 0.999  # share of training sources that translation would not split into sentences
TIMED_PAIRS = 200  # validation pairs by which the time of a validation is estimated
SAMPLES = 3  # translations that are logged with their attention


class TranslationModule(TrainingModule[Batch]):
    """Trains p(y | x) on sentence pairs and validates by translating.

    `target_tokenizer`: by default that of the source.
    """

    model: EncoderDecoder[Tokens, Any]

    def __init__(
        self,
        run: RunConfig,
        prepared: PreparedData,
        tokenizer: Tokenizer,
        valid: Pairs,
        target_tokenizer: Tokenizer | None = None,
    ) -> None:
        super().__init__()
        self.run, self.prepared, self.tokenizer = run, prepared, tokenizer
        self.target_tokenizer = target_tokenizer or tokenizer
        self.languages = ModelLanguages(language_pairs(run.data))
        self.valid = valid.select(self._fits(valid))
        if not self.valid.sources:
            raise ConfigError(_no_validation_pairs(run.data, len(valid.sources)))
        torch.manual_seed(run.train.seed)
        self.model = build_prepared_model(run, prepared)
        shards = prepared.shards("train")
        self.epoch_tokens = self.stream(0, 1).epoch_tokens
        self.facts = {
            "data": f"{sum(shard.pairs for shard in shards):,} pairs, {self.epoch_tokens:,} target "
            f"tokens per epoch; {len(self.valid.sources):,} validation pairs"
            f"{left_out(len(valid.sources) - len(self.valid.sources))}",
            "export": "; ".join(export_obstacles(run)) or "CTranslate2 can run the model",
        }
        if (cost := aligner_cost(prepared)) is not None:
            self.facts["aligner"] = cost
        self.splitting = _splitting(prepared, self.languages.source)
        self.objective = run.build_objective()
        self.guide: Guide | None = None
        if run.train.guided_alignment is not None:
            self.guide = Guide.open(prepared, self.model)
            self.guide_loss = self.guide.make_loss(self.model, run.train.guided_alignment.weight)
            self.facts["guide"] = self.guide.summary

    def forward(self, batch: Batch) -> Loss:
        prefix, target = shift_target(batch.target)
        if self.guide is None:
            return self.objective(self.model(batch.source, prefix), self.model.readout, target)
        with self.guide_loss.recording():
            decoded = self.model(batch.source, prefix)
        loss = self.objective(decoded, self.model.readout, target)
        return loss.plus("guide", self.guide_loss.loss(self.guide.target_weights(batch)))

    def stream(self, rank: int, world: int) -> Loader:
        alpha = self.run.train.subword_alpha
        tokenizers = self.tokenizer, self.target_tokenizer
        sampling = SubwordSampling(tokenizers, alpha, self.run.data.max_length) if alpha else None
        return make_loader(self.run, self.prepared, rank, world, sampling=sampling)

    def validate(self) -> Scores:
        """Score each pair of languages. If there are several, the main scores are their means."""
        groups = self.valid.by_languages()
        translator = self.translator(self.model)
        scores_by_languages = {
            languages: self._validate_languages(_bind(translator, languages), pairs)
            for languages, pairs in groups.items()
        }
        if len(scores_by_languages) == 1:
            return next(iter(scores_by_languages.values()))
        first = next(iter(scores_by_languages.values()))
        values = {
            name: fmean(scores.values[name] for scores in scores_by_languages.values())
            for name in first.values
        }
        signatures = dict.fromkeys(values, "mean over the pairs of languages")
        for languages, scores in scores_by_languages.items():
            pair = "-".join(languages or ())
            values |= {f"{name} {pair}": value for name, value in scores.values.items()}
            signatures |= {f"{name} {pair}": text for name, text in scores.signatures.items()}
        samples = tuple(scores.samples[0] for scores in scores_by_languages.values())
        return Scores(values, signatures, samples)

    def _validate_languages(self, translator: Translator, pairs: Pairs) -> Scores:
        results = translator.translate(pairs.sources)
        measured = score_corpus([result.text for result in results], pairs.targets)
        values = {**measured.values, "nll": self._nll(translator, pairs)}
        samples = tuple(
            self._sample(translator, result, reference)
            for result, reference in zip(results[:SAMPLES], pairs.targets, strict=False)
        )
        return Scores(values, measured.signatures, samples)

    def estimate_validation(self) -> float:
        """Time a sample, scaled to the length of references: untrained models rarely stop early."""
        count = len(self.valid.sources)
        timed = self.valid.at_most(TIMED_PAIRS)
        translator, seconds, lengths, limits = self.translator(self.model), 0.0, 0, 0
        for languages, pairs in timed.by_languages().items():
            bound = _bind(translator, languages)
            clock = time.perf_counter()
            bound.translate(pairs.sources)
            seconds += time.perf_counter() - clock
            sources = bound.tokenizer.encode(pairs.sources)
            limits += sum(max_target_length(len(ids) + 1) for ids in sources)
            lengths += sum(len(ids) + 1 for ids in self.target_tokenizer.encode(pairs.targets))
        return seconds * min(1.0, lengths / limits) * count / len(timed.sources)

    def translator(self, model: EncoderDecoder[Tokens, Any]) -> Translator:
        """Return a translator of `model` with the run's search options."""
        search = self.run.search
        options = SearchOptions(search.beam_size, search.length_penalty)
        return Translator(
            model,
            self.tokenizer,
            self.splitting,
            options,
            target_tokenizer=self.target_tokenizer,
            languages=self.languages,
        )

    def _fits(self, pairs: Pairs) -> list[bool]:
        """Return whether each pair has at most `data.max_length` tokens on each side."""
        tags = 1 if pairs.languages else 0  # of the target language
        sources = (len(ids) + tags for ids in self.tokenizer.encode(pairs.sources))
        targets = map(len, self.target_tokenizer.encode(pairs.targets))
        longest = self.run.data.max_length
        return [max(lengths) <= longest for lengths in zip(sources, targets, strict=True)]

    def _nll(self, translator: Translator, pairs: Pairs) -> float:
        """Return the mean −log p of a reference token given the tokens before it."""
        sources = translator.tokenizer.encode(pairs.sources)
        targets = self.target_tokenizer.encode(pairs.targets)
        forced = force_decode(self.model, list(zip(sources, targets, strict=True)), names=())
        return -fmean(logp for decoding in forced for logp in decoding.logps)

    def _sample(
        self, translator: Translator, result: TranslationResult, reference: str
    ) -> ValidationSample:
        source = translator.tokenizer.pieces(result.source)
        tokens = [token for segment in result.segments for token in segment.tokens]
        pieces = [piece for segment in result.segments for piece in segment.pieces]
        (forced,) = force_decode(self.model, [(source.ids, tokens)])
        return ValidationSample(
            result.source,
            reference,
            result.text,
            (*source.pieces, "</s>"),
            (*pieces, "</s>"),
            tuple(
                SampleAttention(name, weights.mean(dim=0).float())
                for name, weights in forced.attention.items()
            ),
        )


def _bind(translator: Translator, languages: Languages | None) -> Translator:
    return translator if languages is None else translator.for_target(languages[1])


def _splitting(prepared: PreparedData, language: str | None) -> Splitting:
    """Derive from the lengths of the training sources when to split a text."""
    counts = sum(
        np.bincount(shard.open().lengths[:, 0], minlength=MAX_TOKENS + 1)
        for shard in prepared.shards("train")
    )
    below = np.cumsum(counts) / np.sum(counts)
    split_above, max_length = int(below.searchsorted(UNSPLIT)), int(below.searchsorted(1.0))
    return Splitting(split_above, max_length, SentenceSplitter.of(language))


def build_prepared_model(run: RunConfig, prepared: PreparedData) -> EncoderDecoder[Tokens, Any]:
    """Build the untrained model of a run with the vocabularies of its prepared data."""
    return build_translation_model(run, prepared.vocabulary, prepared.target_vocabulary)


def _no_validation_pairs(data: DataConfig, too_long: int) -> str:
    if too_long:
        return (
            f"data.valid: all {too_long:,} pairs have more than {data.max_length:,} tokens. Raise "
            "data.max_length, or use other validation pairs."
        )
    if data.valid:
        return "data.valid: has no pairs. Check that these are the right files."
    return (
        f"data.held_out: a fraction of {data.held_out:g} of so few training pairs is none of them, "
        "so there are no validation pairs. Name validation files with --valid, or hold out more, "
        "as in --set data.held_out=0.1."
    )


# -- task ------------------------------------------------------------------------------------------


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

    def environment(self, run: RunConfig, prepared: PreparedData) -> dict[str, object]:
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
