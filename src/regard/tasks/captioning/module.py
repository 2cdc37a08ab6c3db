"""Captioning: pictures and sentences in, a model that says what is seen in a picture."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from regard.attention import Attention
from regard.batch import Batch, Grids, Images
from regard.config.run import RunConfig
from regard.data.formats.captions import CaptionedImage
from regard.data.loading.image_shards import ImageShards, from_ids
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import SpecialTokens
from regard.data.loading.shards import PreparedData
from regard.errors import ConfigError
from regard.evaluate.scores import score_corpus
from regard.inference.forced_decoding import cross_attention_names, force_decode_image
from regard.models import EncoderDecoder
from regard.tasks.batches import make_loader, shift_target
from regard.tasks.captioning.captioner import (
    TOGETHER,
    Captioner,
    CaptionSettings,
    build_captioning_model,
    make_captioner,
    to_source,
)
from regard.text.tokenizer import SentencePiece
from regard.train.events import SampleAttention, Scores, ValidationSample
from regard.train.losses import CoverageLoss, CrossEntropy, Loss, Reinforce
from regard.train.module import TrainingModule

MOST_VALIDATED = 1_000  # pictures: enough to tell models apart, few enough to describe every time
SAMPLES = 3  # of them are shown, with where the model looked


@dataclass(frozen=True, slots=True, eq=False)
class ValidationImages:
    """Pictures to validate on, by the hashes of their names, and what is said of each."""

    hashes: NDArray[np.uint64]
    captions: tuple[tuple[str, ...], ...]
    named: tuple[
        CaptionedImage, ...
    ] = ()  # the same with the places of things, where these are known


class CaptioningModule(TrainingModule[Batch]):
    """p(y | picture), taught by captions; how good it is, is found by describing pictures."""

    model: EncoderDecoder[Any, Any]

    def __init__(
        self,
        run: RunConfig,
        prepared: PreparedData,
        tokenizer: SentencePiece,
        pictures: ImageShards,
        valid: ValidationImages,
    ) -> None:
        super().__init__()
        self.run, self.prepared, self.tokenizer = run, prepared, tokenizer
        self.pictures, self.valid = pictures, valid
        torch.manual_seed(run.train.seed)
        self.model = build_captioning_model(run, prepared.vocabulary)
        chooses = any(
            look.attention.normalizer.kind == "hard" for look in run.model.attention_uses()
        )
        self.objective = (Reinforce if chooses else CrossEntropy)(run.train.label_smoothing)
        self.covering = _covering(self.model, run.train.coverage)
        shards = prepared.shards("train")
        self.known = CaptionSettings(max(int(shard.open().lengths[:, 1].max()) for shard in shards))
        self.epoch_tokens = sum(shard.tokens[1] + shard.pairs for shard in shards)
        self.facts = {
            "data": f"{sum(shard.pairs for shard in shards):,} captions, {self.epoch_tokens:,} "
            f"tokens an epoch; {len(valid.captions):,} pictures to validate on"
        }

    def forward(self, batch: Batch) -> Loss:
        said, meant = shift_target(batch.target)
        source = self._pictures(from_ids(batch.source.ids.cpu().numpy())).to(said.device)
        with ExitStack() as listening:
            for covered in self.covering:
                listening.enter_context(covered.recording())
            decoded = self.model(source, said)
        loss = self.objective(decoded, self.model.readout, meant)
        if not self.covering:
            return loss
        left = torch.stack([covered.loss(meant) for covered in self.covering]).sum()
        return loss.plus("coverage", left)

    def stream(self, rank: int, world: int) -> Loader:
        bare = SpecialTokens(begin=False, end=False)  # a name is no sentence
        return make_loader(self.run, self.prepared, rank, world, source=bare)

    def validate(self) -> Scores:
        captioner, outputs, logps = self.captioner(self.model), [], []
        for start in range(0, len(self.valid.captions), TOGETHER):
            some = slice(start, start + TOGETHER)
            source = self._pictures(self.valid.hashes[some])
            found = captioner.search(source)
            outputs += [self.tokenizer.decode(best.tokens) for best, *_ in found]
            first = self.tokenizer.encode([said[0] for said in self.valid.captions[some]])
            readings = force_decode_image(self.model, source, first, ())
            logps += [logp for reading in readings for logp in reading.logps]
        samples = tuple(self._sample(i, output) for i, output in enumerate(outputs[:SAMPLES]))
        return score_captions(outputs, self.valid.captions, samples, -fmean(logps))

    def captioner(self, model: EncoderDecoder[Any, Any]) -> Captioner:
        """Asks a model as its users will ask it."""
        return make_captioner(self.run, model, self.tokenizer, self.known)

    def _pictures(self, hashes: NDArray[np.uint64]) -> Images | Grids:
        return to_source(self.pictures.read(hashes))

    def _sample(self, i: int, output: str) -> ValidationSample:
        said = self.tokenizer.pieces(output)
        source = self._pictures(self.valid.hashes[i : i + 1])
        (reading,) = force_decode_image(self.model, source, [said.ids])
        rows, columns = self.captioner(self.model).grid
        places = tuple(f"{1 + s // columns}·{1 + s % columns}" for s in range(rows * columns))
        looks = (
            SampleAttention(name, look.mean(dim=0).float())
            for name, look in reading.attention.items()
        )
        return ValidationSample(
            f"picture {i + 1}",
            self.valid.captions[i][0],
            output,
            places,
            (*said.pieces, "</s>"),
            tuple(looks),
        )


def score_captions(
    outputs: Sequence[str],
    captions: Sequence[tuple[str, ...]],
    samples: tuple[ValidationSample, ...] = (),
    nll: float | None = None,
) -> Scores:
    """How good captions are, each picture having one or several to compare with."""
    measured = score_corpus(outputs, [said[0] for said in captions])
    exact = fmean(output in said for output, said in zip(outputs, captions, strict=True))
    values = {"exact": 100 * exact, **measured.values}
    if nll is not None:
        values["nll"] = nll
    signatures = {
        "exact": "share of captions that are, to the letter, one that the picture has",
        **measured.signatures,
    }
    return Scores(values, signatures, samples)


def validation_images(
    captions: Sequence[CaptionedImage], hashes: NDArray[np.uint64]
) -> ValidationImages:
    """Every nth picture, so that no more than MOST_VALIDATED are left, and all that is said of it;
    `hashes` are those of the captions' pictures."""
    places: dict[int, list[int]] = {}
    for place, number in enumerate(hashes.tolist()):
        places.setdefault(number, []).append(place)
    if not places:
        raise ConfigError("data.valid: holds no captions; name a file, or raise data.held_out")
    kept = list(places.items())[:: -(-len(places) // MOST_VALIDATED)]
    return ValidationImages(
        np.array([number for number, _ in kept], np.uint64),
        tuple(tuple(captions[place].caption for place in each) for _, each in kept),
        tuple(captions[each[0]] for _, each in kept if captions[each[0]].objects),
    )


def _covering(model: EncoderDecoder[Any, Any], strength: float) -> list[CoverageLoss]:
    if not strength:
        return []
    looks = [model.get_submodule(name) for name in cross_attention_names(model)]
    if not looks:
        raise ConfigError("train.coverage: the model looks at nothing that it could cover; say 0")
    return [CoverageLoss(look, strength) for look in looks if isinstance(look, Attention)]
