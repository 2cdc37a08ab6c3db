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

from regard.align.extraction import AlignmentHead, has_alignment_head
from regard.align.tokenized_text import TokenizedText
from regard.batch import Grids, Images
from regard.bundle.bundle import Bundle, open_bundle
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.data.formats.captions import CaptionedImage, NamedObject
from regard.data.formats.grids import ImageInput
from regard.data.formats.images import encode_png
from regard.data.loading.shards import MAX_TOKENS
from regard.errors import ArtifactError, ConfigError, CorpusError
from regard.explain.assemble import make_explanation
from regard.explain.beam_tree import BeamTree, build_beam_tree
from regard.explain.pointing import PointingExample, PointingScores, Regions, score_pointing
from regard.explain.record import Explanation, ImageSource, ModelIdentity
from regard.inference.engine import SearchOptions
from regard.inference.forced_decoding import ForcedDecoding, force_decode_image
from regard.models import EncoderDecoder, eval_mode
from regard.search import Hypothesis, beam, greedy
from regard.tasks.bundles import bundle_config, bundle_identity, bundle_model, bundle_tokenizer
from regard.text.tokenizer import BOS, EOS, Tokenizer

TOGETHER = 64  # pictures that are read at once: some 40 MB of 224 × 224
MORE = 10  # pieces that a caption may have beyond the longest that was taught

CAPTIONS = "captions.json"
"""What a captioner knows of itself."""


@dataclass(frozen=True, slots=True)
class CaptionSettings:
    max_length: int  # pieces of a caption it was taught with
    alignment_head: AlignmentHead | None = (
        None  # the look that points at what a word names, where it looks
    )


@dataclass(frozen=True, slots=True)
class CaptionResult:
    image: str
    text: str
    score: float  # Σ log p / length^alpha: what captions of a picture are ranked by
    pieces: tuple[str, ...]
    logps: tuple[float, ...]  # of each piece, and of the end where it was reached
    alternatives: tuple[CaptionResult, ...] = ()  # the next best, where they were asked for

    def __str__(self) -> str:
        return self.text


