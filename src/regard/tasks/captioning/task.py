"""The use of models that read pictures and say sentences: captioning."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from regard.align.extraction import AlignmentHead
from regard.bundle.bundle import Bundle
from regard.config.data import CorpusConfig, DataConfig
from regard.config.run import RunConfig
from regard.data.formats.captions import CaptionedImage, Captions
from regard.data.formats.corpus import Corpus
from regard.data.loading.image_shards import ImageShards, from_ids
from regard.data.loading.shards import PreparedData
from regard.data.preparation.dedupe import DedupeMode, hash_texts
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
    CaptionSettings,
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
from regard.text.tokenizer import SentencePiece
from regard.train.events import Scores
from regard.train.trainer import TrainingOutcome

KEYS = ("source", "target")
MOST_JUDGED = 200  # pictures to choose a look by
LIMITATIONS = (
    "Pictures unlike those that it was trained on: it was measured on pictures of the same kind.",
    "Telling what is not there: it says what is likely, and names things that it does not see.",
    "Explaining why it says something: attention shows where a model looked, not why.",
)


class CaptioningTask(Task[CaptioningModule]):
    options = "--images FILE"
    metrics = ("exact", "bleu", "chrf", "nll")
    supports_coverage = True

    def corpus(self, spec: CorpusConfig, name: str) -> Captions:
        if len(spec.files) > 1:
            raise ConfigError(
                "model: reads pictures; give it one file that names them and their captions "
                "(--images captions.jsonl), or choose a model that translates"
            )
        fields = (
            {} if spec.columns is None else dict(zip(KEYS, map(str, spec.columns), strict=True))
        )
        return Captions(spec.files[0], name=name, weight=spec.weight, **fields)

    def preparation(self, data: DataConfig) -> PreparationSettings:
        # names of pictures differ in digits, which near duplicates are compared without
        dedupe: DedupeMode = "none" if data.dedupe == "none" else "exact"
        return replace(data.build(), fields=("image_name", "text"), limits=None, dedupe=dedupe)

    def prepare_extras(self, run: RunConfig, out: str, tell: ProgressCallback) -> None:
        """The pictures themselves, beside the shards of their captions."""
        data = run.data
        specs = (*data.train, *([] if data.valid is None else [data.valid]))
        names = (one.image for spec in specs for one in self.corpus(spec, "").read())
        prepare_images(names, out, image_input_of(run), InProcessRunner(), tell)

    def make_module(
        self, run: RunConfig, prepared: PreparedData, tokenizer: SentencePiece
    ) -> CaptioningModule:
        if run.train.subword_alpha:
            raise ConfigError("train.subword_alpha: names of pictures cannot be cut anew; say 0")
        pictures, valid = ImageShards.open(prepared.root), run.data.valid
        if valid is None:
            validated = _held_out(prepared, tokenizer)
        else:
            validated = _shown(list(self.corpus(valid, "valid").read()))
        return CaptioningModule(run, prepared, tokenizer, pictures, validated)

    def build_model(self, task: CaptioningModule) -> EncoderDecoder[Any, Any]:
        return build_captioning_model(task.run, task.tokenizer.size)

    def bundle_files(
        self, task: CaptioningModule, model: EncoderDecoder[Any, Any], outcome: TrainingOutcome
    ) -> dict[str, bytes]:
        known = replace(
            task.known, alignment_head=choose_image_head(task.captioner(model), task.valid.named)
        )
        search = task.run.search
        card = card_files(
            task,
            model,
            outcome,
            pieces="its captions",
            search=f"beam {search.beam_size}, scores divided by length^{search.length_penalty:g}",
            alignment=_in_words(known),
            in_words={"nll": "mean −log p of a caption's token, having read those before it"},
            pipeline="image-to-text",
            call='caption(["photo.jpg"])[0].text',
            units=("captions", "", "pieces"),
            limitations=LIMITATIONS,
        )
        return {CAPTIONS: json.dumps(asdict(known), indent=1).encode(), **card}

    def load(self, bundle: Bundle, engine: EngineName, device: str | None) -> Captioner:
        return captioner_from_bundle(bundle, device)

    def evaluate(self, bundle: Bundle, corpus: Corpus) -> Scores:
        assert isinstance(corpus, Captions)
        captions = [one for one in corpus.read() if one.caption.strip()]
        outputs = captioner_from_bundle(bundle).caption(
            list(dict.fromkeys(one.image for one in captions))
        )
        said: dict[str, list[str]] = {}
        for one in captions:
            said.setdefault(one.image, []).append(one.caption)
        return score_captions(
            [one.text for one in outputs], [tuple(said[one.image]) for one in outputs]
        )


def choose_image_head(
    captioner: Captioner, named: Sequence[CaptionedImage]
) -> AlignmentHead | None:
    """The look that points best at what words name; where nobody said where that is, the last."""
    looks = cross_attention_names(captioner.model)
    if not looks:
        return None
    if not named:
        return AlignmentHead(looks[-1], None, 0, null=False)
    found = captioner.point(named[:MOST_JUDGED])
    best = max(found, key=lambda pointer: found[pointer].hits)
    return replace(best, agreement=found[best].hits)


def _in_words(known: CaptionSettings) -> str | None:
    pointer = known.alignment_head
    if pointer is None:
        return None
    measured = f"; on the box of {pointer.agreement:.3f} of things named"
    return f"{pointer.summary}{measured if pointer.agreement else ''}"


def _shown(captions: list[CaptionedImage]) -> ValidationImages:
    captions = [one for one in captions if one.caption.strip()]
    return validation_images(captions, hash_texts([one.image for one in captions]))


def _held_out(prepared: PreparedData, tokenizer: SentencePiece) -> ValidationImages:
    """The captions that were kept from training, as they were normalised."""
    captions, names = [], []
    for shard in prepared.shards("valid"):
        opened = shard.open()
        for i in range(shard.pairs):
            name, target = opened.pair(i)
            names.append(name)
            captions.append(CaptionedImage("", tokenizer.decode(target.tolist())))
    return validation_images(captions, from_ids(np.array(names).reshape(-1, 4)))


TASK = CaptioningTask()
