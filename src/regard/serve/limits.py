"""Check a request against the limits, and split its texts.

The limits are checked in the order of their cost: texts, characters, options, then pieces.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from regard.errors import RegardError
from regard.inference.engine import EncodedPart, split_texts
from regard.serve.models import ServedModel
from regard.serve.schemas import TranslateRequest
from regard.serve.settings import ServerSettings
from regard.text.normalize import compose
from regard.text.tokenizer import Span

OFF_LOOP = 2_000  # characters above which texts are tokenized in a thread: it takes milliseconds


class RequestError(RegardError):
    """A request that cannot be fulfilled as it is.

    Args:
        message: What is wrong and what to do.
        status: HTTP status of the answer.
        retry_after: Seconds after which the same request may succeed.
    """

    def __init__(self, message: str, status: int = 422, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after


@dataclass(frozen=True, slots=True)
class RequestSegment:
    """A segment of a text, which is translated by itself."""

    position: tuple[int, int]  # number of its text in the request, and its own in the text
    span: Span  # characters of the text
    text: str
    pieces: int
    prefix: str  # what its translation begins with


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """A request within the limits, with the segments of each text."""

    request: TranslateRequest
    model: ServedModel
    texts: list[list[RequestSegment]]
    beam_size: int
    to: str | None  # target language, of a model with several
    stages: dict[str, tuple[float, float]] = field(default_factory=dict)  # start and end of each

    @property
    def pieces(self) -> int:
        return sum(segment.pieces for segments in self.texts for segment in segments)

    @property
    def cost(self) -> int:
        return sum(self.segment_cost(segment) for segments in self.texts for segment in segments)

    @property
    def length_penalty(self) -> float:
        penalty = self.request.length_penalty
        return self.model.length_penalty if penalty is None else penalty

    def segment_cost(self, segment: RequestSegment) -> int:
        return self.beam_size * (segment.pieces + 1)


async def check_request(
    request: TranslateRequest, model: ServedModel, settings: ServerSettings
) -> CheckedRequest:
    """Check a request and split its texts.

    Raises:
        RequestError: A limit is exceeded, or an option is invalid.
        NoModelError: The model has several target languages, and the request names none of them.
    """
    check_texts("texts", request.texts, settings)
    prefixes = _prefixes(request)
    check_texts("prefix, forbid", [*prefixes, *request.forbid], settings)
    _check_options(request, model, settings)
    beam_size = max(request.beam_size or model.beam_size, request.n_best)

    to = model.choose_target(request.target_language)
    tokenizer = model.source_tokenizer(to)

    def split() -> list[list[RequestSegment]]:
        encoded = tokenizer.encode(request.texts)
        _check_cost(encoded, beam_size, settings)
        given = [prefix for prefix in set(prefixes) if prefix]
        _check_prefixes(model.target_tokenizer.encode(given), model)
        parts = split_texts(tokenizer, model.splitting, request.texts, encoded)
        return _segments(request.texts, prefixes, parts)

    off_loop = sum(map(len, (*request.texts, *set(prefixes)))) > OFF_LOOP
    texts = await asyncio.to_thread(split) if off_loop else split()
    return CheckedRequest(request, model, texts, beam_size, to)


def _check_cost(encoded: Sequence[list[int]], beam_size: int, settings: ServerSettings) -> None:
    pieces = sum(map(len, encoded))
    cost = beam_size * (pieces + len(encoded))
    if cost > settings.max_cost:
        raise RequestError(
            f"texts: {pieces:,} pieces with a beam size of {beam_size} cost {cost:,}; the limit "
            f"is {settings.max_cost:,}. Send fewer texts at once, or use a smaller beam.",
            413,
        )


def _check_prefixes(encoded: Sequence[list[int]], model: ServedModel) -> None:
    """Raise RequestError if a prefix is longer than a segment can be."""
    pieces = max(map(len, encoded), default=0)
    if pieces > model.splitting.max_length:
        raise RequestError(
            f"prefix: has {pieces:,} pieces, and the limit of this model is "
            f"{model.splitting.max_length:,}. Use a shorter one.",
            413,
        )


def check_texts(name: str, texts: Sequence[str], settings: ServerSettings) -> None:
    """Raise RequestError if there are too many texts or characters."""
    if len(texts) > settings.max_texts:
        raise RequestError(
            f"{name}: there are {len(texts):,}, and the limit is {settings.max_texts:,}. "
            "Send several requests.",
            413,
        )
    characters = sum(len(compose(text, "NFKC")) for text in texts)
    if characters > settings.max_characters:
        raise RequestError(
            f"{name}: {characters:,} characters after NFKC, and the limit is "
            f"{settings.max_characters:,}. Send several requests.",
            413,
        )


def _prefixes(request: TranslateRequest) -> list[str]:
    prefix, texts = request.prefix or "", len(request.texts)
    prefixes = [prefix] * texts if isinstance(prefix, str) else prefix
    if len(prefixes) != texts:
        raise RequestError(
            f"prefix: there are {len(prefixes)} for {texts} texts. "
            "Pass one string for all texts or one for each."
        )
    return prefixes


def _check_options(request: TranslateRequest, model: ServedModel, settings: ServerSettings) -> None:
    for name, value in (("beam_size", request.beam_size or 1), ("n_best", request.n_best)):
        if value > settings.max_beam_size:
            raise RequestError(f"{name}: must be at most {settings.max_beam_size}, not {value}.")
    if request.alignments and not model.aligns:
        raise RequestError(f"alignments: the model {model.name} cannot align words.")
    if request.quality and not model.assesses_quality:
        raise RequestError(f"quality: the model {model.name} has no calibration.")


def _segments(
    texts: Sequence[str], prefixes: Sequence[str], parts: Sequence[Sequence[EncodedPart]]
) -> list[list[RequestSegment]]:
    return [
        [
            RequestSegment(
                (number, segment),
                span,
                text[slice(*span)],
                len(ids),
                "" if segment else prefix,
            )
            for segment, (span, ids) in enumerate(of_text)
        ]
        for number, (text, prefix, of_text) in enumerate(zip(texts, prefixes, parts, strict=True))
    ]
