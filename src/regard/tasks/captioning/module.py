"""The training module of captioning."""

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
from regard.tasks.batches import left_out, make_loader, shift_target
from regard.tasks.captioning.captioner import (
    BATCH_SIZE,
    Captioner,
    CaptionSettings,
    build_captioning_model,
    make_captioner,
    to_source,
)
from regard.text.tokenizer import Tokenizer
from regard.train.events import SampleAttention, Scores, ValidationSample
from regard.train.losses import CoverageLoss, Loss
from regard.train.module import TrainingModule

MAX_VALIDATED = 1_000  # images: captioning them takes seconds, and the scores are stable
SAMPLES = 3  # images that each validation shows, with attention


@dataclass(frozen=True, slots=True, eq=False)
class ValidationImages:
    """Validation images and their captions."""

    hashes: NDArray[np.uint64]  # of the image names
    captions: tuple[tuple[str, ...], ...]  # of each image
    named: tuple[CaptionedImage, ...] = ()  # images with annotated objects
    too_long: int = 0  # captions left out because they exceed data.max_length


class CaptioningModule(TrainingModule[Batch]):
    """Trains p(caption | image), and validates by captioning images."""

    model: EncoderDecoder[Any, Any]

    def __init__(
        self,
        run: RunConfig,
        prepared: PreparedData,
        tokenizer: Tokenizer,
        images: ImageShards,
        valid: ValidationImages,
    ) -> None:
        super().__init__()
        self.run, self.prepared, self.tokenizer = run, prepared, tokenizer
        self.images, self.valid = images, valid
        torch.manual_seed(run.train.seed)
        self.model = build_captioning_model(run, prepared.vocabulary)
        self.objective = run.build_objective()
        self.coverage = _coverage_losses(self.model, run.train.coverage)
        shards = prepared.shards("train")
        max_length = max(int(shard.open().lengths[:, 1].max(initial=0)) for shard in shards)
        self.settings = CaptionSettings(max_length)
        self.epoch_tokens = self.stream(0, 1).epoch_tokens
        self.facts = {
            "data": f"{sum(shard.pairs for shard in shards):,} captions, {self.epoch_tokens:,} "
            f"tokens per epoch; {len(valid.captions):,} validation images"
            f"{left_out(valid.too_long)}"
        }

    def forward(self, batch: Batch) -> Loss:
        inputs, targets = shift_target(batch.target)
        source = self._read_images(from_ids(batch.source.ids.cpu().numpy())).to(inputs.device)
        with ExitStack() as recording:
            for coverage in self.coverage:
                recording.enter_context(coverage.recording())
            decoded = self.model(source, inputs)
        loss = self.objective(decoded, self.model.readout, targets)
        if not self.coverage:
            return loss
        uncovered = torch.stack([coverage.loss(targets) for coverage in self.coverage]).sum()
        return loss.plus("coverage", uncovered)

    def stream(self, rank: int, world: int) -> Loader:
        source = SpecialTokens(begin=False, end=False)  # the source is an image hash, not a text
        return make_loader(self.run, self.prepared, rank, world, source=source)

    def validate(self) -> Scores:
        captioner, outputs, logps = self.captioner(self.model), [], []
        for start in range(0, len(self.valid.captions), BATCH_SIZE):
            batch = slice(start, start + BATCH_SIZE)
            source = self._read_images(self.valid.hashes[batch])
            outputs += [self.tokenizer.decode(best.tokens) for best, *_ in captioner.search(source)]
            references = [captions[0] for captions in self.valid.captions[batch]]
            decoded = force_decode_image(self.model, source, self.tokenizer.encode(references), ())
            logps += [logp for decoding in decoded for logp in decoding.logps]
        samples = tuple(self._sample(i, output) for i, output in enumerate(outputs[:SAMPLES]))
        return score_captions(outputs, self.valid.captions, samples, -fmean(logps))

    def captioner(self, model: EncoderDecoder[Any, Any]) -> Captioner:
        """Return a captioner with `model` and the settings of this run."""
        return make_captioner(self.run, model, self.tokenizer, self.settings)

    def _read_images(self, hashes: NDArray[np.uint64]) -> Images | Grids:
        return to_source(self.images.read(hashes))

    def _sample(self, i: int, output: str) -> ValidationSample:
        pieces = self.tokenizer.pieces(output)
        source = self._read_images(self.valid.hashes[i : i + 1])
        (decoded,) = force_decode_image(self.model, source, [pieces.ids])
        rows, columns = self.captioner(self.model).grid
        regions = tuple(f"{1 + s // columns}·{1 + s % columns}" for s in range(rows * columns))
        attention = (
            SampleAttention(name, weights.mean(dim=0).float())
            for name, weights in decoded.attention.items()
        )
        return ValidationSample(
            f"image {i + 1}",
            self.valid.captions[i][0],
            output,
            regions,
            (*pieces.pieces, "</s>"),
            tuple(attention),
        )


def score_captions(
    outputs: Sequence[str],
    captions: Sequence[tuple[str, ...]],
    samples: tuple[ValidationSample, ...] = (),
    nll: float | None = None,
) -> Scores:
    """Score captions against one or more references of each image.

    BLEU and chrF use the first reference; `exact` counts a match with any of them.
    """
    scores = score_corpus(outputs, [references[0] for references in captions])
    exact = fmean(
        output in references for output, references in zip(outputs, captions, strict=True)
    )
    values = {"exact": 100 * exact, **scores.values}
    if nll is not None:
        values["nll"] = nll
    signatures = {
        "exact": "percentage of captions that equal a reference",
        **scores.signatures,
    }
    return Scores(values, signatures, samples)


def validation_images(
    captions: Sequence[CaptionedImage], hashes: NDArray[np.uint64]
) -> ValidationImages:
    """Select every nth image, at most MAX_VALIDATED, with all its captions.

    Args:
        hashes: of the image of each caption.
    """
    rows: dict[int, list[int]] = {}
    for row, image in enumerate(hashes.tolist()):
        rows.setdefault(image, []).append(row)
    if not rows:
        raise ConfigError(
            "data.valid: has no captions. Name a validation file, or raise data.held_out."
        )
    selected = list(rows.items())[:: -(-len(rows) // MAX_VALIDATED)]
    return ValidationImages(
        np.array([image for image, _ in selected], np.uint64),
        tuple(tuple(captions[row].caption for row in indices) for _, indices in selected),
        tuple(captions[indices[0]] for _, indices in selected if captions[indices[0]].objects),
    )


def _coverage_losses(model: EncoderDecoder[Any, Any], strength: float) -> list[CoverageLoss]:
    if not strength:
        return []
    layers = [model.get_submodule(name) for name in cross_attention_names(model)]
    if not layers:
        raise ConfigError("train.coverage: the model has no cross-attention. Set it to 0.")
    return [CoverageLoss(layer, strength) for layer in layers if isinstance(layer, Attention)]
