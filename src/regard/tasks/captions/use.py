"""The use of models that read pictures and say sentences: captioning."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from regard.bundle.bundle import Bundle
from regard.data.batches.pictures import Pictures, from_ids
from regard.data.batches.shards import Prepared
from regard.data.captions import Captioned, Captions
from regard.data.corpus import Corpus
from regard.data.preparation.dedupe import Sameness, hash_texts
from regard.data.preparation.pictures import prepare_pictures
from regard.data.preparation.prepare import Settings, Tell
from regard.data.preparation.runner import InProcess
from regard.engine.engine import EngineName
from regard.errors import SpecError
from regard.explain.align import Pointer
from regard.explain.reread import looks_at_source
from regard.models import EncoderDecoder
from regard.spec.data import CorpusSpec, DataSpec
from regard.spec.run import Run
from regard.tasks.captions.captioner import (
    CAPTIONS,
    Captioner,
    Known,
    build_model,
    captioner_in,
    sight_of,
)
from regard.tasks.captions.task import Captioning, Shown, scored, shown
from regard.tasks.card import told
from regard.tasks.use import Use
from regard.text.tokenizer import SentencePiece
from regard.train.report import Scores
from regard.train.trainer import Outcome

KEYS = ("source", "target")
MOST_JUDGED = 200  # pictures to choose a look by
NOT_FOR = (
    "Pictures unlike those that it was trained on: it was measured on pictures of the same kind.",
    "Telling what is not there: it says what is likely, and names things that it does not see.",
    "Explaining why it says something: attention shows where a model looked, not why.",
)


class Describing(Use[Captioning]):
    options = "--images FILE"
    metrics = ("exact", "bleu", "chrf", "nll")
    covers = True

    def corpus(self, spec: CorpusSpec, name: str) -> Captions:
        if len(spec.files) > 1:
            raise SpecError(
                "model: reads pictures; give it one file that names them and their captions "
                "(--images captions.jsonl), or choose a model that translates"
            )
        fields = {} if spec.sides is None else dict(zip(KEYS, map(str, spec.sides), strict=True))
        return Captions(spec.files[0], name=name, weight=spec.weight, **fields)

    def settings(self, data: DataSpec) -> Settings:
        # names of pictures differ in digits, which near duplicates are compared without
        dedupe: Sameness = "none" if data.dedupe == "none" else "exact"
        return replace(data.build(), sides=("name", "text"), limits=None, dedupe=dedupe)

    def accompany(self, run: Run, out: str, tell: Tell) -> None:
        """The pictures themselves, beside the shards of their captions."""
        data = run.data
        specs = (*data.train, *([] if data.valid is None else [data.valid]))
        names = (one.image for spec in specs for one in self.corpus(spec, "").read())
        prepare_pictures(names, out, sight_of(run), InProcess(), tell)

    def begin(self, run: Run, prepared: Prepared, tokenizer: SentencePiece) -> Captioning:
        if run.train.sampling:
            raise SpecError("train.sampling: names of pictures cannot be cut anew; say 0")
        pictures, valid = Pictures.open(prepared.root), run.data.valid
        if valid is None:
            validated = _held_out(prepared, tokenizer)
        else:
            validated = _shown(list(self.corpus(valid, "valid").read()))
        return Captioning(run, prepared, tokenizer, pictures, validated)

    def build(self, task: Captioning) -> EncoderDecoder[Any, Any]:
        return build_model(task.run, task.tokenizer.size)

    def tell(
        self, task: Captioning, model: EncoderDecoder[Any, Any], outcome: Outcome
    ) -> dict[str, bytes]:
        known = replace(task.known, pointer=choose(task.captioner(model), task.valid.named))
        search = task.run.search
        card = told(
            task,
            model,
            outcome,
            pieces="its captions",
            search=f"beam {search.beam}, scores divided by length^{search.alpha:g}",
            alignment=_in_words(known),
            in_words={"nll": "mean −log p of a caption's token, having read those before it"},
            pipeline="image-to-text",
            call='caption(["photo.jpg"])[0].text',
            units=("captions", "", "pieces"),
            not_for=NOT_FOR,
        )
        return {CAPTIONS: json.dumps(asdict(known), indent=1).encode(), **card}

    def load(self, bundle: Bundle, engine: EngineName, device: str | None) -> Captioner:
        return captioner_in(bundle, device)

    def measure(self, bundle: Bundle, corpus: Corpus) -> Scores:
        assert isinstance(corpus, Captions)
        captions = [one for one in corpus.read() if one.caption.strip()]
        outputs = captioner_in(bundle).caption(list(dict.fromkeys(one.image for one in captions)))
        said: dict[str, list[str]] = {}
        for one in captions:
            said.setdefault(one.image, []).append(one.caption)
        return scored([one.text for one in outputs], [tuple(said[one.image]) for one in outputs])


def choose(captioner: Captioner, named: Sequence[Captioned]) -> Pointer | None:
    """The look that points best at what words name; where nobody said where that is, the last."""
    looks = looks_at_source(captioner.model)
    if not looks:
        return None
    if not named:
        return Pointer(looks[-1], None, 0, null=False)
    found = captioner.point(named[:MOST_JUDGED])
    best = max(found, key=lambda pointer: found[pointer].hits)
    return replace(best, agreement=found[best].hits)


def _in_words(known: Known) -> str | None:
    pointer = known.pointer
    if pointer is None:
        return None
    measured = f"; on the box of {pointer.agreement:.3f} of things named"
    return f"{pointer.in_words}{measured if pointer.agreement else ''}"


def _shown(captions: list[Captioned]) -> Shown:
    captions = [one for one in captions if one.caption.strip()]
    return shown(captions, hash_texts([one.image for one in captions]))


def _held_out(prepared: Prepared, tokenizer: SentencePiece) -> Shown:
    """The captions that were kept from training, as they were normalised."""
    captions, names = [], []
    for shard in prepared.shards("valid"):
        opened = shard.open()
        for i in range(shard.pairs):
            name, target = opened.pair(i)
            names.append(name)
            captions.append(Captioned("", tokenizer.decode(target.tolist())))
    return shown(captions, from_ids(np.array(names).reshape(-1, 4)))


USE = Describing()
