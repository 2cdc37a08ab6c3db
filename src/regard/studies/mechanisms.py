"""Which attention? Models that differ in one word of their run file, on descriptions of pictures.

Luong et al. 2015 compared scores, spans and wirings on WMT; here it is Multi30k, English to German,
and three seeds, so that what is a difference can be told from what is chance. All have the same
size (to one part in twenty) and the same budget, and each is compared with Bahdanau's attention.
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
    Say,
    Study,
    TrainedRun,
    training_budget,
)
from regard.studies.tables import markdown_table
from regard.tasks.translation.translator import load_translator

_BASE = (
    # states of 256, as wide as the decoder's, so that a plain inner product can compare them
    *("model.embedding_dim=256", "model.encoder.dim=128", "model.decoder.dim=256"),
)
_ATTENTION = "model.decoder.attention"
SHOWN = "A woman and a child are walking down a street."
"""Of the test: in German, what is said of *down* comes last (gehen … entlang)."""
WALKED = ("additive", "local-p", "hard", "Transformer")


def _changed(name: str, *settings: str) -> Entry:
    return Entry(name, "translate-rnn-tiny", (*_BASE, *settings))


ENTRIES = (
    _changed("additive"),  # Bahdanau's; what all others are compared with
    _changed("dot", f"{_ATTENTION}.score.kind=dot"),
    _changed("scaled dot", f"{_ATTENTION}.score.kind=scaled-dot"),
    _changed("bilinear", f"{_ATTENTION}.score.kind=bilinear"),
    _changed("cosine", f"{_ATTENTION}.score.kind=cosine"),
    _changed("local-m", f"{_ATTENTION}.span.kind=local-monotone"),
    _changed("local-p", f"{_ATTENTION}.span.kind=local-predictive"),
    _changed("sparse", f"{_ATTENTION}.weighing.kind=sparsemax"),
    _changed("hard", f"{_ATTENTION}.weighing.kind=hard"),
    _changed(
        "ask after",
        # it has no output layer of its own: a wider score makes up for it
        "model.decoder={kind: luong, dim: 256, dropout: 0.3, attention: "
        "{score: {kind: additive, dim: 512}}}",
    ),
    Entry(
        "Transformer",
        "translate-tiny",
        (
            "model.embedding_dim=160",
            *(
                f"model.{side}.{said}"
                for side in ("encoder", "decoder")
                for said in ("dim=160", "hidden_dim=448")
            ),
            "train.optimizer.rate=0.0025",  # its preset's is for batches four times as large
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class MechanismRow:
    """An entry's models of all seeds."""

    name: str
    parameters: int
    bleu: tuple[float, ...]  # of each seed
    speed: float  # target tokens a second, of the seed that the machine disturbed least
    memory: int  # bytes
    agreement: float | None  # F1 of its looks with a dictionary's links
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
    def pairs(self) -> ParallelCorpus:
        few = 80 if self.quick else None
        return ParallelCorpus("multi30k", ("en", "de"), "train", "val", "test_2016_flickr", few)

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
        # small batches: of as many tokens, a model this young learns more in more steps
        return ["train.batch_tokens=1024", *training_budget(steps=600, every=600)]

    def find(self, taught: Sequence[TrainedRun], data: Path, say: Say) -> Findings:
        _, references = read_parallel(*taught[0].job.test)
        by_entry: dict[str, list[TrainedRun]] = {}
        for each in taught:
            by_entry.setdefault(each.job.entry.name, []).append(each)
        counts = {
            name: [count_statistics(each.outputs, references, ["bleu"])["bleu"] for each in seeds]
            for name, seeds in by_entry.items()
        }
        rows = compare_with_first(by_entry, counts, say)
        say(f"{SHOWN} How does each translate it?")
        firsts = [seeds[0].job for seeds in by_entry.values()]
        models = {job.entry: load_translator(job.directory.model, engine="torch") for job in firsts}
        pages = attention_page(SHOWN, "looks", models, WALKED)
        return Findings(
            {"rows": [asdict(row) for row in rows], "signature": _signature(counts)},
            {
                "table.md": _table(rows),
                "bleu.svg": strip_chart(
                    {row.name: row.bleu for row in rows},
                    title="BLEU by mechanism",
                    note="a mark for each seed, a bar for their mean",
                ),
                **pages,
            },
        )


def compare_with_first(
    by_entry: Mapping[str, Sequence[TrainedRun]],
    counts: Mapping[str, Sequence[MetricStatistics]],
    say: Say,
) -> list[MechanismRow]:
    first = next(iter(by_entry))
    rows = []
    for name, seeds in by_entry.items():
        apart = None
        if name != first:
            say(f"{name}: compared with {first}")
            apart = paired_difference(
                {"bleu": average_seeds(counts[name])}, {"bleu": average_seeds(counts[first])}
            )
        rows.append(
            MechanismRow(
                name,
                seeds[0].cost.parameters,
                tuple(each.corpus() for each in counts[name]),
                max(each.cost.speed for each in seeds),
                max(each.cost.memory for each in seeds),
                _agreement(seeds),
                None if apart is None else apart["bleu"],
            )
        )
    return rows


def average_seeds(seeds: Sequence[MetricStatistics]) -> MetricStatistics:
    """Each sentence with what all seeds made of it: drawn anew, it is drawn for all of them."""
    return replace(seeds[0], rows=sum((each.rows for each in seeds[1:]), seeds[0].rows))


def _agreement(seeds: Sequence[TrainedRun]) -> float | None:
    pointers = [
        load_translator(each.job.directory.model, engine="torch").alignment_head for each in seeds
    ]
    found = [pointer.agreement for pointer in pointers if pointer is not None]
    return fmean(found) if found else None


def _signature(counts: Mapping[str, Sequence[MetricStatistics]]) -> str:
    return next(iter(counts.values()))[0].signature


def _table(rows: Sequence[MechanismRow]) -> str:
    heads = ["mechanism", "BLEU", "±", "− additive", "p", "agreement", "tokens/s", "GB", "size"]
    return markdown_table(
        heads,
        [
            [
                row.name,
                f"{row.mean:.1f}",
                "–" if row.spread is None else f"{row.spread:.1f}",
                *_told(row.difference),
                "–" if row.agreement is None else f"{row.agreement:.2f}",
                f"{row.speed:,.0f}",
                f"{row.memory / 1e9:.2f}",
                f"{row.parameters / 1e6:.2f} M",
            ]
            for row in rows
        ],
    )


def _told(difference: Difference | None) -> tuple[str, str]:
    if difference is None:
        return "", ""
    return f"{difference.value:+.1f}", "–" if difference.p is None else f"{difference.p:.3f}"
