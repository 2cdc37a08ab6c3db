"""Attention as word alignment: the AER of the attention of trained models.

The gold links are those of 447 pairs of the Canadian Hansards (Och and Ney 2003). The models are
those of `bleu_by_length` that have attention, plus the other direction and models of which one
attention head is trained on the links of the word aligner (guided). In the others the alignment
head and its threshold are chosen without gold links, by agreement with the word aligner. The table
also reports the AER of the best possible head, without a threshold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from regard.align.aer import AlignmentScores, score_alignments
from regard.align.extraction import align_words, all_links, force_texts
from regard.align.links import GoldAlignment, Links, check_gold, read_gold, read_links
from regard.align.symmetrize import symmetrize, transpose_links
from regard.align.tokenized_text import END, TokenizedText
from regard.align.word_alignment import WordAlignment
from regard.data.formats.corpus import read_parallel
from regard.evaluate.scores import count_statistics
from regard.explain.pictures.heatmap import attention_heatmap
from regard.studies.attention_page import attention_page
from regard.studies.bleu_by_length import ENTRIES as BY_LENGTH
from regard.studies.bleu_by_length import BleuByLength
from regard.studies.hansards import detokenize_hansards
from regard.studies.study import Entry, Findings, StatusCallback, TrainedRun
from regard.studies.tables import markdown_table
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import Tokenizer

GOLD = "word-alignment-gold"
GUIDED = ("Bahdanau", "Luong", "Transformer")  # also trained with guided alignment
BIDIRECTIONAL = ("Bahdanau", "Transformer")  # both are also trained in the other direction
WITH_ATTENTION = [entry for entry in BY_LENGTH if entry.name not in ("no attention", "last state")]
SHOWN = 3  # pairs with a heatmap
FIGURE_3 = "The agreement on the European Economic Area was signed in August 1992."
"""The sentence of Bahdanau et al. 2015, figure 3a, in which three words change their order."""
MAX_SHOWN_WORDS = 14  # of a pair with a heatmap


@dataclass(frozen=True, slots=True)
class AlignmentRow:
    name: str
    agreement: AlignmentScores
    chosen: str  # the alignment head
    best: float | None = None  # the AER of the best alignment head, chosen with gold links
    bleu: float | None = None


class Alignments(BleuByLength):
    name = "alignments"

    def __init__(self, *, quick: bool, baselines: Mapping[str, str] | None = None) -> None:
        super().__init__(quick=quick)
        self.baselines = baselines or {}  # Pharaoh files of other aligners, by name

    @property
    def entries(self) -> Sequence[Entry]:
        setting = "train.guided_alignment={links: auto}"
        plain = [(entry, entry.name in BIDIRECTIONAL) for entry in WITH_ATTENTION]
        guided = [
            (replace(entry, name=f"{entry.name} guided", settings=(*entry.settings, setting)), both)
            for entry, both in plain
            if entry.name in GUIDED
        ]
        return [
            *(entry for entry, _ in plain),
            *(_backward(entry) for entry, both in plain if both),
            *(entry for entry, _ in guided),
            *(_backward(entry) for entry, both in guided if both),
        ]

    def analyze(
        self, trained: Sequence[TrainedRun], data: Path, on_status: StatusCallback
    ) -> Findings:
        every = 20 if self.quick else 1
        pairs = read_gold_pairs(data, every=every)
        on_status(f"attention on: {FIGURE_3}")
        models = {
            each.run.entry.name: Translator.load(each.run.directory.model, engine="torch")
            for each in trained
        }
        rows: list[AlignmentRow] = []
        shown = {entry: models[entry.name] for entry in WITH_ATTENTION}
        pages = attention_page(FIGURE_3, "figure-3", shown, [entry.name for entry in shown])
        _, references = read_parallel(*trained[0].run.test)
        for each in trained:
            name, entry = each.run.entry.name, each.run.entry
            if entry.reversed:
                continue
            on_status(f"{each.run.name}: alignment")
            alignments = pairs.align(models[name])
            rows.append(
                AlignmentRow(
                    name,
                    score_alignments([one.links for one in alignments], pairs.gold),
                    _chosen(models[name]),
                    pairs.best(models[name]),
                    count_statistics(each.outputs, references, ["bleu"])["bleu"].corpus_score(),
                )
            )
            for index in pairs.crossed():
                heatmap = _heatmap(name, alignments[index], pairs.gold[index])
                pages[f"{entry.stem}-{index + 1}.svg"] = heatmap
            if (backward := models.get(f"{name} backward")) is not None:
                on_status(f"{each.run.name}: both directions")
                rows += _both_directions(name, models[name], backward, pairs)
        for name, path in self.baselines.items():
            scores = score_alignments(read_links(path)[::every], pairs.gold)
            rows.append(AlignmentRow(name, scores, "–"))
        facts: dict[str, object] = {"rows": [asdict(row) for row in rows]}
        return Findings(facts, {"table.md": _table(rows), **pages})


def _backward(entry: Entry) -> Entry:
    return replace(entry, name=f"{entry.name} backward", reversed=True)


@dataclass(frozen=True, slots=True)
class GoldPairs:
    """Tokenized pairs with gold links, and the language of each side."""

    sources: Sequence[Sequence[str]]
    targets: Sequence[Sequence[str]]
    gold: Sequence[GoldAlignment]
    languages: tuple[str, str] = ("en", "fr")

    def reversed(self) -> GoldPairs:
        gold = [
            GoldAlignment(transpose_links(each.sure), transpose_links(each.possible))
            for each in self.gold
        ]
        return GoldPairs(self.targets, self.sources, gold, (self.languages[1], self.languages[0]))

    def texts(self, tokenizer: Tokenizer) -> list[tuple[TokenizedText, TokenizedText]]:
        """The pairs as natural text, with the words of the gold links."""

        def tokenize(words: Sequence[str], language: str) -> TokenizedText:
            raw, spans = detokenize_hansards(words, language)
            return TokenizedText(raw, tokenizer.pieces(raw), spans)

        one, other = self.languages
        return [
            (tokenize(source, one), tokenize(target, other))
            for source, target in zip(self.sources, self.targets, strict=True)
        ]

    def align(self, translator: Translator) -> list[WordAlignment]:
        """Align the pairs by the translator's alignment head."""
        head = translator.alignment_head
        assert head is not None, "the model has no attention"
        texts = self.texts(translator.tokenizer)
        forced = force_texts(translator.model, texts, [head.attention])
        return [align_words(head, *pair, one) for pair, one in zip(texts, forced, strict=True)]

    def best(self, translator: Translator) -> float:
        """The lowest AER of all alignment heads."""
        texts = self.texts(translator.tokenizer)
        found = all_links(texts, force_texts(translator.model, texts))
        return min(
            score_alignments([Links(each) for each in links], self.gold).aer
            for links in found.values()
        )

    def symmetrized(self, forward: Translator, backward: Translator) -> AlignmentScores:
        """The scores of the links of both directions, combined by grow-diag."""
        links = [
            symmetrize(one.links, transpose_links(other.links), "grow-diag")
            for one, other in zip(self.align(forward), self.reversed().align(backward), strict=True)
        ]
        return score_alignments(links, self.gold)

    def crossed(self) -> list[int]:
        """The indices of the short pairs with the most crossing sure links."""
        short = [
            index
            for index, pair in enumerate(zip(self.sources, self.targets, strict=True))
            if max(map(len, pair)) <= MAX_SHOWN_WORDS
        ]
        return sorted(short, key=lambda index: -_crossings(self.gold[index].sure))[:SHOWN]


