"""The front door of captioners: pictures in, sentences out, with where each word looked.

`regard.load("model/").caption(["photo.jpg"])` is the way from a file to a sentence. Training
validates by it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from regard.batch import Grids, Images
from regard.bundle.bundle import Bundle, unseal
from regard.data.batches.shards import LONGEST
from regard.data.captions import Captioned, Named
from regard.data.grids import Sight
from regard.data.images import encode_png
from regard.engine.engine import Decoding
from regard.errors import ArtefactError, CorpusError, SpecError
from regard.explain.align import Pointer, Text, has
from regard.explain.explain import explain
from regard.explain.pointing import Pointing, Regions, Seen, point
from regard.explain.record import Explanation, Identity, Picture
from regard.explain.reread import Reading, reread_regions
from regard.explain.tree import Beam, grow
from regard.models import EncoderDecoder, at_rest
from regard.search import Hypothesis, beam, greedy
from regard.spec.model import Sizes
from regard.spec.run import Run
from regard.tasks.sealed import identity_of, sealed_model, sealed_run, sealed_tokenizer
from regard.text.tokenizer import BOS, EOS, Tokenizer

TOGETHER = 64  # pictures that are read at once: some 40 MB of 224 × 224
MORE = 10  # pieces that a caption may have beyond the longest that was taught

CAPTIONS = "captions.json"
"""What a captioner knows of itself."""


@dataclass(frozen=True, slots=True)
class Known:
    longest: int  # pieces of a caption it was taught with
    pointer: Pointer | None = None  # the look that points at what a word names, where it looks


@dataclass(frozen=True, slots=True)
class Caption:
    image: str
    text: str
    score: float  # Σ log p / length^alpha: what captions of a picture are ranked by
    pieces: tuple[str, ...]
    logps: tuple[float, ...]  # of each piece, and of the end where it was reached
    alternatives: tuple[Caption, ...] = ()  # the next best, where they were asked for

    def __str__(self) -> str:
        return self.text


class Captioner:
    """A model, what it sees of a picture, its text pipeline, and what it knows of itself."""

    def __init__(
        self,
        model: EncoderDecoder[Any, Any],
        tokenizer: Tokenizer,
        sight: Sight,
        grid: tuple[int, int],  # rows and columns of regions
        known: Known,
        how: Decoding,
        identity: Identity | None = None,
    ) -> None:
        self.model, self.tokenizer, self.sight, self.grid = model, tokenizer, sight, grid
        self.known, self.how = known, how
        self.identity = identity or Identity("a model that was not sealed")

    def caption(
        self, images: Sequence[str | Path], how: Decoding | None = None, *, best: int = 1
    ) -> list[Caption]:
        """Describe each picture: PNG, JPEG or WebP files, or where the model reads grids, those.

        `how`: by default as the model was sealed. `best` asks for so many captions of each, the
        next ones as its alternatives.
        """
        if isinstance(images, str):
            raise CorpusError("images: is one string; give a list of files")
        names = [str(image) for image in images]
        found = [each for some in self._looks(names) for each in self.say(some, how)]
        return [
            self._caption(name, hypotheses[: max(1, best)])
            for name, hypotheses in zip(names, found, strict=True)
        ]

    @torch.inference_mode()
    def say(self, source: Images | Grids, how: Decoding | None = None) -> list[list[Hypothesis]]:
        """For each picture that was read, the best hypotheses, best first."""
        how, device = how or self.how, next(self.model.parameters()).device
        if how.draw is not None:
            raise SpecError("draw: captions are searched by a beam; leave it out")
        with at_rest(self.model):
            state = self.model.start(source.to(device))
            ends: dict[str, Any] = {
                "rows": source.rows,
                "bos": BOS,
                "eos": EOS,
                "limit": self.known.longest + MORE,
                "device": device,
            }
            if how.width == 1:
                return [[one] for one in greedy(self.model.step, state, **ends)]
            return beam(self.model.step, state, width=how.width, alpha=how.alpha, **ends)

    def reread(self, images: Sequence[str | Path], captions: Sequence[str]) -> list[Reading]:
        """How likely each piece of a caption was, the model's own or not, and where it looked."""
        names = [str(image) for image in images]
        ids = self.tokenizer.encode(captions)
        found: list[Reading] = []
        for some in self._looks(names):
            found += reread_regions(self.model, some, ids[len(found) : len(found) + some.rows])
        return found

    def explain(
        self,
        image: str | Path,
        caption: str | None = None,
        *,
        look: str | None = None,
        head: int | None = None,
    ) -> Explanation:
        """All that the model did while it described a picture: a record to look at.

        With a `caption`, as if it had said that. `look` and `head` choose what can be walked
        through with every number; by default the look that points at what words name.
        """
        seen = self.sight.read(str(image))
        source = to_source(seen[None]).to(next(self.model.parameters()).device)
        if caption is None:
            said, tree = self._searched(source)
        else:
            said, tree = Text.read(self.tokenizer, caption), None
        shown = self.sight.shown(seen)
        height, width = shown.shape[:2]
        explanation = explain(
            self.model,
            self.tokenizer,
            self.identity,
            Picture(*self.grid, width, height, encode_png(shown)),
            said,
            source,
            engine="torch" if caption is None else None,
            search=self.how.in_words,
            pointer=self.known.pointer,
            look=look,
            head=head,
        )
        return replace(explanation, beam=tree)

    def _searched(self, source: Images | Grids) -> tuple[Text, Beam | None]:
        how = self.how
        if how.width == 1:
            return Text.spelt(self.tokenizer, self.say(source)[0][0].tokens), None
        limit = self.known.longest + MORE
        found, tree = grow(self.model, source, width=how.width, alpha=how.alpha, limit=limit)
        return Text.spelt(self.tokenizer, found[0].tokens), tree

    def point(self, captions: Sequence[Captioned]) -> dict[Pointer, Pointing]:
        """How well each look points at what words name, where captions say where that is."""
        told = [one for one in captions if one.objects]
        readings = self.reread([one.image for one in told], [one.caption for one in told])
        seen = [
            Seen(reading, self.tokenizer.pieces(one.caption).spans, self._framed(one))
            for one, reading in zip(told, readings, strict=True)
        ]
        return point(seen, Regions(*self.grid, *self.sight.size))

    def _framed(self, one: Captioned) -> tuple[Named, ...]:
        """Where the things are in the frame that the picture was put into."""
        at = self.sight.framed(one.image)
        return tuple(Named(o.span, tuple(at.place(box) for box in o.boxes)) for o in one.objects)

    def _looks(self, names: Sequence[str]) -> Iterator[Images | Grids]:
        for start in range(0, len(names), TOGETHER):
            some = [self.sight.read(name) for name in names[start : start + TOGETHER]]
            yield to_source(np.stack(some))

    def _caption(self, image: str, hypotheses: Sequence[Hypothesis]) -> Caption:
        first, *others = [
            Caption(
                image,
                self.tokenizer.decode(one.tokens),
                one.score,
                tuple(map(self.tokenizer.piece, one.tokens)),
                one.logps,
            )
            for one in hypotheses
        ]
        return replace(first, alternatives=tuple(others))


