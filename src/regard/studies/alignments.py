"""Attention and alignment: do models look at the words that they translate?

Word links that people drew in 447 pairs of the Canadian Hansards (Och and Ney 2003), against where
the models of the study of lengths look. Which look, head and moment is read as an alignment is
chosen without these links, by agreement with a dictionary or with the other direction; what the
best choice would have been is told beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from regard.align.aer import AlignmentScores, score_alignments
from regard.align.extraction import WordAlignment, align_words, all_links, force_texts
from regard.align.links import GoldAlignment, Links, check_gold, read_gold, read_links
from regard.align.symmetrize import symmetrize, transpose_links
from regard.align.tokenized_text import END, TokenizedText
from regard.data.formats.corpus import read_parallel
from regard.evaluate.scores import count_statistics
from regard.explain.pictures.heatmap import attention_heatmap
from regard.studies.attention_page import attention_page
from regard.studies.bleu_by_length import ENTRIES as BY_LENGTH
from regard.studies.bleu_by_length import BleuByLength
from regard.studies.hansards import detokenize_hansards
from regard.studies.study import Entry, Findings, Say, TrainedRun
from regard.studies.tables import markdown_table
from regard.tasks.translation.calibrate import choose_agreeing_heads as point_where_both_agree
from regard.tasks.translation.module import Pairs
from regard.tasks.translation.translator import Translator, load_translator
from regard.text.tokenizer import Tokenizer

GOLD = "word-alignment-gold"
BACK = ("Bahdanau", "Transformer")  # taught in the other direction too
LOOKING = [entry for entry in BY_LENGTH if entry.name not in ("no attention", "last state")]
SHOWN = 3  # pairs that are drawn
FIGURE_3 = "The agreement on the European Economic Area was signed in August 1992."
"""Bahdanau et al. 2015, figure 3a: the most cited look of all, and three words change places."""
FEW = 14  # words of a pair that is drawn, at the most


@dataclass(frozen=True, slots=True)
class AlignmentRow:
    name: str
    agreement: AlignmentScores
    chosen: str  # which look, head and moment
    best: float | None = None  # the AER of the best choice, for which one needs the gold links
    bleu: float | None = None  # of what it translates


class Alignments(BleuByLength):
    name = "alignments"

    def __init__(self, *, quick: bool, beside: Mapping[str, str] | None = None) -> None:
        super().__init__(quick=quick)
        self.beside = beside or {}  # Pharaoh files of other aligners, by their names

    @property
    def entries(self) -> Sequence[Entry]:
        forth = [entry for entry in LOOKING if entry.name in BACK]
        back = [replace(entry, name=f"{entry.name} back", reversed=True) for entry in forth]
        guided = [
            replace(one, name=f"{there.name} guided{way}", guides=(there.name, again.name))
            for there, again in zip(forth, back, strict=True)
            for one, way in ((there, ""), (again, " back"))
        ]
        return (*LOOKING, *back, *guided)

    def find(self, taught: Sequence[TrainedRun], data: Path, say: Say) -> Findings:
        every = 20 if self.quick else 1
        pairs = read_gold_pairs(data, every=every)
        say(f"{FIGURE_3} How does each translate it?")
        models = {
            each.job.entry.name: load_translator(each.job.directory.model, engine="torch")
            for each in taught
        }
        rows: list[AlignmentRow] = []
        looking = {entry: models[entry.name] for entry in LOOKING}
        pages = attention_page(FIGURE_3, "figure-3", looking, [entry.name for entry in LOOKING])
        _, references = read_parallel(*taught[0].job.test)
        for each in taught:
            name, entry = each.job.entry.name, each.job.entry
            if entry.reversed:
                continue
            say(f"{each.job.name}: where it looks")
            found = pairs.align(models[name])
            rows.append(
                AlignmentRow(
                    name,
                    score_alignments([one.links for one in found], pairs.gold),
                    _chosen(models[name]),
                    pairs.best(models[name]),
                    count_statistics(each.outputs, references, ["bleu"])["bleu"].corpus(),
                )
            )
            for place in pairs.crossed():
                drawn = _drawn(name, found[place], pairs.gold[place])
                pages[f"{entry.stem}-{place + 1}.svg"] = drawn
            if (back := models.get(f"{name} back")) is not None:
                say(f"{each.job.name}: both directions")
                rows += _both(name, models[name], back, pairs, taught[0])
        for name, path in self.beside.items():
            rows.append(
                AlignmentRow(
                    name, score_alignments(read_links(path)[::every], pairs.gold), "its own"
                )
            )
        facts: dict[str, object] = {"rows": [asdict(row) for row in rows]}
        return Findings(facts, {"table.md": _table(rows), **pages})


@dataclass(frozen=True, slots=True)
class GoldPairs:
    """Pairs in words that people have linked, and the language of each side."""

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
        def read(words: Sequence[str], language: str) -> TokenizedText:
            raw, spans = detokenize_hansards(words, language)
            return TokenizedText(raw, tokenizer.pieces(raw), spans)

        one, other = self.languages
        return [
            (read(source, one), read(target, other))
            for source, target in zip(self.sources, self.targets, strict=True)
        ]

    def align(self, translator: Translator) -> list[WordAlignment]:
        """As the translator itself would, of texts as people write them."""
        pointer = translator.alignment_head
        assert pointer is not None, "only models that look are asked"
        texts = self.texts(translator.tokenizer)
        readings = force_texts(translator.model, texts, [pointer.attention])
        return [align_words(pointer, *pair, one) for pair, one in zip(texts, readings, strict=True)]

    def best(self, translator: Translator) -> float:
        """The least AER that any look, head and moment has."""
        texts = self.texts(translator.tokenizer)
        found = all_links(texts, force_texts(translator.model, texts))
        return min(score_alignments(links, self.gold).aer for links in found.values())

    def both(self, forth: Translator, back: Translator) -> AlignmentScores:
        there, again = self.align(forth), self.reversed().align(back)
        links = [
            symmetrize(one.links, transpose_links(other.links), "grow-diag")
            for one, other in zip(there, again, strict=True)
        ]
        return score_alignments(links, self.gold)

    def crossed(self) -> list[int]:
        """The short pairs with most sure links that cross others: words change places there."""
        short = [
            place
            for place, pair in enumerate(zip(self.sources, self.targets, strict=True))
            if max(map(len, pair)) <= FEW
        ]
        return sorted(short, key=lambda place: -_crossings(self.gold[place].sure))[:SHOWN]


def read_gold_pairs(data: Path, *, every: int = 1) -> GoldPairs:
    """The pairs of the Hansards, from the folder of corpora; or every so many."""
    stem = data / GOLD / "en-fr"
    sources, targets = read_parallel(f"{stem}.en", f"{stem}.fr")
    gold = read_gold(f"{stem}.align")
    check_gold(gold, sources, targets, f"{stem}.align")
    return GoldPairs(
        [each.split() for each in sources[::every]],
        [each.split() for each in targets[::every]],
        gold[::every],
    )


def _both(
    name: str, forth: Translator, back: Translator, pairs: GoldPairs, taught: TrainedRun
) -> list[AlignmentRow]:
    """The other direction, and both together; at last, pointing where both agree."""
    turned_pairs = pairs.reversed()
    found = [each.links for each in turned_pairs.align(back)]
    rows = [
        AlignmentRow(
            f"{name}, French to English",
            score_alignments(found, turned_pairs.gold),
            _chosen(back),
            turned_pairs.best(back),
        ),
        AlignmentRow(f"{name}, both", pairs.both(forth, back), "grow-diag of the two"),
    ]
    valid = taught.job.run.data.valid
    assert valid is not None
    held = read_parallel(valid.files[0], valid.files[1])
    point_where_both_agree(forth, back, Pairs(tuple(held[0]), tuple(held[1])))
    chosen = f"{_chosen(forth)}; {_chosen(back)}"
    return [*rows, AlignmentRow(f"{name}, both, chosen together", pairs.both(forth, back), chosen)]


def _crossings(links: Links) -> int:
    return sum(i < k and j > m for i, j in links for k, m in links)


def _chosen(translator: Translator) -> str:
    return "–" if translator.alignment_head is None else translator.alignment_head.summary


def _drawn(name: str, aligned: WordAlignment, gold: GoldAlignment) -> str:
    return attention_heatmap(
        aligned.weights.numpy(),
        row_labels=aligned.target.word_texts,
        column_labels=(*aligned.source.word_texts, END),
        title=name,
        note="dots: its links; frames: links by hand",
        links=aligned.links,
        gold=gold.sure,
    )


def _table(rows: Sequence[AlignmentRow]) -> str:
    heads = ["model", "AER", "precision", "recall", "best choice", "BLEU", "read as an alignment"]
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
