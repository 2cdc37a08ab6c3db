"""The bottleneck: what becomes of long sentences where one vector must hold all of them.

Cho et al. 2014 saw BLEU fall with the length of the sentence, and Bahdanau et al. 2015 (figure 2)
that attention keeps it up. Debates of the European Parliament, English to French; six models of one
size (to one part in twenty), all with the same encoder, that differ in how the decoder looks.
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
    Say,
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
        "no attention",  # Sutskever's wiring
        RECURRENT,
        # the second layer is as large as what the others look with
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
                f"model.{side}.{said}"
                for side in ("encoder", "decoder")
                for said in ("dim=192", "hidden_dim=640", "layers=3", "dropout=0.1")
            ),
            "train.optimizer.rate=0.002",
        ),
    ),
)


class BleuByLength(Study):
    name = "bleu-by-length"

    @property
    def pairs(self) -> ParallelCorpus:
        few = 80 if self.quick else None
        languages = ("en", "fr")
        return ParallelCorpus("europarl-en-fr-de", languages, "train", "dev", "test_by_length", few)

    @property
    def entries(self) -> Sequence[Entry]:
        return ENTRIES

    @property
    def settings(self) -> Sequence[str]:
        """An epoch of 200,000 pairs are some 2,000 steps."""
        if self.quick:
            small = ["data.vocabulary=1000", "train.batch_tokens=512", "search.beam_size=1"]
            return [*small, *training_budget(steps=2, every=2)]
        return [*training_budget(steps=1_500, every=750), "data.max_length=160"]

    def find(self, taught: Sequence[TrainedRun], data: Path, say: Say) -> Findings:
        sources, references = read_parallel(*taught[0].job.test)
        found: dict[str, Evaluation] = {}
        for each in taught:
            say(f"{each.job.name}: scores by length")
            found[each.job.entry.name] = evaluate_by_length(
                sources, each.outputs, references, ter=False
            )
        return Findings(
            {name: asdict(evaluation) for name, evaluation in found.items()},
            {
                "bleu.svg": chart_by_length(found, "bleu"),
                "chrf.svg": chart_by_length(found, "chrf"),
                "table.md": _table(found, "bleu") + _table(found, "chrf") + cost_table(taught),
            },
        )


def _table(found: dict[str, Evaluation], metric: str) -> str:
    buckets = next(iter(found.values())).buckets
    heads = [metric.upper().replace("CHRF", "chrF"), "all", *(str(b.lengths) for b in buckets)]
    rows = []
    for name, each in found.items():
        every = [each.scores, *(bucket.scores for bucket in each.buckets)]
        rows.append([name, *(f"{s[metric].value:.1f}" if metric in s else "–" for s in every)])
    return markdown_table(heads, rows)
