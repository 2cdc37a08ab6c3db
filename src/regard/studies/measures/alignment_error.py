"""Attention as word alignment: the alignment error rate against gold links.

The alignment head of a model and its threshold are chosen without gold links, by agreement with the
word aligner, unless training has chosen it. The table also has the error rate of the best possible
head, without a threshold; that of both directions, where the study has the entry of the other
direction; that of the word aligner, with the words of the gold links as they are; and that of other
aligners, from files of their links.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from regard.align.aer import AlignmentScores, score_alignments
from regard.align.links import GoldAlignment, Links, read_links
from regard.align.symmetrize import symmetrize, transpose_links
from regard.align.tokenized_text import END
from regard.align.word_aligner import WordAligner
from regard.align.word_alignment import WordAlignment
from regard.config.base import Count
from regard.evaluate.bootstrap import RatioStatistics
from regard.explain.pictures.heatmap import attention_heatmap
from regard.studies.measures.gold_pairs import GoldPairs, GoldPairsConfig
from regard.studies.measures.measure import (
    QUICK_PAIRS,
    MeasureConfig,
    MeasureContext,
    MeasureResult,
    ResultTable,
    compared_column,
    mean_and_deviation,
)

HEADS = ("", "AER", "precision", "recall", "best AER", "alignment head")


class AlignmentErrorMeasure(MeasureConfig):
    """The alignment error rate of the attention of each model."""

    kind: Literal["alignment-error-rate"] = "alignment-error-rate"
    gold: GoldPairsConfig  # sentence pairs with links
    others: dict[str, str] = Field(default_factory=dict)  # Pharaoh files of other aligners, by name
    # Pairs that are drawn: those with the most crossing gold links.
    heatmaps: Annotated[int, Field(ge=0, lt=1 << 31)] = 0
    heatmap_words: Count = 14  # most words of a pair that is drawn

    def files(self) -> Sequence[str]:
        return (*self.gold.files, *self.others.values())

    def measure(self, context: MeasureContext) -> MeasureResult:
        pairs = self.gold.read(context.find_file, QUICK_PAIRS if context.quick else None)
        shown = pairs.crossed(self.heatmaps, self.heatmap_words)
        links: dict[str, list[list[Links]]] = {}  # of each seed, from source to target
        rows, files = [], {}
        aligner: WordAligner | None = None  # all bundles of a direction have the same
        for name, seeds in context.runs.items():
            reverse = context.entry(name).reversed
            best, head = [], ""
            for trained in seeds:
                translator = trained.translator()
                if translator.alignment_head is None:
                    break
                context.on_status(f"{trained.run.name}: alignment error rate")
                if not reverse:
                    aligner = translator.aligner or aligner
                directed = pairs.reversed() if reverse else pairs
                aligned = directed.align(translator)
                aligned_links = [alignment.links for alignment in aligned]
                links.setdefault(name, []).append(
                    [transpose_links(pair_links) for pair_links in aligned_links]
                    if reverse
                    else aligned_links
                )
                best.append(directed.best_error(translator))
                head = translator.alignment_head.summary
                if trained is seeds[0] and not reverse:
                    for index in shown:
                        picture = _heatmap(name, aligned[index], pairs.gold[index])
                        files[f"{trained.run.entry.stem}-{index + 1}.svg"] = picture
            if best:
                rows.append(_row(name, links[name], pairs, mean_and_deviation(best, ".1f"), head))
        for name in links:
            if (forward := context.entry(name).reverses) in links:
                both = [
                    [
                        symmetrize(*pair, "grow-diag")
                        for pair in zip(forward_seed, backward, strict=True)
                    ]
                    for forward_seed, backward in zip(links[forward], links[name], strict=True)
                ]
                rows.append(_row(f"{forward}, both directions", both, pairs, "–", "grow-diag"))
        if aligner is not None:
            rows.append(_row("word aligner", [pairs.align_by_words(aligner)], pairs, "–", "–"))
        for name, path in self.others.items():
            file_links = read_links(str(context.find_file(path)))[:: pairs.every]
            rows.append(_row(name, [file_links], pairs, "–", "–"))
        statistics = {
            name: [_statistics(seed_links, pairs) for seed_links in seeds]
            for name, seeds in links.items()
        }
        return MeasureResult(
            [compared_column("AER", statistics, context, compare_directions=True)],
            [ResultTable("Alignment error rate", HEADS, rows)],
            {"pairs": len(pairs.gold)},
            files,
        )


def _statistics(aligned: Sequence[Links], pairs: GoldPairs) -> RatioStatistics:
    """Numerator and denominator of 1 − AER, in per cent."""
    rows = [
        (len(links & gold.sure) + len(links & gold.possible), len(links) + len(gold.sure))
        for links, gold in zip(aligned, pairs.gold, strict=True)
    ]
    return RatioStatistics(np.array(rows, np.float64), scale=-100.0, offset=100.0)


def _row(
    name: str, seeds: Sequence[Sequence[Links]], pairs: GoldPairs, best: str, head: str
) -> list[str]:
    scores: list[AlignmentScores] = [score_alignments(links, pairs.gold) for links in seeds]
    return [
        name,
        mean_and_deviation([score.aer for score in scores], ".1f"),
        f"{fmean(score.precision for score in scores):.1f}",
        f"{fmean(score.recall for score in scores):.1f}",
        best,
        head,
    ]


def _heatmap(name: str, aligned: WordAlignment, gold: GoldAlignment) -> str:
    return attention_heatmap(
        aligned.weights,
        row_labels=aligned.target.word_texts,
        column_labels=(*aligned.source.word_texts, END),
        title=name,
        note="dots: links of the model; frames: gold links",
        links=aligned.links,
        gold=gold.sure,
    )