def to_source(seen: NDArray[Any]) -> Images | Grids:
    """Pictures (uint8) or grids of features, a row each, as a model reads them."""
    tensor = torch.from_numpy(seen)
    if seen.dtype == np.uint8:
        return Images(tensor.permute(0, 3, 1, 2).float() / 255)
    return Grids(tensor.float())


def load(path: str | Path, *, device: str | None = None) -> Captioner:
    """Open a sealed captioner."""
    return captioner_in(unseal(Path(path)), device)


def captioner_in(bundle: Bundle, device: str | None = None) -> Captioner:
    run, tokenizer = sealed_run(bundle), sealed_tokenizer(bundle)
    model = sealed_model(bundle, lambda: build_model(run, tokenizer.size), device)
    known = bundle.value(CAPTIONS, Known)
    pointed = known.pointer is None or has(model, known.pointer)
    if not 0 < known.longest <= LONGEST or not pointed:
        raise ArtefactError(
            f"{bundle.path / CAPTIONS}: tells of captions or looks that the model cannot have; "
            "seal it again"
        )
    return captioner_of(run, model, tokenizer, known, identity_of(bundle, run, model))


def captioner_of(
    run: Run,
    model: EncoderDecoder[Any, Any],
    tokenizer: Tokenizer,
    known: Known,
    identity: Identity | None = None,
) -> Captioner:
    encoder = _encoder(run)
    how = Decoding(run.search.beam, run.search.alpha)
    return Captioner(model, tokenizer, encoder.sight(), encoder.grid, known, how, identity)


def build_model(run: Run, vocabulary: int) -> EncoderDecoder[Any, Any]:
    """The model of a run that describes pictures, as yet knowing nothing."""
    model = run.model
    if model.kind != "encoder-decoder" or model.reads != "images":
        raise SpecError("model: does not read pictures and say sentences; choose one that does")
    return model.build(Sizes(vocabulary, vocabulary))


def sight_of(run: Run) -> Sight:
    """What the model of a run sees of a picture."""
    sight: Sight = _encoder(run).sight()
    return sight


def _encoder(run: Run) -> Any:
    assert run.model.reads == "images"  # which only encoders of pictures do
    return run.model.encoder  # type: ignore[union-attr]
