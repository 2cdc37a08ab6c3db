"""The sentence splitter of a model: recorded in its bundle, by rules or together with sentencex."""

from __future__ import annotations

import json
import time
import warnings
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard import Translator
from regard.bundle.bundle import add_files, open_bundle
from regard.inference.engine import Splitting
from regard.tasks.translation.bundle_parts import SPLIT_FILE, read_splitting
from regard.text.sentences import SentenceSplitter, split_sentences
from tests.bundles import make_bundle

SPANISH = SentenceSplitter.of("es")


def texts_of(splitter: SentenceSplitter, text: str) -> list[str]:
    return [text[start:end] for start, end in splitter.split(text)]


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("es", ["El Sr. García llegó.", "Saludó a la Dra. Pérez."]),
        ("it", ["Il sig. Rossi vive qui.", "L'avv. Bianchi è partito."]),
        ("pt-BR", ["O Sr. Silva chegou.", "A Sra. Costa saiu."]),
        ("cs", ["Přišel prof. Novák.", "Viz např. Brno."]),
        ("ru", ["Пришёл проф. Иванов.", "Он жил в г. Москве."]),
        ("hi", ["यह एक है।", "वह दो है।"]),
        ("es", ["Un 😀 emoji 𝔸.B llega.", "Otro \udc80 sigue."]),
    ],
)
def test_abbreviations_of_the_language_do_not_end_a_sentence(
    language: str, sentences: list[str]
) -> None:
    assert texts_of(SentenceSplitter.of(language), " ".join(sentences)) == sentences


@pytest.mark.parametrize("language", [None, "en", "fr-CA", "de", "ja"])
def test_the_rules_split_alone_where_they_are_better(language: str | None) -> None:
    assert SentenceSplitter.of(language) == SentenceSplitter(language, None)
    text = "M. Dupont est là. Il part."
    assert SentenceSplitter.of(language).split(text) == split_sentences(text)


@settings(deadline=None)
@given(st.text(st.one_of(st.sampled_from(' .!?。\n"»)a1B'), st.characters())))
def test_a_sentence_ends_only_where_the_rules_end_one(text: str) -> None:
    spans = SPANISH.split(text)
    assert {end for _, end in spans} <= {end for _, end in split_sentences(text)}
    assert "".join("".join(texts_of(SPANISH, text)).split()) == "".join(text.split())


@pytest.mark.parametrize("unit", ["a", ". ", "Hola. ", "Sr. ", '"a. ', "(", "\n", "。", "1."])
def test_splitting_takes_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        SPANISH.split(text)
        return time.process_time() - start

    small, large = (min(seconds(size) for _ in range(3)) for size in (3_000, 12_000))
    assert large < max(12 * small, 0.1)  # linear is 4 ×, quadratic 16 ×


def test_a_bundle_records_the_splitter(tmp_path: Path) -> None:
    splitting = Splitting(4, 40, SPANISH)
    make_bundle("bahdanau", tmp_path / "model", splitting=splitting)
    stored = json.loads((tmp_path / "model" / SPLIT_FILE).read_text())
    assert stored["sentences"] == {"language": "es", "sentencex": version("sentencex")}
    assert Translator.load(tmp_path / "model").splitting == splitting


def test_a_bundle_without_a_record_is_split_by_the_rules(tmp_path: Path) -> None:
    make_bundle("bahdanau", tmp_path / "model")
    old = json.dumps({"split_above": 4, "max_length": 40}).encode()  # as 0.2.0 wrote it
    splitting = read_splitting(add_files(open_bundle(tmp_path / "model"), {SPLIT_FILE: old}))
    assert splitting == Splitting(4, 40)
    text = "El Sr. García llegó. M. Dupont est là."
    assert splitting.sentences.split(text) == split_sentences(text)


def test_another_version_of_sentencex_is_named(tmp_path: Path) -> None:
    make_bundle("bahdanau", tmp_path / "model")
    splitting = Splitting(4, 40, SentenceSplitter("es", "0.0.1"))
    file = {SPLIT_FILE: json.dumps(asdict(splitting)).encode()}
    bundle = add_files(open_bundle(tmp_path / "model"), file)
    with pytest.warns(UserWarning, match=r"pip install sentencex==0\.0\.1"):
        assert read_splitting(bundle) == splitting
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        installed = json.dumps(asdict(Splitting(4, 40, SPANISH))).encode()
        read_splitting(add_files(bundle, {SPLIT_FILE: installed}))
