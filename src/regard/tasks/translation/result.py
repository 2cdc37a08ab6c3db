"""Results of translation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from regard.align.word_alignment import WordAlignment
from regard.evaluate.quality import QualityReport
from regard.hypothesis import Hypothesis
from regard.inference.pipeline import Segment, join_segments
from regard.text.tokenizer import Span, Tokenizer

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
