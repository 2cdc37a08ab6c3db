"""Scores of sentence pairs by forced decoding: how well a target fits its source.

With models of both directions, the score is the adequacy of dual conditional cross-entropy
(Junczys-Dowmunt 2018, eq. 1 and 2),

    exp(−(|H(y|x) − H(x|y)| + ½ (H(y|x) + H(x|y)))),

where H is the cross-entropy per token. It is high where both models find the other side likely, and
agree. With one model it is the mean log-probability of the target's tokens, −H(y|x).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from regard.errors import ArtifactError
from regard.evaluate.quality import PROBABILITY_REASONS, assess_quality
from regard.tasks.translation.translator import Translator

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
        reasons: tuple[str, ...] = (EMPTY,)
        if all(encoded[row]):
            all_reasons = assess_quality(thresholds, alignment, logps).reasons
            reasons = tuple(reason for reason in all_reasons if reason not in PROBABILITY_REASONS)
        scores[row] = TargetScore(math.fsum(logps), len(logps), reasons)
    return scores


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
