"""Captioning with a trained model: `regard.load("model/").caption(["photo.jpg"])`.

Validation during training uses the same code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from regard.align.extraction import has_alignment_head
from regard.align.tokenized_text import AlignmentHead, TokenizedText
from regard.batch import Grids, Images
from regard.bundle.bundle import Bundle, bundle_tokenizer, open_bundle
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.data.formats.captions import CaptionedImage, NamedObject
from regard.data.formats.images import ImageInput, encode_png
from regard.data.loading.shards import MAX_TOKENS
from regard.errors import ArtifactError, ConfigError, CorpusError
from regard.explain.beam_tree import BeamTree, build_beam_tree
from regard.explain.pointing import PointingExample, PointingScores, Regions, score_pointing
from regard.explain.record import Explanation, ImageSource, ModelIdentity, make_explanation
from regard.hypothesis import Hypothesis
from regard.inference.engine import SearchOptions, cap_length
from regard.inference.forced_decoding import ForcedDecoding, force_decode_image
from regard.inference.torch_engine import search_states
from regard.models import EncoderDecoder, eval_mode
from regard.tasks.bundles import bundle_config, bundle_identity, bundle_model
from regard.text.tokenizer import Tokenizer

BATCH_SIZE = 64  # images: about 40 MB of 224 × 224 pixels
EXTRA_LENGTH = 10  # tokens that a caption may be longer than the longest training caption

CAPTIONS = "captions.json"
"""File of a model bundle with its `CaptionSettings`."""


@dataclass(frozen=True, slots=True)
class CaptionSettings:
    """What a captioner needs besides its config, measured during training."""

    max_length: int  # tokens of the longest training caption
    alignment_head: AlignmentHead | None = None  # attends to the object that a word names


@dataclass(frozen=True, slots=True)
class CaptionResult:
    """A caption of an image."""

    image: str
    text: str
    score: float  # Σ log p / length^α
    pieces: tuple[str, ...]
    logps: tuple[float, ...]  # log p of each piece, and of the end if it was reached
    alternatives: tuple[CaptionResult, ...] = ()  # the next best; () unless n_best > 1

    def __str__(self) -> str:
        return self.text


class Captioner:
    """Describes images.

    Args:
        image_input: reads image files as the model's input.
        grid: rows and columns of the encoder's output.
        settings: saved with the model.
        options: default beam size and length penalty.
        identity: description of the model in explanations.
    """

    def __init__(
        self,
        model: EncoderDecoder[Any, Any],
        tokenizer: Tokenizer,
        image_input: ImageInput,
        grid: tuple[int, int],
        settings: CaptionSettings,
        options: SearchOptions,
        identity: ModelIdentity | None = None,
    ) -> None:
        self.model, self.tokenizer = model, tokenizer
        self.image_input, self.grid = image_input, grid
        options.check_default()
        self.settings, self.options = settings, options
        self.identity = identity or ModelIdentity("unsaved model")

    def caption(
        self, images: Sequence[str | Path], options: SearchOptions | None = None, *, n_best: int = 1
    ) -> list[CaptionResult]:
        """Describe each image.

        Args:
            images: PNG, JPEG or WebP files, or feature grids if the model's encoder reads those.
            options: by default those saved with the model. With `sampling`, `n_best` captions are
                drawn; a draw depends on the seed and on the index of the image only.
            n_best: number of captions of each image; those after the first are its alternatives.
                A smaller beam size is raised to it.
        """
        if isinstance(images, str):
            raise CorpusError("images: expected a list of files, not a single string.")
        if n_best < 1:
            raise ConfigError(f"n_best: must be at least 1, not {n_best}.")
        options = options or self.options
        if options.sampling is None:
            options = replace(options, beam_size=max(options.beam_size, n_best))
        else:
            never = tuple((token,) for token in self.tokenizer.never_encoded)
            options = replace(options, beam_size=n_best, forbidden=options.forbidden + never)
        names = [str(image) for image in images]
        results: list[list[Hypothesis]] = []
        for batch in self._batches(names):
            results += self.search(batch, options, first=len(results))
        return [
            self._result(name, hypotheses[:n_best])
            for name, hypotheses in zip(names, results, strict=True)
        ]

    @property
    def max_length(self) -> int:
        """The most tokens that a caption may have, the end token counted."""
        max_length = self.settings.max_length + EXTRA_LENGTH
        return cap_length(max_length, self.model.decoder.max_positions)

    @torch.inference_mode()
    def search(
        self, source: Images | Grids, options: SearchOptions | None = None, *, first: int = 0
    ) -> list[list[Hypothesis]]:
        """Return the hypotheses of each image of a batch, best first.

        `first`: the index of the first image, which selects the random numbers of sampling.
        """
        options, device = options or self.options, next(self.model.parameters()).device
        if options.min_length >= self.max_length:
            raise ConfigError(
                f"min_length: {options.min_length} tokens are too many; this model's captions have "
                f"at most {self.max_length - 1}. Use fewer."
            )
        with eval_mode(self.model):
            return search_states(
                self.model.step,
                self.model.start(source.to(device)),
                options,
                positions=[(first + row, 0) for row in range(source.rows)],
                max_length=self.max_length,
                device=device,
            )

    def force_decode(
        self, images: Sequence[str | Path], captions: Sequence[str]
    ) -> list[ForcedDecoding]:
        """Return the log p and the attention weights of each token of given captions."""
        names = [str(image) for image in images]
        ids = self.tokenizer.encode(captions)
        decoded: list[ForcedDecoding] = []
        for batch in self._batches(names):
            targets = ids[len(decoded) : len(decoded) + batch.rows]
            decoded += force_decode_image(self.model, batch, targets)
        return decoded

    def explain(
        self,
        image: str | Path,
        caption: str | None = None,
        *,
        attention: str | None = None,
        head: int | None = None,
    ) -> Explanation:
        """Record the computation of a caption.

        Args:
            caption: the caption to explain; by default the one that the search finds.
            attention: the attention layer to trace in full; by default that of the alignment head.
            head: of that layer.
        """
        array = self.image_input.read(str(image))
        source = to_source(array[None]).to(next(self.model.parameters()).device)
        if caption is None:
            target, tree = self._search_tree(source)
        else:
            target, tree = TokenizedText.from_text(self.tokenizer, caption), None
        pixels = self.image_input.to_display(array)
        height, width = pixels.shape[:2]
        explanation = make_explanation(
            self.model,
            self.tokenizer,
            self.identity,
            ImageSource(*self.grid, width, height, encode_png(pixels)),
            target,
            source,
            engine="torch" if caption is None else None,
            search=self.options.summary,
            alignment_head=self.settings.alignment_head,
            attention=attention,
            head=head,
        )
        return replace(explanation, beam=tree)

    def _search_tree(self, source: Images | Grids) -> tuple[TokenizedText, BeamTree | None]:
        options = self.options
        if options.beam_size == 1:
            return TokenizedText.from_tokens(self.tokenizer, self.search(source)[0][0].tokens), None
        hypotheses, tree = build_beam_tree(
            self.model,
            source,
            beam_size=options.beam_size,
            length_penalty=options.length_penalty,
            max_length=self.max_length,
        )
        return TokenizedText.from_tokens(self.tokenizer, hypotheses[0].tokens), tree

    def point(self, captions: Sequence[CaptionedImage]) -> dict[AlignmentHead, PointingScores]:
        """Score how well each attention head finds the objects that words name.

        Only captions with annotated objects are used.
        """
        annotated = [caption for caption in captions if caption.objects]
        decoded = self.force_decode(
            [caption.image for caption in annotated], [caption.caption for caption in annotated]
        )
        examples = [
            PointingExample(
                decoding, self.tokenizer.pieces(image.caption).spans, self._in_frame(image)
            )
            for image, decoding in zip(annotated, decoded, strict=True)
        ]
        return score_pointing(examples, Regions(*self.grid, *self.image_input.size))

    def _in_frame(self, image: CaptionedImage) -> tuple[NamedObject, ...]:
        """Return the objects with their boxes in the model's frame."""
        placement = self.image_input.placement_of(image.image)
        return tuple(
            NamedObject(named.span, tuple(placement.to_frame(box) for box in named.boxes))
            for named in image.objects
        )

    def _batches(self, names: Sequence[str]) -> Iterator[Images | Grids]:
        for start in range(0, len(names), BATCH_SIZE):
            arrays = [self.image_input.read(name) for name in names[start : start + BATCH_SIZE]]
            yield to_source(np.stack(arrays))

    def _result(self, image: str, hypotheses: Sequence[Hypothesis]) -> CaptionResult:
        first, *alternatives = [
            CaptionResult(
                image,
                self.tokenizer.decode(hypothesis.tokens),
                hypothesis.score,
                tuple(map(self.tokenizer.piece, hypothesis.tokens)),
                hypothesis.logps,
            )
            for hypothesis in hypotheses
        ]
        return replace(first, alternatives=tuple(alternatives))


