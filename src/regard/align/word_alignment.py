"""Word alignments of tokenized texts, and how the word aligner makes them.

Free of torch. `extraction` makes alignments from attention weights.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from regard.align.hmm import Matrix
from regard.align.links import Links, write_links
from regard.align.tokenized_text import TokenizedText, concatenate_texts
from regard.align.word_aligner import ALIGNER_FILE, WordAligner, to_links
from regard.data import storage
from regard.data.corpus_job import BlockFunction, BlockResult, Compute
from regard.data.formats.corpus import Block
from regard.data.preparation.runner import Facts
from regard.text.tokenizer import Span
from regard.text.words import join_weights, split_at_spaces, split_words


@dataclass(frozen=True, slots=True)
class WordAlignment:
    """The word alignment of a source and a target text.

    Args:
        source: The source text.
        target: The target text.
        parts: Of each part of the texts that was aligned by itself, the weights of its links:
            target words × source words, and a last column of no source word.
        links: (source word, target word).
    """

    source: TokenizedText
    target: TokenizedText
    parts: tuple[NDArray[np.float32], ...]
    links: Links

    @property
    def weights(self) -> NDArray[np.float32]:
        """J × (I + 1): of each target word; the last column is no source word."""
        return join_weights(self.parts)

    def __str__(self) -> str:
        return write_links(self.links)


def align_texts(
    aligner: WordAligner, pairs: Sequence[tuple[TokenizedText, TokenizedText]]
) -> list[WordAlignment]:
    """Align the words of pairs by the word aligner; weights are probabilities of links."""
    words = [(_lowercased(source), _lowercased(target)) for source, target in pairs]
    alignments = []
    for (source, target), matrix in zip(pairs, aligner.posteriors(words), strict=True):
        linked = matrix.T
        null = np.maximum(0, 1 - linked.sum(axis=1, keepdims=True))
        weights = np.concatenate([linked, null], axis=1)
        alignments.append(WordAlignment(source, target, (weights,), to_links(matrix)))
    return alignments


def concatenate_alignments(
    source: str, target: str, parts: Sequence[tuple[Span, Span, WordAlignment]]
) -> WordAlignment:
    """Combine the alignments of parts of two texts.

    Each part comes with its character spans in the source and in the target.
    """
    source_text = concatenate_texts(source, [(span[0], part.source) for span, _, part in parts])
    target_text = concatenate_texts(target, [(span[0], part.target) for _, span, part in parts])
    links = concatenate_links(
        [(part.links, len(part.source.words), len(part.target.words)) for *_, part in parts]
    )
    weights = tuple(matrix for *_, part in parts for matrix in part.parts)
    return WordAlignment(source_text, target_text, weights, links)


def concatenate_links(parts: Iterable[tuple[Iterable[tuple[int, int]], int, int]]) -> Links:
    """Combine the links of parts of two texts.

    Each part comes with the number of its source words and of its target words.
    """
    links: set[tuple[int, int]] = set()
    row = column = 0
    for part, sources, targets in parts:
        links |= {(column + i, row + j) for i, j in part}
        row, column = row + targets, column + sources
    return Links(links)


def _lowercased(text: TokenizedText) -> list[str]:
    return [word.lower() for word in text.word_texts]


# -- the corpus job that aligns words with a word aligner ------------------------------------------


@dataclass(frozen=True)
class AlignerBlocks(BlockFunction):
    """Aligns pairs with the aligner in the file or URL `path`."""

    verb: ClassVar[str] = "align"

    path: str
    digest: str
    pretokenized: bool
    as_json: bool

    @classmethod
    def of(cls, folder: str, pretokenized: bool, as_json: bool) -> AlignerBlocks:
        """Return the function of the aligner in a directory."""
        path = storage.join_path(folder, ALIGNER_FILE)
        digest = hashlib.sha256(storage.read_bytes(path)).hexdigest()
        return cls(path, digest, pretokenized, as_json)

    @property
    def identity(self) -> Facts:
        return {
            "aligner": self.digest,
            "pretokenized": self.pretokenized,
            "json": self.as_json,
        }

    def load(self) -> Compute:
        aligner = WordAligner.from_bytes(storage.read_bytes(self.path), self.path)
        split = split_at_spaces if self.pretokenized else split_words

        def compute(block: Block) -> BlockResult:
            spans = [(split(pair.source), split(pair.target)) for pair in block.pairs()]
            words = [
                (_words(pair.source, source_spans), _words(pair.target, target_spans))
                for pair, (source_spans, target_spans) in zip(block.pairs(), spans, strict=True)
            ]
            posteriors = list(zip(spans, aligner.posteriors(words), strict=True))
            links = [write_links(to_links(matrix)) for _, matrix in posteriors]
            lines = links
            if self.as_json:
                lines = [json.dumps(alignment_json(*sides, matrix)) for sides, matrix in posteriors]
            return BlockResult(
                lines, {"source": block.sources, "target": block.targets, "links": links}
            )

        return compute


def alignment_json(
    source: Sequence[Span], target: Sequence[Span], matrix: Matrix
) -> dict[str, object]:
    """Links, their probabilities, and the character offsets of words, as JSON values."""
    links = to_links(matrix)
    return {
        "links": write_links(links),
        "source_words": source,
        "target_words": target,
        "probabilities": [round(float(matrix[link]), 4) for link in sorted(links)],
    }


def _words(text: str, spans: Sequence[Span]) -> list[str]:
    return [text[start:end].lower() for start, end in spans]
