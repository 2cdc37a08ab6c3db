"""The measures of alignments: error rate against gold links, and agreement with an aligner.

The alignment head of a model and its threshold are chosen without gold links, by agreement with the
word aligner, unless training has chosen it. The table also has the error rate of the best possible
head, without a threshold; that of both directions, where the study has the entry of the other
direction; that of the word aligner, with the words of the gold links as they are; and that of other
aligners, from files of their links.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from regard.align.extraction import align_words, all_links, force_texts
from regard.align.links import (
    AlignmentScores,
    GoldAlignment,
    Links,
    check_gold,
    read_gold,
    read_links,
    score_alignments,
    symmetrize,
    transpose_links,
)
from regard.align.tokenized_text import END, TokenizedText
from regard.align.word_aligner import WordAligner, aligner_words
from regard.align.word_alignment import WordAlignment
from regard.config.base import Config, Count
from regard.data.formats.corpus import read_parallel
from regard.evaluate.bootstrap import RatioStatistics
from regard.explain.pictures.heatmap import attention_heatmap
from regard.studies.measures.measure import (
    QUICK_PAIRS,
    MeasureConfig,
    MeasureContext,
    MeasureResult,
    ResultTable,
    TrainedRun,
    compared_column,
    mean_and_deviation,
)
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import Span, Tokenizer
from regard.text.words import split_at_spaces

# -- detokenization of the Hansards gold sentences into natural text, as models were trained on ----
# Gold sentences are separated by spaces, and French contractions are expanded: « l'ordre des choses
# » is `le ordre de les choses`. After contraction two words may share their characters: `de` and
# `les` are both « des ».


_ELIDED = re.compile("le|la|de|ne|ce|que|je|se|me|te|lorsque|puisque|jusque", re.IGNORECASE)
# before a vowel, and before the words with a silent h that occur in debates
_SILENT = re.compile(
    r"[aeiouyàâéèêëîïôûœ]|h(eur|omm|onor|onn|ist|ôpi|ôte|abit|ui|uman)", re.IGNORECASE
)
_MERGED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
_CLOSING = {"fr": (",", ".", ")", "-"), "en": (",", ".", ")", "-", "%", "?", "!", ";", ":", "'s")}
_OPENING = ("(", "-", "aujourd'")


def detokenize_hansards(words: Sequence[str], language: str) -> tuple[str, list[Span]]:
    """The text with an initial capital, and the character span of each word."""
    text, spans = "", list[Span]()
    attached = True  # no space before the next word
    remaining = list(words)
    while remaining:
        word, count = remaining[0], 1
        surface = word
        if language == "fr" and _elides(remaining):
            surface = f"{word[:-1]}'"
        elif language == "fr" and tuple(remaining[:2]) in _MERGED and not _elides(remaining[1:]):
            surface, count = _MERGED[word, remaining[1]], 2
        if not (attached or word in _CLOSING[language]):
            text += " "
        spans += [(len(text), len(text) + len(surface))] * count
        text += surface
        attached = word in _OPENING or surface.endswith("'")
        remaining = remaining[count:]
    return text[:1].upper() + text[1:], spans


def _elides(words: Sequence[str]) -> bool:
    """Whether the first word is elided before the second."""
    return len(words) > 1 and bool(_ELIDED.fullmatch(words[0]) and _SILENT.match(words[1]))


# -- pairs of sentences with word links that were made by hand -------------------------------------


class GoldPairsConfig(Config):
    """Files of gold links. Words are separated by spaces."""

    source: str  # the file of source sentences
    target: str  # the file of target sentences
    links: str  # i-j are sure, i?j or ipj possible links
    one_based: bool = False  # whether the file counts words from 1
    # How to make natural text of the words; null: as they are.
    detokenize: Literal["hansards"] | None = None

    @property
    def files(self) -> tuple[str, str, str]:
        return self.source, self.target, self.links

    def read(self, find_file: Callable[[str], Path], limit: int | None = None) -> GoldPairs:
        """Read the pairs; with a `limit`, about so many of them."""
        source, target, links = (str(find_file(path)) for path in self.files)
        sources, targets = read_parallel(source, target)
        gold = read_gold(links, first=int(self.one_based))
        check_gold(gold, sources, targets, links)
        every = 1 if limit is None else -(-len(gold) // limit)
        return GoldPairs(
            [sentence.split() for sentence in sources[::every]],
            [sentence.split() for sentence in targets[::every]],
            gold[::every],
            ("en", "fr") if self.detokenize == "hansards" else None,
            every,
        )


@dataclass(frozen=True, slots=True)
class GoldPairs:
    """Pairs of word lists with gold links."""

    sources: Sequence[Sequence[str]]
    targets: Sequence[Sequence[str]]
    gold: Sequence[GoldAlignment]
    hansards: tuple[str, str] | None = None  # the languages, for words of the Hansards
    every: int = 1  # the pairs are each `every`-th pair of their files

    def reversed(self) -> GoldPairs:
        gold = [
            GoldAlignment(transpose_links(alignment.sure), transpose_links(alignment.possible))
            for alignment in self.gold
        ]
        hansards = None if self.hansards is None else (self.hansards[1], self.hansards[0])
        return GoldPairs(self.targets, self.sources, gold, hansards, self.every)

    def texts(self, tokenizer: Tokenizer) -> list[tuple[TokenizedText, TokenizedText]]:
        """The pairs as text, with the words of the gold links."""

        def tokenize(words: Sequence[str], side: int) -> TokenizedText:
            if self.hansards is None:
                raw = " ".join(words)
                spans = split_at_spaces(raw)
            else:
                raw, spans = detokenize_hansards(words, self.hansards[side])
            return TokenizedText(raw, tokenizer.pieces(raw), spans)

        return [
            (tokenize(source, 0), tokenize(target, 1))
            for source, target in zip(self.sources, self.targets, strict=True)
        ]

    def align(self, translator: Translator) -> list[WordAlignment]:
        """Align the pairs by the translator's alignment head."""
        head = translator.alignment_head
        assert head is not None, "the model has no attention"
        texts = self.texts(translator.tokenizer)
        forced = force_texts(translator.model, texts, [head.attention])
        return [
            align_words(head, *pair, decoding) for pair, decoding in zip(texts, forced, strict=True)
        ]

    def align_by_words(self, aligner: WordAligner) -> list[Links]:
        """Align the pairs by a word aligner, with their words as they are."""
        sources, targets = (
            [aligner_words(" ".join(words), pretokenized=True) for words in side]
            for side in (self.sources, self.targets)
        )
        return aligner.links(list(zip(sources, targets, strict=True)))

    def best_error(self, translator: Translator) -> float:
        """The lowest alignment error rate of all alignment heads, chosen with the gold links."""
        texts = self.texts(translator.tokenizer)
        links_by_head = all_links(texts, force_texts(translator.model, texts))
        return min(score_alignments(links, self.gold).aer for links in links_by_head.values())

    def crossed(self, count: int, max_words: int) -> list[int]:
        """The indices of the pairs of at most `max_words` with the most crossing sure links."""
        short = [
            index
            for index, pair in enumerate(zip(self.sources, self.targets, strict=True))
            if max(map(len, pair)) <= max_words
        ]
        return sorted(short, key=lambda index: -_crossings(self.gold[index]))[:count]


