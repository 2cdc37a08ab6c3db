"""Word alignments of tokenized texts, and how the word aligner makes them.

Free of torch. `extraction` makes alignments from attention weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.align.links import Links, write_links
from regard.align.tokenized_text import TokenizedText, concatenate_texts
from regard.align.word_aligner import WordAligner, to_links
from regard.text.tokenizer import Span


@dataclass(frozen=True, slots=True)
class WordAlignment:
    """The word alignment of a source and a target text."""

    source: TokenizedText
    target: TokenizedText
    weights: NDArray[np.float32]  # J × I: of each target word; the last column is no source word
    links: Links  # (source word, target word)

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
        alignments.append(WordAlignment(source, target, weights, to_links(matrix)))
    return alignments


def concatenate_alignments(
    source: str, target: str, parts: Sequence[tuple[Span, Span, WordAlignment]]
) -> WordAlignment:
    """Combine the alignments of parts of two texts.

    Each part comes with its character spans in the source and in the target.
    """
    source_text = concatenate_texts(source, [(span[0], part.source) for span, _, part in parts])
    target_text = concatenate_texts(target, [(span[0], part.target) for _, span, part in parts])
    weights = np.zeros((len(target_text.words), len(source_text.words) + 1), np.float32)
    links: set[tuple[int, int]] = set()
    row = column = 0
    for *_, part in parts:
        rows, columns = part.weights.shape[0], part.weights.shape[1] - 1
        weights[row : row + rows, column : column + columns] = part.weights[:, :-1]
        weights[row : row + rows, -1] = part.weights[:, -1]
        links |= {(column + i, row + j) for i, j in part.links}
        row, column = row + rows, column + columns
    return WordAlignment(source_text, target_text, weights, Links(links))


def _lowercased(text: TokenizedText) -> list[str]:
    return [word.lower() for word in text.word_texts]
