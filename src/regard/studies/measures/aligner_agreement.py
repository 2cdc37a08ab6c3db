"""The agreement of a model's attention with the word aligner."""

from __future__ import annotations

from typing import Literal

import numpy as np

from regard.evaluate.bootstrap import RatioStatistics
from regard.studies.measures.measure import (
    MeasureConfig,
    MeasureContext,
    MeasureResult,
    compared_column,
)
from regard.studies.runs import TrainedRun


class AgreementMeasure(MeasureConfig):
    """F1 of the links of the alignment head with those of the word aligner, on the test set."""

    kind: Literal["aligner-agreement"] = "aligner-agreement"

    def measure(self, context: MeasureContext) -> MeasureResult:
        statistics = {}
        for name, seeds in context.runs.items():
            context.on_status(f"{name}: agreement with the word aligner")
            agreements = [_agreement(trained) for trained in seeds]
            complete = [agreement for agreement in agreements if agreement is not None]
            if len(complete) == len(agreements):
                statistics[name] = complete
        column = compared_column("agreement", statistics, context, form=".2f")
        return MeasureResult([column])


def _agreement(trained: TrainedRun) -> RatioStatistics | None:
    """The links of each sentence; None for a model without attention or without an aligner."""
    translator = trained.translator()
    if translator.aligner is None or translator.alignment_head is None:
        return None
    pairs = trained.run.test_pairs()
    by_attention = translator.align(*pairs, align_with="attention")
    by_aligner = translator.align(*pairs, align_with="aligner")
    rows = [
        (
            2 * len(attention_links.links & aligner_links.links),
            len(attention_links.links) + len(aligner_links.links),
        )
        for attention_links, aligner_links in zip(by_attention, by_aligner, strict=True)
    ]
    return RatioStatistics(np.array(rows, np.float64))
