"""Assemble the translation of a text from the translations of its segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regard.inference.pipeline import join_segments
from regard.serve.limits import CheckedRequest, RequestSegment
from regard.serve.schemas import Alignment, RankedTranslation, Translation
from regard.tasks.translation.result import combine_scores, describe_warnings

SegmentValues = list[dict[str, Any]]
"""The hypotheses of a segment, best first, as an engine process sends them."""


def assemble(checked: CheckedRequest, number: int, found: Sequence[SegmentValues]) -> Translation:
    """Assemble text `number` of a request; `found` are the hypotheses of its segments."""
    text, segments = checked.request.texts[number], checked.texts[number]
    penalty = checked.request.length_penalty
    penalty = checked.model.length_penalty if penalty is None else penalty
    available = max((len(hypotheses) for hypotheses in found), default=1)
    ranked = [
        _assemble_rank(text, segments, [each[min(rank, len(each) - 1)] for each in found], penalty)
        for rank in range(min(checked.request.n_best, available))
    ]
    best = [each[0] for each in found]
    reasons = dict.fromkeys(reason for each in best for reason in each.get("reasons", ()))
    unaligned = [
        (segment.span[0] + start, segment.span[0] + end)
        for segment, each in zip(segments, best, strict=True)
        for start, end in each.get("unattended", ())
    ]
    return Translation(
        **dict(ranked[0]),
        warnings=list(describe_warnings(text, tuple(reasons), unaligned)),
        unaligned=unaligned,
        n_best=ranked if checked.request.n_best > 1 else [],
    )


def assemble_aligned(
    checked: CheckedRequest, number: int, found: Sequence[SegmentValues]
) -> dict[str, Any]:
    """As `assemble`: the best translation and the weights of its alignment, for a message."""
    translation = assemble(checked, number, found)
    values: dict[str, Any] = {"text": translation.text, "warnings": translation.warnings}
    if (alignment := translation.alignment) is not None:
        values |= {"source": alignment.source, "target": alignment.target}
        values["parts"] = [
            (len(best["alignment"]["target"]), len(best["alignment"]["source"]), best["weights"])
            for best, *_ in found
        ]
    return values


def _assemble_rank(
    text: str,
    segments: Sequence[RequestSegment],
    chosen: Sequence[dict[str, Any]],
    length_penalty: float,
) -> RankedTranslation:
    joined, places = join_segments(
        text, [segment.span for segment in segments], [each["text"] for each in chosen]
    )
    score = combine_scores(
        [each["score"] for each in chosen], [each["length"] for each in chosen], length_penalty
    )
    alignment = None
    if chosen and "alignment" in chosen[0]:
        alignment = Alignment(source=[], target=[], links=[])
        for segment, place, each in zip(segments, places, chosen, strict=True):
            part, rows, columns = each["alignment"], len(alignment.target), len(alignment.source)
            alignment.links += [(columns + i, rows + j) for i, j in part["links"]]
            alignment.source += _shifted(part["source"], segment.span[0])
            alignment.target += _shifted(part["target"], place[0])
    return RankedTranslation(text=joined, score=score, alignment=alignment)


def _shifted(spans: Sequence[Sequence[int]], offset: int) -> list[tuple[int, int]]:
    return [(start + offset, end + offset) for start, end in spans]
