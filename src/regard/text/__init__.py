"""Text processing without torch: normalization, tokenization with offsets, words, sentences."""

from __future__ import annotations

from regard.text.normalize import Form, normalize, trace_normalization
from regard.text.sentences import split_sentences
from regard.text.tokenizer import (
    BOS,
    EOS,
    PAD,
    UNK,
    FlatIds,
    SentencePiece,
    Span,
    TokenizedPieces,
    Tokenizer,
)
from regard.text.words import pieces_by_word, split_words, words_by_piece

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "UNK",
    "FlatIds",
    "Form",
    "SentencePiece",
    "Span",
    "TokenizedPieces",
    "Tokenizer",
    "normalize",
    "pieces_by_word",
    "split_sentences",
    "split_words",
    "trace_normalization",
    "words_by_piece",
]