def to_source(arrays: NDArray[Any]) -> Images | Grids:
    """Convert a batch of images (uint8) or of feature grids to the input of a model."""
    tensor = torch.from_numpy(arrays)
    if arrays.dtype == np.uint8:
        return Images(tensor.permute(0, 3, 1, 2).float() / 255)
    return Grids(tensor.float())


def load_captioner(path: str | Path, *, device: str | None = None) -> Captioner:
    """Load a captioning model bundle."""
    return captioner_from_bundle(open_bundle(Path(path)), device)


def captioner_from_bundle(bundle: Bundle, device: str | None = None) -> Captioner:
    """Load an open model bundle."""
    run, tokenizer = bundle_config(bundle, "captioning model"), bundle_tokenizer(bundle)
    model = bundle_model(bundle, lambda: build_captioning_model(run, tokenizer.size), device)
    settings = bundle.value(CAPTIONS, CaptionSettings)
    if not 0 < settings.max_length <= MAX_TOKENS:
        raise ArtifactError(
            f"{bundle.path / CAPTIONS}: max_length must be between 1 and {MAX_TOKENS:,}, not "
            f"{settings.max_length:,}. Train the model again."
        )
    head = settings.alignment_head
    if head is not None and not has_alignment_head(model, head):
        raise ArtifactError(
            f"{bundle.path / CAPTIONS}: the model does not have {head}. Train the model again."
        )
    return make_captioner(run, model, tokenizer, settings, bundle_identity(bundle, run, model))


