"""The training module of translation models."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import compress
from statistics import fmean
from typing import Any

import numpy as np
import torch

from regard.batch import Batch, Tokens
from regard.config.run import RunConfig
from regard.data import storage
from regard.data.formats.corpus import Corpus, read_blocks
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import SubwordSampling
from regard.data.loading.shards import MAX_TOKENS, PreparedData
from regard.errors import ConfigError
from regard.evaluate.scores import score_corpus
from regard.inference.engine import SearchOptions, max_target_length
from regard.inference.forced_decoding import force_decode
from regard.inference.pipeline import Splitting
from regard.interop.ctranslate2_limits import export_obstacles
from regard.models import EncoderDecoder
from regard.tasks.batches import left_out, make_loader, shift_target
from regard.tasks.translation.aligner import aligner_cost
from regard.tasks.translation.guide import Guide
from regard.tasks.translation.loading import build_translation_model
from regard.tasks.translation.result import TranslationResult
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.train.events import SampleAttention, Scores, ValidationSample
from regard.train.losses import Loss
from regard.train.module import TrainingModule

MAX_VALIDATION_PAIRS = 2_000  # enough to rank models, few enough to translate every time
UNSPLIT = 0.999  # share of training sources that translation would not split into sentences
TIMED_PAIRS = 200  # validation pairs by which the time of a validation is estimated
SAMPLES = 3  # translations that are logged with their attention


@dataclass(frozen=True, slots=True)
class Pairs:
    """Raw sentences and their translations."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]

    def drop_long(
        self, tokenizer: Tokenizer, target_tokenizer: Tokenizer, max_length: int
    ) -> Pairs:
        """Return the pairs with at most `max_length` tokens on each side."""
        sides = [
            map(len, tokenizer.encode(self.sources)),
            map(len, target_tokenizer.encode(self.targets)),
        ]
        fits = [max(lengths) <= max_length for lengths in zip(*sides, strict=True)]
        sources, targets = (tuple(compress(side, fits)) for side in (self.sources, self.targets))
        return Pairs(sources, targets)


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
        self.valid = valid.drop_long(tokenizer, self.target_tokenizer, run.data.max_length)
        if not self.valid.sources:
            raise ConfigError(
                f"data.valid: has no pairs of at most {run.data.max_length:,} tokens "
                "(data.max_length). Name a validation corpus, or raise data.held_out."
            )
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
        self.splitting = _splitting(prepared)
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
        max_length = self.run.data.max_length
        sampling = SubwordSampling(self.tokenizer, alpha, max_length) if alpha else None
        return make_loader(self.run, self.prepared, rank, world, sampling=sampling)

    def validate(self) -> Scores:
        results = self.translator(self.model).translate(self.valid.sources)
        measured = score_corpus([result.text for result in results], self.valid.targets)
        values = {**measured.values, "nll": self._nll()}
        samples = tuple(
            self._sample(result, reference)
            for result, reference in zip(results[:SAMPLES], self.valid.targets, strict=False)
        )
        return Scores(values, measured.signatures, samples)

    def estimate_validation(self) -> float:
        """An untrained model searches to the maximum length, which a trained one rarely reaches."""
        count = len(self.valid.sources)
        every = -(-count // TIMED_PAIRS)
        sources, targets = self.valid.sources[::every], self.valid.targets[::every]
        clock = time.perf_counter()
        self.translator(self.model).translate(sources)
        seconds = time.perf_counter() - clock
        limits = [max_target_length(len(ids) + 1) for ids in self.tokenizer.encode(sources)]
        lengths = [len(ids) + 1 for ids in self.target_tokenizer.encode(targets)]
        return seconds * min(1.0, sum(lengths) / sum(limits)) * count / len(sources)

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
        )

    def _nll(self) -> float:
        """Return the mean −log p of a reference token given the tokens before it."""
        sources = self.tokenizer.encode(self.valid.sources)
        targets = self.target_tokenizer.encode(self.valid.targets)
        forced = force_decode(self.model, list(zip(sources, targets, strict=True)), names=())
        return -fmean(logp for each in forced for logp in each.logps)

    def _sample(self, result: TranslationResult, reference: str) -> ValidationSample:
        source = self.tokenizer.pieces(result.source)
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


def _splitting(prepared: PreparedData) -> Splitting:
    """Derive from the lengths of the training sources when to split a text."""
    counts = sum(
        np.bincount(shard.open().lengths[:, 0], minlength=MAX_TOKENS + 1)
        for shard in prepared.shards("train")
    )
    below = np.cumsum(counts) / np.sum(counts)
    return Splitting(int(below.searchsorted(UNSPLIT)), int(below.searchsorted(1.0)))


def read_valid(corpus: Corpus) -> Pairs:
    """Read the raw pairs of a validation corpus, at most MAX_VALIDATION_PAIRS."""
    return sample_pairs(read_all_pairs(corpus))


def read_all_pairs(corpus: Corpus) -> Pairs:
    """Read the raw pairs of a corpus that have a source and a target."""
    pairs = [
        pair
        for block in read_blocks(corpus, 1 << 12)
        for pair in block.pairs()
        if pair.source.strip() and pair.target.strip()
    ]
    return Pairs(tuple(p.source for p in pairs), tuple(p.target for p in pairs))


def held_out_pairs(prepared: PreparedData) -> Pairs:
    """Return the normalized texts of the pairs held out from training."""
    sides: list[list[str]] = [[], []]
    for shard in prepared.shards("valid"):
        for texts, side in zip(sides, ("source", "target"), strict=True):
            path = storage.join_path(prepared.root, f"{shard.name}.{side}.txt")
            texts += storage.read_bytes(path).decode().split("\n")[:-1]
    return sample_pairs(Pairs(tuple(sides[0]), tuple(sides[1])))


def build_prepared_model(run: RunConfig, prepared: PreparedData) -> EncoderDecoder[Tokens, Any]:
    """Build the untrained model of a run with the vocabularies of its prepared data."""
    return build_translation_model(run, prepared.vocabulary, prepared.target_vocabulary)


def sample_pairs(pairs: Pairs) -> Pairs:
    """Take every nth pair, so that at most MAX_VALIDATION_PAIRS remain."""
    every = max(1, -(-len(pairs.sources) // MAX_VALIDATION_PAIRS))
    return Pairs(pairs.sources[::every], pairs.targets[::every])
