"""Translations with scores, links and warnings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from regard.align.tokenized_text import AlignmentHead, TokenizedText
from regard.align.word_aligner import WordAligner
from regard.align.word_alignment import WordAlignment, align_texts, concatenate_alignments
from regard.errors import ArtifactError
from regard.evaluate.quality import QualityReport, QualityThresholds, assess_quality, worst_report
from regard.hypothesis import Hypothesis
from regard.inference.engine import Segment, join_segments
from regard.tasks.translation.options import AlignWith, TranslateOptions
from regard.text.tokenizer import Span, Tokenizer

if TYPE_CHECKING:
    from regard.batch import Tokens
    from regard.models import EncoderDecoder

H = TypeVar("H")


@dataclass(frozen=True, slots=True)
class TranslatedSegment:
    """A part of the source that was translated by itself: all of it, unless it is long."""

    span: Span  # characters of the source
    target_span: Span  # characters of the translation
    text: str
    tokens: tuple[int, ...]  # without special tokens
    pieces: tuple[str, ...]  # of the tokens
    logps: tuple[float, ...]  # of each token, and of the end if it was reached; () if unknown
    length: int  # number of tokens, with the end if it was reached


@dataclass(frozen=True, slots=True)
class TranslationResult:
    """The best translation of a text."""

    source: str
    text: str
    score: float  # Σ log p / length^length_penalty
    segments: tuple[TranslatedSegment, ...]
    n_best: tuple[TranslationResult, ...] = ()  # all n, best first; () unless n_best > 1
    alignment: WordAlignment | None = None  # if requested
    quality: QualityReport | None = None  # if requested

    @property
    def logps(self) -> tuple[float, ...]:
        return tuple(logp for segment in self.segments for logp in segment.logps)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Reasons to check the translation; () if there are none or `quality` was not requested."""
        if self.quality is None or not self.quality.needs_review:
            return ()
        return describe_warnings(self.source, self.quality.reasons, self.quality.unattended)

    def __str__(self) -> str:
        return self.text


def ranked_results(
    tokenizer: Tokenizer, text: str, segments: list[Segment], n_best: int, length_penalty: float
) -> list[TranslationResult]:
    """Return the `n_best` translations of a text from the hypotheses of its segments.

    `tokenizer`: of the target.
    """
    ranks = rank_hypotheses([segment.hypotheses for segment in segments], n_best)
    return [_result(tokenizer, text, segments, chosen, length_penalty) for chosen in ranks]


def rank_hypotheses(hypotheses: Sequence[Sequence[H]], n_best: int) -> list[list[H]]:
    """Return the hypotheses of the segments of each of the `n_best` translations of a text.

    `hypotheses`: of each segment, best first. One with fewer than others repeats its last.
    """
    available = max(map(len, hypotheses), default=1)
    return [
        [of_segment[min(rank, len(of_segment) - 1)] for of_segment in hypotheses]
        for rank in range(min(n_best, available))
    ]


def _result(
    tokenizer: Tokenizer,
    text: str,
    segments: list[Segment],
    chosen: list[Hypothesis],
    length_penalty: float,
) -> TranslationResult:
    texts = [tokenizer.decode(hypothesis.tokens) for hypothesis in chosen]
    joined, spans = join_segments(text, [segment.span for segment in segments], texts)
    translated = tuple(
        TranslatedSegment(
            segment.span,
            target_span,
            translation,
            hypothesis.tokens,
            tuple(map(tokenizer.piece, hypothesis.tokens)),
            hypothesis.logps,
            hypothesis.length,
        )
        for segment, target_span, translation, hypothesis in zip(
            segments, spans, texts, chosen, strict=True
        )
    )
    scores, lengths = (
        [hypothesis.score for hypothesis in chosen],
        [hypothesis.length for hypothesis in chosen],
    )
    return TranslationResult(
        text, joined, combine_scores(scores, lengths, length_penalty), translated
    )


def combine_scores(scores: Sequence[float], lengths: Sequence[int], length_penalty: float) -> float:
    """Return the score of a text from the scores and lengths in tokens of its segments."""
    logp = sum(
        score * length**length_penalty for score, length in zip(scores, lengths, strict=True)
    )
    return logp / max(1, sum(lengths)) ** length_penalty


def describe_warnings(
    source: str, reasons: Sequence[str], unattended: Sequence[Span]
) -> tuple[str, ...]:
    """Return the warnings of a translation in sentences."""
    sentences = tuple(f"Check the translation: {reason}." for reason in reasons)
    if not unattended:
        return sentences
    words = " ".join(source[start:end] for start, end in unattended)
    return (*sentences, f"Source words without a counterpart: {words}.")


