"""Scores of sentence pairs by forced decoding: how well a target fits its source.

With models of both directions, the score is the adequacy of dual conditional cross-entropy
(Junczys-Dowmunt 2018, eq. 1 and 2),

    exp(−(|H(y|x) − H(x|y)| + ½ (H(y|x) + H(x|y)))),

where H is the cross-entropy per token. It is high where both models find the other side likely, and
agree. With one model it is the mean log-probability of the target's tokens, −H(y|x).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from regard.align.extraction import choose_alignment_head, force_texts, measure_agreement
from regard.align.tokenized_text import AlignmentHead, TokenizedText
from regard.align.word_aligner import ALIGNER_FILE, WordAligner
from regard.align.word_alignment import WordAlignment, align_texts
from regard.errors import ArtifactError
from regard.evaluate.quality import (
    PROBABILITY_REASONS,
    QualityThresholds,
    assess_quality,
    calibrate_thresholds,
)
from regard.inference.forced_decoding import cross_attention_names
from regard.tasks.translation.bundle_parts import ALIGNMENT_FILE, QUALITY_FILE, SPLIT_FILE
from regard.tasks.translation.pairs import Pairs
from regard.tasks.translation.translator import Translator

# -- calibrate a trained translation model before it is saved --------------------------------------
# Choose the attention head that aligns words, unless training has chosen it, and the thresholds of
# quality warnings. Both use held-out pairs, without manual alignments.


HEAD_PAIRS = 200  # held-out pairs by which the alignment head is chosen
QUALITY_TEXTS = 1_000  # held-out sources; 3 % of them, which set the threshold, are thirty


def calibrate(translator: Translator, held_out: Pairs, guided: AlignmentHead | None = None) -> None:
    """Set the translator's alignment head and the thresholds of quality warnings.

    The alignment head is `guided`, the head that was trained on word links, or else the attention
    that agrees best with the word aligner. Without an aligner or without attention there is none.
    """
    translator.alignment_head = guided
    if translator.aligner is not None and cross_attention_names(translator.model):
        translator.alignment_head = choose_head(translator, translator.aligner, held_out, guided)
    if translator.aligner is not None or translator.alignment_head is not None:
        measured = [
            features
            for languages, pairs in held_out.first(QUALITY_TEXTS).by_languages().items()
            for features in translator.for_target(languages and languages[1]).measure_quality(
                pairs.sources
            )
        ]
        translator.thresholds = calibrate_thresholds(measured)


def choose_head(
    translator: Translator, aligner: WordAligner, held_out: Pairs, guided: AlignmentHead | None
) -> AlignmentHead:
    """Return the head that agrees best with the aligner, or `guided` with its agreement."""
    pairs = [
        _tokenized(translator.for_target(languages and languages[1]), source, target)
        for languages, pairs in held_out.first(HEAD_PAIRS).by_languages().items()
        for source, target in zip(pairs.sources, pairs.targets, strict=True)
    ]
    links = [alignment.links for alignment in align_texts(aligner, pairs)]
    if guided is not None:
        forced = force_texts(translator.model, pairs, [guided.attention])
        return measure_agreement(guided, pairs, forced, links)
    return choose_alignment_head(pairs, force_texts(translator.model, pairs), links)


def _tokenized(
    translator: Translator, source: str, target: str
) -> tuple[TokenizedText, TokenizedText]:
    return (
        TokenizedText.from_text(translator.tokenizer, source),
        TokenizedText.from_text(translator.target_tokenizer, target),
    )


def calibration_files(translator: Translator) -> dict[str, bytes]:
    """Return the bundle files with the translator's splitting and calibration."""
    values = {
        SPLIT_FILE: translator.splitting,
        ALIGNMENT_FILE: translator.alignment_head,
        QUALITY_FILE: translator.thresholds,
    }
    files = {
        name: json.dumps(asdict(value), indent=1).encode()
        for name, value in values.items()
        if value is not None
    }
    if translator.aligner is not None:
        files[ALIGNER_FILE] = translator.aligner.to_bytes()
    return files


