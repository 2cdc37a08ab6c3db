"""Translation: sentence pairs in, a model that says one side of them having read the other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch

from regard.batch import Batch, Tokens
from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus, read_blocks
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import SubwordSampling
from regard.data.loading.shards import MAX_TOKENS, PreparedData
from regard.errors import ConfigError
from regard.evaluate.scores import score_corpus
from regard.inference.engine import SearchOptions
from regard.inference.forced_decoding import force_decode
from regard.inference.pipeline import Splitting
from regard.interop.ctranslate2_limits import export_obstacles
from regard.models import EncoderDecoder
from regard.tasks.batches import make_loader, shift_target
from regard.tasks.translation.guide import Guide
from regard.tasks.translation.translator import Translator, build_translation_model
from regard.text.tokenizer import SentencePiece, Tokenizer
from regard.train.events import SampleAttention, Scores, ValidationSample
from regard.train.losses import CrossEntropy, GuidedAlignmentLoss, Loss, Reinforce
from regard.train.module import TrainingModule

MOST_VALIDATED = 2_000  # pairs: enough to tell models apart, few enough to translate every time
USUAL = 0.999  # the share of sources that are read whole though they may have several sentences
SAMPLES = 3  # of them are shown, with where the model looked


@dataclass(frozen=True, slots=True)
class Pairs:
    """Sentences and their translations, as their files have them."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]


class TranslationModule(TrainingModule[Batch]):
    """p(y | x), taught by pairs; how good it is, is found by translating."""

    model: EncoderDecoder[Tokens, Any]

    def __init__(
        self, run: RunConfig, prepared: PreparedData, tokenizer: SentencePiece, valid: Pairs
    ) -> None:
        super().__init__()
        self.run, self.prepared, self.tokenizer, self.valid = run, prepared, tokenizer, valid
        torch.manual_seed(run.train.seed)
        self.model = build_translation_model(run, prepared.vocabulary)
        chooses = any(
            look.attention.normalizer.kind == "hard" for look in run.model.attention_uses()
        )
        shards = prepared.shards("train")
        self.epoch_tokens = sum(shard.tokens[1] + shard.pairs for shard in shards)
        self.facts = {
            "data": f"{sum(shard.pairs for shard in shards):,} pairs, {self.epoch_tokens:,} target "
            f"tokens an epoch; {len(valid.sources):,} pairs to validate on",
            "export": "; ".join(export_obstacles(run)) or "CTranslate2 can run it",
        }
        self.splitting = _splitting(prepared)
        self.objective = (Reinforce if chooses else CrossEntropy)(run.train.label_smoothing)
        self.guiding = _make_guide(run, self.model, tokenizer)
        if self.guiding is not None:
            self.facts["guide"] = self.guiding[0].summary

    def forward(self, batch: Batch) -> Loss:
        said, meant = shift_target(batch.target)
        if self.guiding is None:
            return self.objective(self.model(batch.source, said), self.model.readout, meant)
        guide, look = self.guiding
        with look.recording():
            decoded = self.model(batch.source, said)
        loss = self.objective(decoded, self.model.readout, meant)
        return loss.plus("guide", look.loss(guide.target_weights(batch)))

    def stream(self, rank: int, world: int) -> Loader:
        freely = self.run.train.subword_alpha
        sampling = SubwordSampling(self.tokenizer, freely) if freely else None
        return make_loader(self.run, self.prepared, rank, world, sampling=sampling)

    def validate(self) -> Scores:
        found = self.translator(self.model).translate(self.valid.sources)
        outputs = [translation.text for translation in found]
        measured = score_corpus(outputs, self.valid.targets)
        values = {**measured.values, "nll": self._nll()}
        samples = tuple(self._sample(i, output) for i, output in enumerate(outputs[:SAMPLES]))
        return Scores(values, measured.signatures, samples)

    def translator(self, model: EncoderDecoder[Tokens, Any]) -> Translator:
        """Asks a model as its users will ask it."""
        search = self.run.search
        how = SearchOptions(search.beam_size, search.length_penalty)
        return Translator(model, self.tokenizer, self.splitting, how)

    def _nll(self) -> float:
        """Per token of the references, having read each word before it."""
        sources = self.tokenizer.encode(self.valid.sources)
        targets = self.tokenizer.encode(self.valid.targets)
        readings = force_decode(self.model, list(zip(sources, targets, strict=True)), names=())
        return -fmean(logp for reading in readings for logp in reading.logps)

    def _sample(self, i: int, output: str) -> ValidationSample:
        source, said = self.tokenizer.pieces(self.valid.sources[i]), self.tokenizer.pieces(output)
        (reading,) = force_decode(self.model, [(source.ids, said.ids)])
        looks = (
            SampleAttention(name, look.mean(dim=0).float())
            for name, look in reading.attention.items()
        )
        return ValidationSample(
            self.valid.sources[i],
            self.valid.targets[i],
            output,
            (*source.pieces, "</s>"),
            (*said.pieces, "</s>"),
            tuple(looks),
        )


def _splitting(prepared: PreparedData) -> Splitting:
    """What a model that was taught with these sources can take whole."""
    counts = sum(
        np.bincount(shard.open().lengths[:, 0], minlength=MAX_TOKENS + 1)
        for shard in prepared.shards("train")
    )
    below = np.cumsum(counts) / np.sum(counts)
    return Splitting(int(below.searchsorted(USUAL)), int(below.searchsorted(1.0)))


def _make_guide(
    run: RunConfig, model: EncoderDecoder[Tokens, Any], tokenizer: Tokenizer
) -> tuple[Guide, GuidedAlignmentLoss] | None:
    """Where a look should rest, and the look; None if it is left to itself."""
    if run.train.guided_alignment is None:
        return None
    if run.train.subword_alpha:
        raise ConfigError(
            "train.subword_alpha: cuts words anew, and train.guided_alignment links the pieces that they were cut "
            "into; say 0, or leave out the guide"
        )
    guide = Guide.open(Path(run.train.guided_alignment.links), tokenizer)
    return guide, guide.make_loss(model, run.train.guided_alignment.weight)


def read_valid(corpus: Corpus) -> Pairs:
    """The pairs of a validation corpus, raw; pairs without a source or a target tell nothing."""
    found = [
        pair
        for block in read_blocks(corpus, 1 << 12)
        for pair in block.pairs()
        if pair.source.strip() and pair.target.strip()
    ]
    return sample_pairs(Pairs(tuple(p.source for p in found), tuple(p.target for p in found)))


def held_out_pairs(prepared: PreparedData, tokenizer: Tokenizer) -> Pairs:
    """The pairs that were kept from training, as the tokeniser normalised them."""
    sources, targets = [], []
    for shard in prepared.shards("valid"):
        opened = shard.open()
        for i in range(shard.pairs):
            source, target = opened.pair(i)
            sources.append(tokenizer.decode(source.tolist()))
            targets.append(tokenizer.decode(target.tolist()))
    return sample_pairs(Pairs(tuple(sources), tuple(targets)))


def sample_pairs(pairs: Pairs) -> Pairs:
    """Every nth pair, so that no more than MOST_VALIDATED are left."""
    every = -(-len(pairs.sources) // MOST_VALIDATED)
    return Pairs(pairs.sources[::every], pairs.targets[::every])
