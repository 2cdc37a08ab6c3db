"""Assemble the translation of a text from the translations of its segments.

The rules are those of `tasks.translation.result`; the values are those of messages.
"""

from __future__ import annotations

from collections.abc import Sequence

from regard.align.word_alignment import concatenate_links
from regard.inference.engine import join_segments
from regard.serve.frames import AlignedValues, AlignmentValues, HypothesisValues, SegmentValues
from regard.serve.limits import CheckedRequest, RequestSegment
from regard.serve.schemas import Alignment, RankedTranslation, Translation
from regard.tasks.translation.result import combine_scores, describe_warnings, rank_hypotheses
from regard.text.tokenizer import Span


def assemble(checked: CheckedRequest, number: int, results: Sequence[SegmentValues]) -> Translation:
    """Assemble text `number` of a request; `results` are the hypotheses of its segments."""
    text, segments = checked.request.texts[number], checked.texts[number]
    ranked = [
        _assemble_rank(text, segments, chosen, checked.length_penalty)
        for chosen in rank_hypotheses(results, checked.request.n_best)
    ]
    best = [hypotheses[0] for hypotheses in results]
    reasons = dict.fromkeys(reason for values in best for reason in values.get("reasons", ()))
    unaligned = [
        span
        for segment, values in zip(segments, best, strict=True)
        for span in _shifted(values.get("unattended", ()), segment.span[0])
    ]
    return Translation(
        **dict(ranked[0]),
        warnings=list(describe_warnings(text, tuple(reasons), unaligned)),
        unaligned=unaligned,
        n_best=ranked if checked.request.n_best > 1 else [],
    )


def assemble_aligned(
    checked: CheckedRequest, number: int, results: Sequence[SegmentValues]
) -> AlignedValues:
    """As `assemble`: the best translation and the weights of its alignment, for a message."""
    translation = assemble(checked, number, results)
    values: AlignedValues = {"text": translation.text, "warnings": translation.warnings}
    if (alignment := translation.alignment) is not None:
        values["source"], values["target"] = alignment.source, alignment.target
        values["parts"] = [
            (len(best["alignment"]["target"]), len(best["alignment"]["source"]), best["weights"])
            for best, *_ in results
        ]
    return values


def _assemble_rank(
    text: str,
    segments: Sequence[RequestSegment],
    chosen: Sequence[HypothesisValues],
    length_penalty: float,
) -> RankedTranslation:
    spans = [segment.span for segment in segments]
    joined, target_spans = join_segments(text, spans, [values["text"] for values in chosen])
    score = combine_scores(
        [values["score"] for values in chosen],
        [values["length"] for values in chosen],
        length_penalty,
    )
    parts = [values["alignment"] for values in chosen if "alignment" in values]
    alignment = None if not parts else _concatenate(spans, target_spans, parts)
    return RankedTranslation(text=joined, score=score, alignment=alignment)


def _concatenate(
    source_spans: Sequence[Span], target_spans: Sequence[Span], parts: Sequence[AlignmentValues]
) -> Alignment:
    """Combine the alignments of segments, at their characters of source and translation."""
    alignment = Alignment(source=[], target=[], links=[])
    for source, target, part in zip(source_spans, target_spans, parts, strict=True):
        alignment.source += _shifted(part["source"], source[0])
        alignment.target += _shifted(part["target"], target[0])
    lengths = [(part["links"], len(part["source"]), len(part["target"])) for part in parts]
    alignment.links += sorted(concatenate_links(lengths))
    return alignment


def _shifted(spans: Sequence[Span], offset: int) -> list[Span]:
    return [(start + offset, end + offset) for start, end in spans]