# -- scoring ---------------------------------------------------------------------------------------


TOO_LONG = "longer than all training texts"
EMPTY = "one side is empty"


@dataclass(frozen=True, slots=True)
class TargetScore:
    """The probability of one target, given its source, its end included."""

    logp: float  # NaN if the pair is too long for the model
    tokens: int
    warnings: tuple[str, ...] = ()

    @property
    def cross_entropy(self) -> float:
        return -self.logp / self.tokens


@dataclass(frozen=True, slots=True)
class PairScore:
    """The scores of a pair by a model, and by one of the opposite direction."""

    forward: TargetScore
    backward: TargetScore | None = None

    @property
    def score(self) -> float:
        """A number that is higher for better pairs; NaN if the pair cannot be scored."""
        forward = self.forward.cross_entropy
        if self.backward is None:
            return -forward
        backward = self.backward.cross_entropy
        return math.exp(-(abs(forward - backward) + (forward + backward) / 2))


def score_targets(
    translator: Translator, sources: Sequence[str], targets: Sequence[str], *, quality: bool = False
) -> list[TargetScore]:
    """Score each target given its source.

    Args:
        translator: The model.
        sources: Source texts.
        targets: Their translations.
        quality: Add the quality warnings that do not depend on probabilities.

    Raises:
        ArtifactError: `quality`, but the model has no calibration.
    """
    from regard.inference.forced_decoding import force_decode

    translator = translator.for_target(None)
    thresholds = translator.thresholds
    if quality and thresholds is None:
        raise ArtifactError(
            "The model has no calibration data, so quality checks (--check) are unavailable. "
            "Train it again with `regard train`."
        )
    encoded = list(
        zip(
            translator.tokenizer.encode(sources),
            translator.target_tokenizer.encode(targets),
            strict=True,
        )
    )
    limit = translator.splitting.max_length
    fitting = [row for row, ids in enumerate(encoded) if max(map(len, ids)) <= limit]
    scores = [TargetScore(math.nan, len(ids) + 1, (TOO_LONG,)) for _, ids in encoded]
    if not quality or thresholds is None:
        forced = force_decode(translator.model, [encoded[row] for row in fitting], ())
        for row, decoding in zip(fitting, forced, strict=True):
            scores[row] = TargetScore(math.fsum(decoding.logps), len(decoding.logps))
        return scores
    decoded = translator.force_decode(
        [sources[row] for row in fitting], [targets[row] for row in fitting]
    )
    for row, (alignment, logps) in zip(fitting, decoded, strict=True):
        warnings: tuple[str, ...] = (EMPTY,)
        if all(encoded[row]):
            warnings = _text_warnings(thresholds, alignment, logps)
        scores[row] = TargetScore(math.fsum(logps), len(logps), warnings)
    return scores


def _text_warnings(
    thresholds: QualityThresholds, alignment: WordAlignment, logps: Sequence[float]
) -> tuple[str, ...]:
    """The quality warnings of a pair that do not depend on probabilities."""
    reasons = assess_quality(thresholds, alignment, logps).reasons
    return tuple(reason for reason in reasons if reason not in PROBABILITY_REASONS)


def score_pairs(
    translator: Translator,
    reverse: Translator | None,
    sources: Sequence[str],
    targets: Sequence[str],
    *,
    quality: bool = False,
) -> list[PairScore]:
    """Score each pair with a model, and with one of the opposite direction if it is given."""
    forward = score_targets(translator, sources, targets, quality=quality)
    if reverse is None:
        return [PairScore(score) for score in forward]
    backward = score_targets(reverse, targets, sources)
    return [
        PairScore(forward_score, backward_score)
        for forward_score, backward_score in zip(forward, backward, strict=True)
    ]
