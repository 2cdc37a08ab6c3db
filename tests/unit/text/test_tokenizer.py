"""Tokenization: round trips, special tokens, spans of pieces."""

from __future__ import annotations

import json
import time
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.errors import ArtifactError, ConfigError
from regard.text import (
    BOS,
    EOS,
    PAD,
    UNK,
    SentencePiece,
    normalize,
    pieces_by_word,
    split_words,
    words_by_piece,
)
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, Kind

LINES = [
    "the black cat sleeps on the red sofa",
    "the small dog does not sleep, it barks at the postman",
    "die schwarze Katze schläft auf dem roten Sofa",
    "der kleine Hund schläft nicht, er bellt den Briefträger an",
    "le chat noir dort sur le canapé rouge ; l'été, il dort dehors",
    "我爱北京天安门，你呢？",
    "今日はとても良い天気ですね。",
    "اللغة العربية جميلة",
] * 20

SPECIAL = "</s> <s> <pad> <unk> <0x41> ▁ 0 1 2 3 <2de> >>fra<< ⁇ ▅"
trouble = st.sampled_from(
    "e\u0301\u0323\u0344ﬁ\ufdfa▁▅⁇\x00\t\u2028\u200b\u200d\ufeff\ud83d👩👧🏽가\u1161的ض <>/s"
)
characters = st.one_of(trouble, st.characters(), st.sampled_from("abcdef ist the schläft 我爱北"))
strings = st.text(characters, max_size=20)
many_strings = st.lists(strings, min_size=50, max_size=50)  # 100 examples for each: 10,000 strings
ten_thousand = settings(deadline=None, max_examples=100)


@pytest.fixture(scope="module", params=["unigram", "bpe"])
def tokenizer(request: pytest.FixtureRequest) -> SentencePiece:
    return SentencePiece.train(LINES, size=500, kind=request.param)


@ten_thousand
@given(texts=many_strings)
def test_decoding_returns_the_normalized_text(tokenizer: SentencePiece, texts: list[str]) -> None:
    for text, ids in zip(texts, tokenizer.encode(texts), strict=True):
        assert tokenizer.decode(ids) == normalize(text)
        assert tokenizer.decode([BOS, *ids, EOS, PAD, PAD]) == normalize(text)
        assert not {PAD, BOS, EOS, UNK} & set(ids)


@ten_thousand
@given(texts=many_strings)
def test_spans_of_pieces_and_words_match_the_raw_text(
    tokenizer: SentencePiece, texts: list[str]
) -> None:
    for text, ids in zip(texts, tokenizer.encode(texts), strict=True):
        found = tokenizer.pieces(text)
        assert list(found.ids) == ids
        starts = [start for start, _ in found.spans]
        assert starts == sorted(starts)
        assert all(0 <= start <= end <= len(text) for start, end in found.spans)
        at = 0
        while at < len(ids):  # pieces with overlapping spans decode to the text of these spans
            start, end = found.spans[at]
            group = at + 1
            while group < len(ids) and found.spans[group][0] < end:
                end = max(end, found.spans[group][1])
                group += 1
            assert normalize(text[start:end]) == tokenizer.decode(ids[at:group]).strip()
            at = group
        spans = split_words(text)
        for word, pieces in zip(spans, pieces_by_word(found.spans, spans), strict=True):
            touching = [i for i, (a, b) in enumerate(found.spans) if a < word[1] and b > word[0]]
            assert set(touching) <= set(pieces)
        words = words_by_piece(found.spans, spans)
        assert all(words) or not spans


@ten_thousand
@given(texts=many_strings)
def test_spans_of_decoded_pieces_end_where_their_text_ends(
    tokenizer: SentencePiece, texts: list[str]
) -> None:
    for ids in tokenizer.encode(texts):
        text, found = tokenizer.decode_with_spans(ids)
        assert (text, list(found.ids)) == (tokenizer.decode(ids), ids)
        for at, (name, (start, end)) in enumerate(zip(found.pieces, found.spans, strict=True), 1):
            if not name.startswith("<0x"):
                assert end == len(tokenizer.decode(ids[:at]))
                assert text[start:end] in (name.lstrip("▁"), " ")


@pytest.mark.parametrize(
    "text", ["a\u0301", " 你 好", "x\tﬁ\n", "👩\u200d👧 e", "\ufeffdie  Katze "]
)
def test_a_span_covers_the_piece_without_its_space(tokenizer: SentencePiece, text: str) -> None:
    found = tokenizer.pieces(text)
    for name, (start, end) in zip(found.pieces, found.spans, strict=True):
        if not name.startswith("<0x"):
            assert normalize(text[start:end]) == name.lstrip("▁")


def test_no_text_is_encoded_to_special_tokens(tokenizer: SentencePiece) -> None:
    for ids in tokenizer.encode([SPECIAL, *SPECIAL.split(), "</s>" * 1_000]):
        assert ids and not {PAD, BOS, EOS, UNK} & set(ids)


