"""Normalization: results, traced offsets and running time."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.text import normalize, trace_normalization
from regard.text.normalize import _LONG_TEXT, Form, _joins_previous

FORMS: tuple[Form, ...] = ("NFC", "NFKC")
ASSIGNED = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) not in ("Cn", "Co")]

TROUBLE = (
    "aé 你かが한\u1100\u1161\u11a8العَرَبية\u0301\u0323\u0344\u0f73ﬁ①ｶﾞ\ufdfa\u00a8\u037a▁_"
    "\t\n\r\x00\x1b\x85\xa0\u2028\u3000\u200b\u200c\u200d\ufeff\u00ad\u202e\ud800\udfff\ufffe👩👧🏽"
)
characters = st.one_of(
    st.sampled_from(TROUBLE), st.characters(), st.characters(categories=["Mn", "Cf", "Cs", "Zs"])
)
strings = st.text(characters, max_size=24)
many_strings = st.lists(strings, min_size=50, max_size=50)  # 10,000 strings in all


@pytest.mark.parametrize(
    ("raw", "normalized"),
    [
        ("", ""),
        (" \t\n ", ""),
        ("a\u00a0 \u3000b\r\nc\u2028d", "a b c d"),
        ("e\u0301", "é"),
        ("a\u200be\ufeff\u0301\u00ad", "aé"),
        ("a\x00b\x07c", "abc"),
        ("\ud83d x", "\ufffd x"),
        ("▁a", "_a"),
        ("می\u200cخواهم 👩\u200d👧", "می\u200cخواهم 👩\u200d👧"),
        ("\ufb01 ①", "\ufb01 ①"),
    ],
)
def test_normalized_texts(raw: str, normalized: str) -> None:
    assert normalize(raw) == normalized


def test_nfkc_folds_compatible_characters() -> None:
    assert normalize("\ufb01 ① ｶﾞ", "NFKC") == "fi 1 ガ"


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None, max_examples=100)
@given(texts=many_strings)
def test_normalization_is_idempotent_and_encodable(form: Form, texts: list[str]) -> None:
    for text in texts:
        normalized = normalize(text, form)
        assert normalize(normalized, form) == normalized
        assert unicodedata.is_normalized(form, normalized)
        assert normalized.encode() is not None and "▁" not in normalized
        assert normalized.split() == (normalized.split(" ") if normalized else [])


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None, max_examples=100)
@given(texts=many_strings)
def test_each_character_is_traced_to_its_raw_span(form: Form, texts: list[str]) -> None:
    for text in texts:
        traced = trace_normalization(text, form)
        assert traced.text == normalize(text, form)
        spans = list(zip(traced.starts, traced.ends, strict=True))
        assert len(spans) == len(traced.text)
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert spans == sorted(spans)
        at = 0
        while at < len(spans):  # overlapping spans normalize to the same part of the text
            start, end = spans[at]
            group = at + 1
            while group < len(spans) and spans[group][0] < end:
                end = max(end, spans[group][1])
                group += 1
            part = traced.text[at:group]
            assert normalize(text[start:end], form) == part.strip()
            at = group


@pytest.mark.parametrize("form", FORMS)
def test_every_unicode_character_is_traced(form: Form) -> None:
    for start in range(0, len(ASSIGNED), 500):
        text = "b".join(ASSIGNED[start : start + 500])
        normalized = normalize(text, form)
        assert normalize(normalized, form) == normalized
        assert len(trace_normalization(text, form).starts) == len(normalized)


@pytest.mark.parametrize("form", FORMS)
def test_every_character_that_can_join_the_previous_one_is_recognized(form: Form) -> None:
    joining = set()
    for character in ASSIGNED:
        if unicodedata.combining(unicodedata.normalize(form.replace("C", "D"), character)[0]):
            joining.add(character)
        parts = unicodedata.normalize("NFD", character)
        if len(parts) > 1 and unicodedata.normalize("NFC", parts) == character:
            joining.update(parts[1:])
    assert len(joining) > 900
    assert all(_joins_previous(character, form) for character in joining)


def test_no_combining_mark_lies_beyond_the_table() -> None:
    for character in (c for c in ASSIGNED if ord(c) >= 0x20000):
        assert not unicodedata.combining(unicodedata.normalize("NFKD", character)[0])


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None, max_examples=50)
@given(marks=st.text(st.characters(categories=["Mn", "Mc"]), min_size=40, max_size=60))
def test_presorting_long_runs_of_marks_does_not_change_the_result(form: Form, marks: str) -> None:
    text = "e" + marks + "x" * _LONG_TEXT
    assert normalize(text, form) == " ".join(unicodedata.normalize(form, text).split())


@pytest.mark.parametrize(
    "unit",
    ["a", " \t", "\u0301\u0323", "\u0f73\u0f75", "\uff9e\u0323", "\u1100\u1161", "\ud800\u200b"],
)
def test_normalization_takes_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = "a" + unit * (size // len(unit))
        start = time.process_time()
        normalize(text, "NFKC")
        return time.process_time() - start

    small, large = (min(seconds(size) for _ in range(3)) for size in (100_000, 400_000))
    assert large < max(12 * small, 0.1)  # linear is 4 ×, quadratic 16 ×
