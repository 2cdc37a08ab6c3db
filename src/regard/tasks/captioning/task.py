"""The captioning task."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.align.alignment_head import AlignmentHead
from regard.bundle.bundle import Bundle
from regard.config.data import CorpusConfig, DataConfig
from regard.config.run import RunConfig
from regard.data import storage
from regard.data.formats.captions import CaptionedImage, Captions
from regard.data.formats.corpus import Corpus
from regard.data.loading.image_shards import ImageShards, from_ids
from regard.data.loading.shards import PreparedData
from regard.data.preparation.dedupe import hash_texts
from regard.data.preparation.prepare import PreparationSettings, ProgressCallback
from regard.data.preparation.prepare_images import prepare_images
from regard.data.preparation.runner import InProcessRunner
from regard.errors import ConfigError
from regard.inference.engine import EngineName
from regard.inference.forced_decoding import cross_attention_names
from regard.models import EncoderDecoder
from regard.tasks.base import Task
from regard.tasks.captioning.captioner import (
    CAPTIONS,
    Captioner,
    build_captioning_model,
    captioner_from_bundle,
    image_input_of,
)
from regard.tasks.captioning.module import (
    CaptioningModule,
    ValidationImages,
    score_captions,
    validation_images,
)
from regard.tasks.model_card import card_files
from regard.text.tokenizer import Tokenizer
from regard.train.events import Scores
from regard.train.trainer import TrainingOutcome

KEYS = ("source", "target")
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
        fields: dict[str, Any] = (
            {} if config.columns is None else dict(zip(KEYS, map(str, config.columns), strict=True))
        )
        return Captions(config.files[0], name=name, weight=config.weight, **fields)

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
