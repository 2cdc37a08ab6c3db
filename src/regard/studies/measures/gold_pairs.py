"""Pairs of sentences with word links that were made by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from regard.align.aer import score_alignments
from regard.align.extraction import align_words, all_links, force_texts
from regard.align.links import GoldAlignment, Links, check_gold, read_gold
from regard.align.symmetrize import transpose_links
from regard.align.tokenized_text import TokenizedText
from regard.align.word_aligner import WordAligner, aligner_words
from regard.align.word_alignment import WordAlignment
from regard.config.base import Config
from regard.data.formats.corpus import read_parallel
from regard.studies.measures.hansards import detokenize_hansards
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.words import split_at_spaces


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