def read_gold_pairs(data: Path, *, every: int = 1) -> GoldPairs:
    """Read the Hansards pairs from the directory of corpora; only each `every`-th of them."""
    stem = data / GOLD / "en-fr"
    sources, targets = read_parallel(f"{stem}.en", f"{stem}.fr")
    gold = read_gold(f"{stem}.align")
    check_gold(gold, sources, targets, f"{stem}.align")
    return GoldPairs(
        [each.split() for each in sources[::every]],
        [each.split() for each in targets[::every]],
        gold[::every],
    )


def _both_directions(
    name: str, forward: Translator, backward: Translator, pairs: GoldPairs
) -> list[AlignmentRow]:
    """Rows of the backward model and of both models."""
    reversed_pairs = pairs.reversed()
    links = [each.links for each in reversed_pairs.align(backward)]
    return [
        AlignmentRow(
            f"{name}, French to English",
            score_alignments(links, reversed_pairs.gold),
            _chosen(backward),
            reversed_pairs.best(backward),
        ),
        AlignmentRow(
            f"{name}, both directions", pairs.symmetrized(forward, backward), "grow-diag of the two"
        ),
    ]


def _crossings(links: Links) -> int:
    return sum(i < k and j > m for i, j in links for k, m in links)


def _chosen(translator: Translator) -> str:
    return "–" if translator.alignment_head is None else translator.alignment_head.summary


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


def _table(rows: Sequence[AlignmentRow]) -> str:
    heads = ["model", "AER", "precision", "recall", "best AER", "BLEU", "alignment head"]
    return markdown_table(
        heads,
        [
            [
                row.name,
                f"{row.agreement.aer:.1f}",
                f"{row.agreement.precision:.1f}",
                f"{row.agreement.recall:.1f}",
                *("–" if figure is None else f"{figure:.1f}" for figure in (row.best, row.bleu)),
                row.chosen,
            ]
            for row in rows
        ],
    )