def _crossings(gold: GoldAlignment) -> int:
    return sum(i < k and j > m for i, j in gold.sure for k, m in gold.sure)


# -- alignment error -------------------------------------------------------------------------------


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
        rows: list[list[str]] = []
        files: dict[str, str] = {}
        aligner: WordAligner | None = None  # all bundles of a direction have the same
        for name in context.runs:
            aligned = _align_seeds(name, pairs, shown, context)
            aligner = aligned.aligner or aligner
            files |= aligned.heatmaps
            if aligned.links:
                links[name] = aligned.links
                best = mean_and_deviation(aligned.best_errors, ".1f")
                rows.append(_row(name, aligned.links, pairs, best, aligned.head))
        for name in links:
            if (forward := context.entry(name).reverses) in links:
                both = _symmetrize_seeds(links[forward], links[name])
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


@dataclass(slots=True)
class _SeedAlignments:
    """What the seeds of a model say on the gold pairs."""

    links: list[list[Links]] = field(default_factory=list)  # of each seed, from source to target
    best_errors: list[float] = field(default_factory=list)  # of each seed
    head: str = ""  # the alignment head of the last seed
    aligner: WordAligner | None = None  # of the bundles, unless their direction is reversed
    heatmaps: dict[str, str] = field(default_factory=dict)  # of the first seed, by file


def _align_seeds(
    name: str, pairs: GoldPairs, shown: Sequence[int], context: MeasureContext
) -> _SeedAlignments:
    """Align the pairs by each seed of a model, up to one without an alignment head."""
    alignments = _SeedAlignments()
    reverse, seeds = context.entry(name).reversed, context.runs[name]
    directed = pairs.reversed() if reverse else pairs
    for trained in seeds:
        translator = trained.translator()
        if translator.alignment_head is None:
            break
        context.on_status(f"{trained.run.name}: alignment error rate")
        aligned = directed.align(translator)
        links = [alignment.links for alignment in aligned]
        alignments.links.append(list(map(transpose_links, links)) if reverse else links)
        alignments.best_errors.append(directed.best_error(translator))
        alignments.head = translator.alignment_head.summary
        if not reverse:
            alignments.aligner = translator.aligner or alignments.aligner
        if trained is seeds[0] and not reverse:
            for index in shown:
                picture = _heatmap(name, aligned[index], pairs.gold[index])
                alignments.heatmaps[f"{trained.run.entry.stem}-{index + 1}.svg"] = picture
    return alignments


def _symmetrize_seeds(
    forward: Sequence[Sequence[Links]], backward: Sequence[Sequence[Links]]
) -> list[list[Links]]:
    """The links of both directions, of each seed of one with the same seed of the other."""
    return [
        [symmetrize(*pair, "grow-diag") for pair in zip(*seeds, strict=True)]
        for seeds in zip(forward, backward, strict=True)
    ]


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


# -- the agreement of a model's attention with the word aligner ------------------------------------


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
