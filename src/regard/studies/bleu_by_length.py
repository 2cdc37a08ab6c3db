"""The bottleneck of a fixed-size source vector: BLEU by sentence length.

Without attention BLEU falls with sentence length (Cho et al. 2014); with attention it does not
(Bahdanau et al. 2015, figure 2). Six models of the same size (within 5 %) translate Europarl from
English to French. They differ in the attention of the decoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from regard.data.formats.corpus import read_parallel
from regard.evaluate.by_length import Evaluation, evaluate_by_length
from regard.evaluate.length_chart import chart_by_length
from regard.studies.study import (
    Entry,
    Findings,
    ParallelCorpus,
    StatusCallback,
    Study,
    TrainedRun,
    training_budget,
)
from regard.studies.tables import cost_table, markdown_table

RECURRENT = "translate-rnn-tiny"
_DIMS = (
    *("model.embedding_dim=256", "model.encoder.dim=256"),
    *("model.encoder.dropout=0.1", "model.decoder.dropout=0.1"),
)
_LUONG = (
    *_DIMS,
    "model.decoder={kind: luong, dim: 256, layers: 2, dropout: 0.1, "
    "attention: {score: {kind: bilinear}}}",
)
_BAHDANAU = (*_DIMS, "model.decoder.dim=256")

ENTRIES = (
    Entry(
        "no attention",  # as Sutskever et al. 2014
        RECURRENT,
        # the second layer has as many parameters as the attention of the others
        (
            *(*_DIMS, "model.encoder.layers=2"),
            "model.decoder={kind: plain, dim: 256, dropout: 0.1}",
        ),
    ),
    Entry("last state", RECURRENT, (*_BAHDANAU, "model.decoder.attention.span.kind=last")),
    Entry("Bahdanau", RECURRENT, _BAHDANAU),
    Entry("Luong", RECURRENT, _LUONG),
    Entry(
        "Luong local-p",
        RECURRENT,
        (*_LUONG, "model.decoder.attention.span.kind=local-predictive"),
    ),
    Entry(
        "Transformer",
        "translate-tiny",
        (
            "model.embedding_dim=192",
            *(
                f"model.{side}.{setting}"
                for side in ("encoder", "decoder")
                for setting in ("dim=192", "hidden_dim=640", "layers=3", "dropout=0.1")
            ),
            "train.optimizer.rate=0.002",
        ),
    ),
)


class BleuByLength(Study):
    name = "bleu-by-length"

    @property
    def corpus(self) -> ParallelCorpus:
        size = 80 if self.quick else None
        languages = ("en", "fr")
        return ParallelCorpus(
            "europarl-en-fr-de", languages, "train", "dev", "test_by_length", size
        )

    @property
    def entries(self) -> Sequence[Entry]:
        return ENTRIES

    @property
    def settings(self) -> Sequence[str]:
        """An epoch of 200,000 pairs takes about 2,000 steps."""
        if self.quick:
            small = ["data.vocabulary=1000", "train.batch_tokens=512", "search.beam_size=1"]
            return [*small, *training_budget(steps=2, every=2)]
        return [*training_budget(steps=1_500, every=750), "data.max_length=160"]

    def analyze(
        self, trained: Sequence[TrainedRun], data: Path, on_status: StatusCallback
    ) -> Findings:
        sources, references = read_parallel(*trained[0].run.test)
        evaluations: dict[str, Evaluation] = {}
        for each in trained:
            on_status(f"{each.run.name}: scores by length")
            evaluations[each.run.entry.name] = evaluate_by_length(
                sources, each.outputs, references, ter=False
            )
        tables = [_table(evaluations, "bleu"), _table(evaluations, "chrf"), cost_table(trained)]
        return Findings(
            {name: asdict(evaluation) for name, evaluation in evaluations.items()},
            {
                "bleu.svg": chart_by_length(evaluations, "bleu"),
                "chrf.svg": chart_by_length(evaluations, "chrf"),
                "table.md": "".join(tables),
            },
        )


def _table(evaluations: dict[str, Evaluation], metric: str) -> str:
    buckets = next(iter(evaluations.values())).buckets
    heads = [metric.upper().replace("CHRF", "chrF"), "all", *(str(b.lengths) for b in buckets)]
    rows = []
    for name, each in evaluations.items():
        columns = [each.scores, *(bucket.scores for bucket in each.buckets)]
        rows.append([name, *(f"{s[metric].value:.1f}" if metric in s else "–" for s in columns)])
    return markdown_table(heads, rows)