def make_captioner(
    run: RunConfig,
    model: EncoderDecoder[Any, Any],
    tokenizer: Tokenizer,
    settings: CaptionSettings,
    identity: ModelIdentity | None = None,
) -> Captioner:
    """Return a captioner with the image input and the search options of a run."""
    encoder = _encoder(run)
    options = SearchOptions(run.search.beam_size, run.search.length_penalty)
    return Captioner(
        model, tokenizer, encoder.image_input(), encoder.grid, settings, options, identity
    )


def build_captioning_model(run: RunConfig, vocabulary: int) -> EncoderDecoder[Any, Any]:
    """Build the untrained model of a captioning run."""
    model = run.model
    if model.kind != "encoder-decoder" or model.reads != "images":
        raise ConfigError(
            f"model: kind {model.kind} reading {model.reads} is not a captioning model. Choose an "
            "encoder-decoder with an image encoder."
        )
    return model.build(VocabularySizes(vocabulary, vocabulary))


def image_input_of(run: RunConfig) -> ImageInput:
    """Return how the model of a run reads images."""
    image_input: ImageInput = _encoder(run).image_input()
    return image_input


def _encoder(run: RunConfig) -> Any:
    assert run.model.reads == "images"
    return run.model.encoder  # type: ignore[union-attr]
