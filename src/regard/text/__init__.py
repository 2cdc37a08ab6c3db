"""Strings and ids: normalise, tokenise with offsets, find words and sentences. Without torch."""

from __future__ import annotations

from regard.text.normalize import Form, normalize, trace
from regard.text.split import sentences
from regard.text.tokenizer import BOS, EOS, PAD, UNK, Flat, Pieces, SentencePiece, Span, Tokenizer
from regard.text.words import pieces_of_words, words, words_of_pieces

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "UNK",
    "Flat",
    "Form",
    "Pieces",
    "SentencePiece",
    "Span",
    "Tokenizer",
    "normalize",
    "pieces_of_words",
    "sentences",
    "trace",
    "words",
    "words_of_pieces",
]