# -- annotations of translations -------------------------------------------------------------------
# Word alignments and quality reports.
#
# Free of torch, except where the attention or the probabilities of the model are computed.


TextPair: TypeAlias = tuple[TokenizedText, TokenizedText]


def tokenize_pairs(
    tokenizers: tuple[Tokenizer, Tokenizer],
    sources: Sequence[str],
    targets: Sequence[str],
    pretokenized: bool = False,
) -> list[TextPair]:
    """Tokenize pairs of texts. If `pretokenized`, words are split at spaces only."""
    source_texts, target_texts = (
        [TokenizedText.from_text(tokenizer, text, pretokenized=pretokenized) for text in texts]
        for tokenizer, texts in zip(tokenizers, (sources, targets), strict=True)
    )
    return list(zip(source_texts, target_texts, strict=True))


ForcedPair: TypeAlias = tuple[WordAlignment, tuple[float, ...]]
"""An alignment and the log-probabilities of the target's tokens."""


@dataclass(frozen=True, slots=True)
class Annotator:
    """Aligns and assesses translations with the parts of a bundle."""

    model: Callable[[], EncoderDecoder[Tokens, Any]]  # called only where the model is needed
    tokenizer: Tokenizer  # of the source
    target_tokenizer: Tokenizer
    aligner: WordAligner | None
    alignment_head: AlignmentHead | None
    thresholds: QualityThresholds | None

    def check(self, options: TranslateOptions) -> None:
        """Raise ArtifactError if the bundle lacks what the annotations need."""
        if options.alignments or options.quality:
            self._aligns_by(options.align_with if options.alignments else None)
        if options.quality and self.thresholds is None:
            raise ArtifactError(
                "The model has no calibration data, so quality checks (--check) are unavailable. "
                "Train it again with `regard train`."
            )

    def annotate(
        self, results: list[TranslationResult], options: TranslateOptions
    ) -> list[TranslationResult]:
        alignments, quality = options.alignments, options.quality
        pairs = self.segment_pairs(results) if alignments or quality else []
        aligned = iter(self.align(pairs, options.align_with) if alignments else [])
        forced = iter(self.force(pairs) if quality else [])
        annotated = []
        for result in results:
            if alignments and result.segments:
                parts = [
                    (segment.span, segment.target_span, next(aligned))
                    for segment in result.segments
                ]
                alignment = concatenate_alignments(result.source, result.text, parts)
                result = replace(result, alignment=alignment)
            if quality and result.segments and self.thresholds is not None:
                reports = [
                    (segment.span[0], assess_quality(self.thresholds, *next(forced)))
                    for segment in result.segments
                ]
                result = replace(result, quality=worst_report(reports))
            annotated.append(result)
        return annotated

    def segment_pairs(self, results: Sequence[TranslationResult]) -> list[TextPair]:
        """The segments of results, with the tokens that the search found.

        `encode` may not reproduce these.
        """
        return [
            (
                TokenizedText.from_text(self.tokenizer, result.source[slice(*segment.span)]),
                TokenizedText.from_tokens(self.target_tokenizer, segment.tokens),
            )
            for result in results
            for segment in result.segments
        ]

    def align(self, pairs: list[TextPair], align_with: AlignWith | None) -> list[WordAlignment]:
        chosen = self._aligns_by(align_with)
        if isinstance(chosen, WordAligner):
            return align_texts(chosen, pairs)
        from regard.align.extraction import align_words, force_texts

        forced = force_texts(self.model(), pairs, [chosen.attention])
        return [
            align_words(chosen, *pair, decoding)
            for pair, decoding in zip(pairs, forced, strict=True)
        ]

    def force(self, pairs: list[TextPair]) -> list[ForcedPair]:
        """Align pairs and force-decode their targets."""
        from regard.align.extraction import force_texts

        alignments = self.align(pairs, None)
        forced = force_texts(self.model(), pairs, [], with_logps=True)
        return [
            (alignment, decoding.logps)
            for alignment, decoding in zip(alignments, forced, strict=True)
        ]

    def _aligns_by(self, align_with: AlignWith | None) -> WordAligner | AlignmentHead:
        if self.aligner is not None and align_with != "attention":
            return self.aligner
        if align_with == "aligner":
            raise ArtifactError(
                "The bundle has no word aligner. Train the model again with `regard train`, or "
                "align with the attention."
            )
        if self.alignment_head is None:
            raise ArtifactError(
                "The model has no alignment head: it has no attention over the source, or was "
                "trained without a word aligner to choose the head by (data.aligner). Use another "
                "model."
            )
        return self.alignment_head
