"""Compare attention mechanisms on image descriptions.

Luong et al. 2015 compared scores, spans and decoders on WMT. This study uses Multi30k, English to
German, with three seeds to separate differences from noise. All models have the same size (within
5 %) and the same budget, and each is compared with Bahdanau's attention.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean, stdev

from regard.data.formats.corpus import read_parallel
from regard.evaluate.bootstrap import Difference, paired_difference
from regard.evaluate.scores import MetricStatistics, count_statistics
from regard.studies.attention_page import attention_page
from regard.studies.strip_chart import strip_chart
from regard.studies.study import (
    Entry,
    Findings,
    ParallelCorpus,
    StatusCallback,
    Study,
    TrainedRun,
    training_budget,
)
from regard.studies.tables import markdown_table
from regard.tasks.translation.translator import Translator

_BASE = (
    # encoder states of 2 × 128, as wide as the decoder's, as the dot score requires
    *("model.embedding_dim=256", "model.encoder.dim=128", "model.decoder.dim=256"),
)
_ATTENTION = "model.decoder.attention"
SHOWN = "A woman and a child are walking down a street."
"""A test sentence; in German the translation of *down* comes last (gehen … entlang)."""
COMPARED = ("additive", "local-p", "hard", "Transformer")


def _variant(name: str, *settings: str) -> Entry:
    return Entry(name, "translate-rnn-tiny", (*_BASE, *settings))


ENTRIES = (
    _variant("additive"),  # Bahdanau's; the baseline of all comparisons
    _variant("dot", f"{_ATTENTION}.score.kind=dot"),
    _variant("scaled dot", f"{_ATTENTION}.score.kind=scaled-dot"),
    _variant("bilinear", f"{_ATTENTION}.score.kind=bilinear"),
    _variant("cosine", f"{_ATTENTION}.score.kind=cosine"),
    _variant("local-m", f"{_ATTENTION}.span.kind=local-monotone"),
    _variant("local-p", f"{_ATTENTION}.span.kind=local-predictive"),
    _variant("sparse", f"{_ATTENTION}.normalizer.kind=sparsemax"),
    _variant("hard", f"{_ATTENTION}.normalizer.kind=hard"),
    _variant(
        "Luong",
        # a wider score makes up for the missing maxout output layer
        "model.decoder={kind: luong, dim: 256, dropout: 0.3, attention: "
        "{score: {kind: additive, dim: 512}}}",
    ),
    Entry(
        "Transformer",
        "translate-tiny",
        (
            "model.embedding_dim=160",
            *(
                f"model.{side}.{setting}"
                for side in ("encoder", "decoder")
                for setting in ("dim=160", "hidden_dim=416")
            ),
            "train.optimizer.rate=0.0025",  # the preset's rate is for batches four times as large
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class MechanismRow:
    """The results of an entry over all seeds."""

    name: str
    parameters: int
    bleu: tuple[float, ...]  # of each seed
    speed: float  # target tokens per second, of the fastest seed
    memory: int  # bytes
    agreement: float | None  # F1 of the attention with IBM Model 1 links
    difference: Difference | None  # in BLEU from the first entry, all seeds together

    @property
    def mean(self) -> float:
        return fmean(self.bleu)

    @property
    def spread(self) -> float | None:
        return stdev(self.bleu) if len(self.bleu) > 1 else None


class Mechanisms(Study):
    name = "mechanisms"

    @property
    def corpus(self) -> ParallelCorpus:
        size = 80 if self.quick else None
        return ParallelCorpus("multi30k", ("en", "de"), "train", "val", "test_2016_flickr", size)

    @property
    def entries(self) -> Sequence[Entry]:
        return ENTRIES

    @property
    def seeds(self) -> Sequence[int]:
        return (1,) if self.quick else (1, 2, 3)

    @property
    def settings(self) -> Sequence[str]:
        if self.quick:
            small = ["data.vocabulary=340", "train.batch_tokens=512", "search.beam_size=1"]
            return [*small, *training_budget(steps=2, every=2)]
        # small batches: with so few tokens, more steps train better
        return ["train.batch_tokens=1024", *training_budget(steps=600, every=600)]

    def analyze(
        self, trained: Sequence[TrainedRun], data: Path, on_status: StatusCallback
    ) -> Findings:
        _, references = read_parallel(*trained[0].run.test)
        by_entry: dict[str, list[TrainedRun]] = {}
        for each in trained:
            by_entry.setdefault(each.run.entry.name, []).append(each)
        statistics = {
            name: [count_statistics(each.outputs, references, ["bleu"])["bleu"] for each in seeds]
            for name, seeds in by_entry.items()
        }
        rows = compare_with_first(by_entry, statistics, on_status)
        on_status(f"attention on: {SHOWN}")
        firsts = [seeds[0].run for seeds in by_entry.values()]
        models = {run.entry: Translator.load(run.directory.model, engine="torch") for run in firsts}
        pages = attention_page(SHOWN, "attention", models, COMPARED)
        return Findings(
            {"rows": [asdict(row) for row in rows], "signature": _signature(statistics)},
            {
                "table.md": _table(rows),
                "bleu.svg": strip_chart(
                    {row.name: row.bleu for row in rows},
                    title="BLEU by mechanism",
                    note="dots: seeds; bar: their mean",
                ),
                **pages,
            },
        )


def compare_with_first(
    by_entry: Mapping[str, Sequence[TrainedRun]],
    statistics: Mapping[str, Sequence[MetricStatistics]],
    on_status: StatusCallback,
) -> list[MechanismRow]:
    """A row for each entry, with its difference from the first entry."""
    first = next(iter(by_entry))
    rows = []
    for name, seeds in by_entry.items():
        difference = None
        if name != first:
            on_status(f"{name}: compared with {first}")
            difference = paired_difference(
                {"bleu": average_seeds(statistics[name])},
                {"bleu": average_seeds(statistics[first])},
            )["bleu"]
        rows.append(
            MechanismRow(
                name,
                seeds[0].cost.parameters,
                tuple(each.corpus_score() for each in statistics[name]),
                max(each.cost.speed for each in seeds),
                max(each.cost.memory for each in seeds),
                _agreement(seeds),
                difference,
            )
        )
    return rows


def average_seeds(seeds: Sequence[MetricStatistics]) -> MetricStatistics:
    """Sum the statistics over seeds, so that resampling draws a sentence for all seeds at once."""
    return replace(seeds[0], rows=sum((each.rows for each in seeds[1:]), seeds[0].rows))


def _agreement(seeds: Sequence[TrainedRun]) -> float | None:
    heads = [
        Translator.load(each.run.directory.model, engine="torch").alignment_head for each in seeds
    ]
    found = [head.agreement for head in heads if head is not None]
    return fmean(found) if found else None


def _signature(statistics: Mapping[str, Sequence[MetricStatistics]]) -> str:
    return next(iter(statistics.values()))[0].signature


def _table(rows: Sequence[MechanismRow]) -> str:
    heads = [
        "mechanism",
        "BLEU",
        "±",
        "− additive",
        "p",
        "agreement",
        "tokens/s",
        "GB",
        "parameters",
    ]
    return markdown_table(
        heads,
        [
            [
                row.name,
                f"{row.mean:.1f}",
                "–" if row.spread is None else f"{row.spread:.1f}",
                *_difference(row.difference),
                "–" if row.agreement is None else f"{row.agreement:.2f}",
                f"{row.speed:,.0f}",
                f"{row.memory / 1e9:.2f}",
                f"{row.parameters / 1e6:.2f} M",
            ]
            for row in rows
        ],
    )


def _difference(difference: Difference | None) -> tuple[str, str]:
    if difference is None:
        return "", ""
    return f"{difference.value:+.1f}", "–" if difference.p is None else f"{difference.p:.3f}"