class Captioner:
    """A model, what it sees of a picture, its text pipeline, and what it knows of itself."""

    def __init__(
        self,
        model: EncoderDecoder[Any, Any],
        tokenizer: Tokenizer,
        sight: ImageInput,
        grid: tuple[int, int],  # rows and columns of regions
        known: CaptionSettings,
        options: SearchOptions,
        identity: ModelIdentity | None = None,
    ) -> None:
        self.model, self.tokenizer, self.image_input, self.grid = model, tokenizer, sight, grid
        self.known, self.options = known, options
        self.identity = identity or ModelIdentity("a model that was not sealed")

    def caption(
        self, images: Sequence[str | Path], options: SearchOptions | None = None, *, n_best: int = 1
    ) -> list[CaptionResult]:
        """Describe each picture: PNG, JPEG or WebP files, or where the model reads grids, those.

        `options`: by default as the model was sealed. `n_best` asks for so many captions of each, the
        next ones as its alternatives.
        """
        if isinstance(images, str):
            raise CorpusError("images: is one string; give a list of files")
        names = [str(image) for image in images]
        found = [each for some in self._looks(names) for each in self.search(some, options)]
        return [
            self._caption(name, hypotheses[: max(1, n_best)])
            for name, hypotheses in zip(names, found, strict=True)
        ]

    @torch.inference_mode()
    def search(
        self, source: Images | Grids, options: SearchOptions | None = None
    ) -> list[list[Hypothesis]]:
        """For each picture that was read, the best hypotheses, best first."""
        options, device = options or self.options, next(self.model.parameters()).device
        if options.sampling is not None:
            raise ConfigError("draw: captions are searched by a beam; leave it out")
        with eval_mode(self.model):
            state = self.model.start(source.to(device))
            ends: dict[str, Any] = {
                "rows": source.rows,
                "bos": BOS,
                "eos": EOS,
                "max_length": self.known.max_length + MORE,
                "device": device,
            }
            if options.beam_size == 1:
                return [[one] for one in greedy(self.model.step, state, **ends)]
            return beam(
                self.model.step,
                state,
                beam_size=options.beam_size,
                length_penalty=options.length_penalty,
                **ends,
            )

    def force_decode(
        self, images: Sequence[str | Path], captions: Sequence[str]
    ) -> list[ForcedDecoding]:
        """How likely each piece of a caption was, the model's own or not, and where it looked."""
        names = [str(image) for image in images]
        ids = self.tokenizer.encode(captions)
        found: list[ForcedDecoding] = []
        for some in self._looks(names):
            found += force_decode_image(self.model, some, ids[len(found) : len(found) + some.rows])
        return found

    def explain(
        self,
        image: str | Path,
        caption: str | None = None,
        *,
        attention: str | None = None,
        head: int | None = None,
    ) -> Explanation:
        """All that the model did while it described a picture: a record to look at.

        With a `caption`, as if it had said that. `attention` and `head` choose what can be walked
        through with every number; by default the look that points at what words name.
        """
        seen = self.image_input.read(str(image))
        source = to_source(seen[None]).to(next(self.model.parameters()).device)
        if caption is None:
            said, tree = self._searched(source)
        else:
            said, tree = TokenizedText.from_text(self.tokenizer, caption), None
        shown = self.image_input.shown(seen)
        height, width = shown.shape[:2]
        explanation = make_explanation(
            self.model,
            self.tokenizer,
            self.identity,
            ImageSource(*self.grid, width, height, encode_png(shown)),
            said,
            source,
            engine="torch" if caption is None else None,
            search=self.options.summary,
            alignment_head=self.known.alignment_head,
            attention=attention,
            head=head,
        )
        return replace(explanation, beam=tree)

    def _searched(self, source: Images | Grids) -> tuple[TokenizedText, BeamTree | None]:
        options = self.options
        if options.beam_size == 1:
            return TokenizedText.from_tokens(self.tokenizer, self.search(source)[0][0].tokens), None
        limit = self.known.max_length + MORE
        found, tree = build_beam_tree(
            self.model,
            source,
            beam_size=options.beam_size,
            length_penalty=options.length_penalty,
            max_length=limit,
        )
        return TokenizedText.from_tokens(self.tokenizer, found[0].tokens), tree

    def point(self, captions: Sequence[CaptionedImage]) -> dict[AlignmentHead, PointingScores]:
        """How well each look points at what words name, where captions say where that is."""
        told = [one for one in captions if one.objects]
        readings = self.force_decode([one.image for one in told], [one.caption for one in told])
        seen = [
            PointingExample(reading, self.tokenizer.pieces(one.caption).spans, self._framed(one))
            for one, reading in zip(told, readings, strict=True)
        ]
        return score_pointing(seen, Regions(*self.grid, *self.image_input.size))

    def _framed(self, one: CaptionedImage) -> tuple[NamedObject, ...]:
        """Where the things are in the frame that the picture was put into."""
        at = self.image_input.framed(one.image)
        return tuple(
            NamedObject(o.span, tuple(at.place(box) for box in o.boxes)) for o in one.objects
        )

    def _looks(self, names: Sequence[str]) -> Iterator[Images | Grids]:
        for start in range(0, len(names), TOGETHER):
            some = [self.image_input.read(name) for name in names[start : start + TOGETHER]]
            yield to_source(np.stack(some))

    def _caption(self, image: str, hypotheses: Sequence[Hypothesis]) -> CaptionResult:
        first, *others = [
            CaptionResult(
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


def load_captioner(path: str | Path, *, device: str | None = None) -> Captioner:
    """Open a sealed captioner."""
    return captioner_from_bundle(open_bundle(Path(path)), device)


def captioner_from_bundle(bundle: Bundle, device: str | None = None) -> Captioner:
    run, tokenizer = bundle_config(bundle), bundle_tokenizer(bundle)
    model = bundle_model(bundle, lambda: build_captioning_model(run, tokenizer.size), device)
    known = bundle.value(CAPTIONS, CaptionSettings)
    pointed = known.alignment_head is None or has_alignment_head(model, known.alignment_head)
    if not 0 < known.max_length <= MAX_TOKENS or not pointed:
        raise ArtifactError(
            f"{bundle.path / CAPTIONS}: tells of captions or looks that the model cannot have; "
            "seal it again"
        )
    return make_captioner(run, model, tokenizer, known, bundle_identity(bundle, run, model))


def make_captioner(
    run: RunConfig,
    model: EncoderDecoder[Any, Any],
    tokenizer: Tokenizer,
    known: CaptionSettings,
    identity: ModelIdentity | None = None,
) -> Captioner:
    encoder = _encoder(run)
    how = SearchOptions(run.search.beam_size, run.search.length_penalty)
    return Captioner(model, tokenizer, encoder.sight(), encoder.grid, known, how, identity)


def build_captioning_model(run: RunConfig, vocabulary: int) -> EncoderDecoder[Any, Any]:
    """The model of a run that describes pictures, as yet knowing nothing."""
    model = run.model
    if model.kind != "encoder-decoder" or model.reads != "images":
        raise ConfigError("model: does not read pictures and say sentences; choose one that does")
    return model.build(VocabularySizes(vocabulary, vocabulary))


def image_input_of(run: RunConfig) -> ImageInput:
    """What the model of a run sees of a picture."""
    sight: ImageInput = _encoder(run).sight()
    return sight


def _encoder(run: RunConfig) -> Any:
    assert run.model.reads == "images"  # which only encoders of pictures do
    return run.model.encoder  # type: ignore[union-attr]
