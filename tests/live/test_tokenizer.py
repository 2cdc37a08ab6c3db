"""The tokenizer of the page gives the pieces, spans and words of the one in Python."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from regard.text.normalize import Form
from regard.text.tokenizer import Kind, SentencePiece
from regard.text.words import pieces_by_word, split_words
from tests.live.program import needs_node, run_program

CHARACTERS = (
    "aeb ▁\u200b\u00a0\u00ad é é ñ 日本 🙂\u200d👩🏽 ﬁ ½ \t\n \x1c\x85\ud800 ’' 3.14 10,000 한글 각"
    " \u0301\u0323 ا ไทย \u180e\u3000\ufeff\u2028"
)


@needs_node
@pytest.mark.parametrize(
    ("kind", "form"), [("unigram", "NFC"), ("bpe", "NFC"), ("unigram", "NFKC")]
)
def test_texts_and_ids(kind: Kind, form: Form, tmp_path: Path) -> None:
    """2,000 texts of odd characters, 200 of known words, and 1,000 rows of any ids."""
    draw = random.Random(1)
    words = [
        f"{a}{b}" for a in ("stra", "Häus", "l'", "été", "no") for b in ("ße", "er", "eau", "")
    ]
    lines = [" ".join(draw.choices(words, k=draw.randint(1, 9))) + "." for _ in range(400)]
    tokenizer = SentencePiece.train(lines[:200], size=320, kind=kind, form=form)
    odd = ["".join(draw.choices(CHARACTERS, k=draw.randint(0, 25))) for _ in range(2_000)]
    texts = ["", " ", "▁", *odd, *lines[200:]]
    ids = [draw.choices(range(3, tokenizer.size), k=draw.randint(0, 12)) for _ in range(500)]
    ids += [draw.choices(range(4, 260), k=draw.randint(0, 12)) for _ in range(500)]  # bytes
    ids += tokenizer.encode(texts)
    vocabulary = {"kind": kind, "form": form, "pieces": tokenizer.entries()}
    answer = run_program(
        "tokenize", {"vocabulary": vocabulary, "texts": texts, "ids": ids}, tmp_path
    )
    for text, encoded in zip(texts, answer["encoded"], strict=True):
        pieces, spans = tokenizer.pieces(text), split_words(text)
        assert encoded == {
            "ids": list(pieces.ids),
            "names": list(pieces.pieces),
            "spans": [list(span) for span in pieces.spans],
            "words": [list(span) for span in spans],
            "wordPieces": pieces_by_word(pieces.spans, spans),
        }, repr(text)
    for row, decoded in zip(ids, answer["decoded"], strict=True):
        text, pieces = tokenizer.decode_with_spans(row)
        assert decoded == {"text": text, "spans": [list(span) for span in pieces.spans]}, row