def test_no_text_is_encoded_to_ids_that_sampling_excludes(tokenizer: SentencePiece) -> None:
    never = set(tokenizer.never_encoded)
    pieces = {tokenizer.piece(i) for i in never}
    assert {PAD, BOS, UNK} < never and EOS not in never
    assert {"<0x00>", "<0x09>", "<0x0A>", "<0x0D>", "<0x7F>"} < pieces and "<0x20>" not in pieces
    texts = [f"a{chr(code)}b" for code in range(0x500)]
    assert not never & set(chain.from_iterable(tokenizer.encode(texts)))


def test_flat_ids_are_the_concatenated_ids(tokenizer: SentencePiece) -> None:
    texts = [*LINES[:5], "", "é"]
    rows, flat = tokenizer.encode(texts), tokenizer.encode_flat(texts)
    assert flat.ids.dtype == np.uint16
    assert flat.ids.tolist() == list(chain.from_iterable(rows))
    assert flat.lengths.tolist() == [len(row) for row in rows]


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_the_same_lines_give_the_same_model(kind: Kind) -> None:
    first, second = (SentencePiece.train(LINES, size=450, kind=kind) for _ in range(2))
    assert first.model == second.model
    assert first.fingerprint == second.fingerprint
    assert first.fingerprint != SentencePiece(first.model, "NFKC").fingerprint


def test_repeated_lines_do_not_slow_down_training() -> None:
    lines = [f"the {n * 7919 % 1009}th of {n} boats left at {n % 23} o'clock" for n in range(800)]
    start = time.process_time()
    SentencePiece.train([*lines, *lines, *lines], size=500)
    assert time.process_time() - start < 10  # 2 s; a minute if SentencePiece got all three copies


def test_an_impossible_vocabulary_size_is_refused() -> None:
    with pytest.raises(ConfigError, match="10 pieces"):
        SentencePiece.train(LINES, size=10)
    with pytest.raises(ConfigError, match="more text"):
        SentencePiece.train([], size=500)
    with pytest.raises(ConfigError, match="100,001 pieces"):
        SentencePiece.train(LINES, size=100_001)


def test_a_saved_tokenizer_can_be_loaded(tokenizer: SentencePiece, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "run")
    loaded = SentencePiece.load(tmp_path / "run")
    assert loaded.fingerprint == tokenizer.fingerprint
    assert loaded.encode(LINES[:8]) == tokenizer.encode(LINES[:8])


def test_a_damaged_tokenizer_is_refused(tokenizer: SentencePiece, tmp_path: Path) -> None:
    tokenizer.save(tmp_path)
    model = tmp_path / MODEL_FILE
    for place in range(0, len(tokenizer.model), len(tokenizer.model) // 50):
        flipped = bytearray(tokenizer.model)
        flipped[place] ^= 1
        model.write_bytes(flipped)
        with pytest.raises(ArtifactError, match="SHA-256"):
            SentencePiece.load(tmp_path)
    model.write_bytes(b"")
    with pytest.raises(ArtifactError, match="SHA-256"):
        SentencePiece.load(tmp_path)
    model.unlink()
    with pytest.raises(ArtifactError, match="cannot read a tokenizer"):
        SentencePiece.load(tmp_path)


def test_settings_of_another_normalization_are_refused(
    tokenizer: SentencePiece, tmp_path: Path
) -> None:
    tokenizer.save(tmp_path)
    path = tmp_path / SETTINGS_FILE
    settings = json.loads(path.read_text())
    path.write_text(json.dumps(settings | {"form": "NFKC"}))
    with pytest.raises(ArtifactError, match="fingerprint"):
        SentencePiece.load(tmp_path)
    path.write_text(json.dumps(settings | {"rules": 0}))
    with pytest.raises(ArtifactError, match="rules 0"):
        SentencePiece.load(tmp_path)
    path.write_text("[]")
    with pytest.raises(ArtifactError, match="cannot read a tokenizer"):
        SentencePiece.load(tmp_path)


def test_an_empty_or_invalid_model_is_refused() -> None:
    for model in (b"", b"not a model"):
        with pytest.raises(ArtifactError, match=MODEL_FILE):
            SentencePiece(model)


@pytest.mark.parametrize("unit", ["a", "的", "</s>", "\ufdfa", "e\u0301", "the "])
def test_encoding_takes_linear_time(unit: str) -> None:
    tokenizer = SentencePiece.train(LINES, size=500)

    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        tokenizer.encode([text])
        return time.process_time() - start

    small, large = (min(seconds(size) for _ in range(3)) for size in (100_000, 400_000))
    assert large < max(12 * small, 0.1)  # linear is 4 ×, quadratic 16 ×


@pytest.mark.parametrize("gap", [" ", ""], ids=["words", "no spaces"])
def test_lines_over_64_kib_are_trained_on(gap: str) -> None:
    """SentencePiece skips longer lines."""
    long = gap.join(["Ω", *["schön"] * 20_000, "Ж"])
    assert len(long.encode()) > 1 << 16
    tokenizer = SentencePiece.train(["plain text"] * 9 + [long] * 9, size=300, coverage=1.0)
    for character in "ΩЖö":
        ids = tokenizer.encode([character])[0]
        assert [tokenizer.piece(i) for i in ids][-1].endswith(character)
