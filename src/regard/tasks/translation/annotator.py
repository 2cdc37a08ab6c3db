"""Annotations of translations: word alignments and quality reports.

Free of torch, except where the attention or the probabilities of the model are computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from regard.align.alignment_head import AlignmentHead
from regard.align.tokenized_text import TokenizedText
from regard.align.word_aligner import WordAligner
from regard.align.word_alignment import WordAlignment, align_texts, concatenate_alignments
from regard.errors import ArtifactError
from regard.evaluate.quality import QualityThresholds, assess_quality, worst_report
from regard.tasks.translation.options import AlignWith, TranslateOptions
from regard.tasks.translation.result import TranslationResult
from regard.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from regard.batch import Tokens
    from regard.models import EncoderDecoder

TextPair: TypeAlias = tuple[TokenizedText, TokenizedText]
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
