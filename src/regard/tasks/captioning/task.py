"""The captioning task."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from regard.align.tokenized_text import AlignmentHead
from regard.attention import Attention
from regard.batch import Batch, Grids, Images
from regard.bundle.bundle import Bundle
from regard.config.data import CorpusConfig, DataConfig
from regard.config.run import RunConfig
from regard.data import storage
from regard.data.formats.captions import CaptionedImage, Captions
from regard.data.formats.corpus import Corpus
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import SpecialTokens
from regard.data.loading.shards import ImageShards, PreparedData, from_ids
from regard.data.preparation.fields import hash_texts
from regard.data.preparation.prepare import PreparationSettings, ProgressCallback, prepare_images
from regard.data.preparation.runner import InProcessRunner
from regard.errors import ConfigError
from regard.evaluate.scores import score_corpus
from regard.inference.engine import EngineName
from regard.inference.forced_decoding import cross_attention_names, force_decode_image
from regard.models import EncoderDecoder
from regard.tasks.base import Task, left_out, make_loader, shift_target
from regard.tasks.bundles import card_files
from regard.tasks.captioning.captioner import (
    BATCH_SIZE,
    CAPTIONS,
    Captioner,
    CaptionSettings,
    build_captioning_model,
    captioner_from_bundle,
    image_input_of,
    make_captioner,
    to_source,
)
from regard.text.tokenizer import Tokenizer
from regard.train.events import SampleAttention, Scores, ValidationSample
from regard.train.losses import CoverageLoss, Loss, TrainingModule
from regard.train.trainer import TrainingOutcome

# -- the training module of captioning -------------------------------------------------------------


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


# -- task ------------------------------------------------------------------------------------------


MAX_POINTING_IMAGES = 200  # to choose the alignment head
LIMITATIONS = (
    "Images unlike the training data: the scores hold for images of the same kind only.",
    "Detecting objects: it may name objects that are not in the image.",
    "Explaining why it produces an output: attention weights are not reasons.",
)


class CaptioningTask(Task[CaptioningModule]):
    options = "--images FILE"
    metrics = ("exact", "bleu", "chrf", "nll")
    supports_coverage = True

    def corpus(self, config: CorpusConfig, name: str) -> Captions:
        if len(config.files) > 1:
            raise ConfigError(
                "data.train: a captioning corpus is one file of image names and captions (--images "
                "captions.jsonl). To translate, choose a translation model."
            )
        captions = Captions(config.files[0], name=name, weight=config.weight)
        if config.columns is None:
            return captions
        image_key, caption_key = map(str, config.columns)
        return replace(captions, source=image_key, target=caption_key)

    def preparation(self, data: DataConfig) -> PreparationSettings:
        return replace(data.build(), fields=("image_name", "text"), limits=None)

    def check_extras(self, run: RunConfig) -> None:
        image_input = image_input_of(run)
        for file in dict.fromkeys(map(image_input.file, self._image_names(run.data))):
            storage.file_identity(file)

    def prepare_extras(
        self, run: RunConfig, prepared: PreparedData, on_progress: ProgressCallback
    ) -> None:
        """Prepare the images."""
        names = self._image_names(run.data)
        prepare_images(names, prepared.root, image_input_of(run), InProcessRunner(), on_progress)

    def _image_names(self, data: DataConfig) -> Iterator[str]:
        corpora = (*data.train, *data.valid)
        return (caption.image for config in corpora for caption in self.corpus(config, "").read())

    def make_module(
        self, run: RunConfig, prepared: PreparedData, tokenizer: Tokenizer
    ) -> CaptioningModule:
        if run.train.subword_alpha:
            raise ConfigError(
                "train.subword_alpha: subword sampling does not apply to captioning. Set it to 0."
            )
        if not run.data.valid:
            valid = _held_out_images(prepared)
        else:
            corpus = self.corpus(run.data.valid[0], "valid")
            valid = _read_images(corpus, tokenizer, run.data.max_length)
        images = ImageShards.open(prepared.root)
        return CaptioningModule(run, prepared, tokenizer, images, valid)

    def build_model(self, module: CaptioningModule) -> EncoderDecoder[Any, Any]:
        return build_captioning_model(module.run, module.tokenizer.size)

    def bundle_files(
        self, module: CaptioningModule, model: EncoderDecoder[Any, Any], outcome: TrainingOutcome
    ) -> dict[str, bytes]:
        head = choose_image_head(module.captioner(model), module.valid.named)
        settings = replace(module.settings, alignment_head=head)
        search = module.run.search
        card = card_files(
            module,
            model,
            outcome,
            pieces="its captions",
            search=f"beam {search.beam_size}, scores divided by length^{search.length_penalty:g}",
            alignment=None if head is None else _describe_head(head),
            score_notes={"nll": "mean −log p of a reference token given the tokens before it"},
            pipeline="image-to-text",
            call='caption(["photo.jpg"])[0].text',
            units=("captions", "", "pieces"),
            limitations=LIMITATIONS,
        )
        return {CAPTIONS: json.dumps(asdict(settings), indent=1).encode(), **card}

    def load(self, bundle: Bundle, engine: EngineName, device: str | None) -> Captioner:
        return captioner_from_bundle(bundle, device)

    def evaluate(self, bundle: Bundle, corpus: Corpus) -> Scores:
        assert isinstance(corpus, Captions)
        captions = [caption for caption in corpus.read() if caption.caption.strip()]
        references: dict[str, list[str]] = {}
        for caption in captions:
            references.setdefault(caption.image, []).append(caption.caption)
        results = captioner_from_bundle(bundle).caption(list(references))
        return score_captions(
            [result.text for result in results],
            [tuple(references[result.image]) for result in results],
        )


def choose_image_head(
    captioner: Captioner, named: Sequence[CaptionedImage]
) -> AlignmentHead | None:
    """Return the head that finds most of the objects that words name.

    Without annotated objects it is the last cross-attention layer; None if there is none.
    """
    layers = cross_attention_names(captioner.model)
    if not layers:
        return None
    if not named:
        return AlignmentHead(layers[-1], None, 0, null=False)
    scores = captioner.point(named[:MAX_POINTING_IMAGES])
    best = max(scores, key=lambda head: scores[head].hits)
    return replace(best, agreement=scores[best].hits)


def _describe_head(head: AlignmentHead) -> str:
    measured = f"; finds {head.agreement:.3f} of the named objects"
    return f"{head.summary}{measured if head.agreement else ''}"


def _read_images(corpus: Captions, tokenizer: Tokenizer, max_length: int) -> ValidationImages:
    captions = [caption for caption in corpus.read() if caption.caption.strip()]
    encoded = tokenizer.encode([caption.caption for caption in captions])
    short = [
        caption for caption, ids in zip(captions, encoded, strict=True) if len(ids) <= max_length
    ]
    images = validation_images(short, hash_texts([caption.image for caption in short]))
    return replace(images, too_long=len(captions) - len(short))


def _held_out_images(prepared: PreparedData) -> ValidationImages:
    """Return the captions that were held out from training, normalized."""
    captions: list[CaptionedImage] = []
    names: list[NDArray[np.uint64]] = []
    for shard in prepared.shards("valid"):
        opened = shard.open()
        names += (opened.pair(i)[0] for i in range(shard.pairs))
        captions += (CaptionedImage("", text) for text in shard.read_texts("target"))
    return validation_images(captions, from_ids(np.array(names).reshape(-1, 4)))


TASK = CaptioningTask()
