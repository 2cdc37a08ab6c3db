"""Memories, bilingual files, states and languages of documents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from regard.documents.bilingual import BILINGUAL_SUFFIXES, read_bilingual, write_bilingual
from regard.documents.formats.base import FORMAT_NAMES, load_format
from regard.documents.formats.languages import set_language
from regard.documents.memory import MemoryMatch, TranslationMemory
from regard.documents.report import DocumentReport, SegmentReport
from regard.errors import DocumentError
from regard.tasks.translation.documents import open_memory
from tests.documents.generated import MAKERS

PAIRS = [
    ("Press 5 to go on.", "Appuyez sur 5 pour continuer."),
    ("The dog runs in the green park today.", "Le chien court dans le parc vert aujourd'hui."),
]


def test_a_memory_has_equal_and_similar_texts() -> None:
    memory = TranslationMemory(PAIRS)
    assert memory.find("Press  5 to go on.") == MemoryMatch(PAIRS[0][1], 1.0, PAIRS[0][0])
    numbers = memory.find("Press 7 to go on.")
    assert numbers == MemoryMatch("Appuyez sur 7 pour continuer.", 0.99, PAIRS[0][0])
    similar = memory.find("The dog runs in the blue park today.")
    assert similar is not None and similar.target == PAIRS[1][1] and 0.85 < similar.score < 0.95
    assert memory.find("The cat sleeps.") is None
    exact = TranslationMemory(PAIRS, 1.0)
    assert exact.find("Press 7 to go on.") is None
    assert exact.find("Press 5 to go on.") is not None


REPORT = DocumentReport(
    "a b.html",
    "html",
    (
        SegmentReport("line 1", 'a "<b>\x08"', "un & deux", ("The number 3 is missing.",)),
        SegmentReport("line 2", "x\ny", "z", match=1.0),
        SegmentReport("line 3", "x\ny", "z", ("From the memory.",), match=0.9),
    ),
    0,
    0,
    0,
)


def test_xliff_has_states_and_notes() -> None:
    root = ElementTree.fromstring(write_bilingual(REPORT, ".xlf", ("en", "fr")).encode())
    name = "{urn:oasis:names:tc:xliff:document:1.2}"
    targets = list(root.iter(f"{name}target"))
    assert [each.text for each in targets] == ["un & deux", "z", "z"]
    assert [(each.get("state"), each.get("state-qualifier")) for each in targets] == [
        ("needs-review-translation", "mt-suggestion"),
        ("translated", "exact-match"),
        ("needs-review-translation", "fuzzy-match"),
    ]
    assert [each.text for each in root.iter(f"{name}note")] == list(
        REPORT.segments[0].notes + REPORT.segments[2].notes
    )
    file = next(root.iter(f"{name}file"))
    assert (file.get("source-language"), file.get("target-language")) == ("en", "fr")


def test_po_has_fuzzy_messages_once() -> None:
    content = write_bilingual(REPORT, ".po", ("en", "fr"))
    assert '"Language: fr\\n"' in content
    assert content.count("#, fuzzy") == 1 and content.count('msgid "x\\ny"') == 1
    assert load_format("po").extract(content.encode()) == []  # everything is translated


def test_tmx_can_be_read_again() -> None:
    content = write_bilingual(REPORT, ".tmx", (None, "fr"))
    segments = [each.text for each in ElementTree.fromstring(content.encode()).iter("seg")]
    assert segments == ['a "<b> "', "un & deux", "x\ny", "z", "x\ny", "z"]
    with pytest.raises(DocumentError, match="bilingual files end with"):
        write_bilingual(REPORT, ".txt", (None, None))


@pytest.mark.parametrize(
    ("name", "before", "language", "after"),
    [
        ("html", '<html class="x">', "ar", '<html class="x" lang="ar" dir="rtl">'),
        ("html", "<!doctype html><html lang=en dir=rtl>", "fr",
         '<!doctype html><html lang="fr" dir="ltr">'),
        ("html", '<html lang="en" xml:lang="en">', "fr", '<html lang="fr" xml:lang="fr">'),
        ("html", "<p>no root</p>", "fr", "<p>no root</p>"),
        ("po", 'msgid ""\nmsgstr ""\n"Language: en\\n"\n', "fr",
         'msgid ""\nmsgstr ""\n"Language: fr\\n"\n'),
        ("po", 'msgid ""\r\nmsgstr ""\r\n"X: y\\n"\r\n', "fr",
         'msgid ""\r\nmsgstr ""\r\n"Language: fr\\n"\r\n"X: y\\n"\r\n'),
        ("xliff", '<xliff version="1.2"><file source-language="en"></file></xliff>', "fr",
         '<xliff version="1.2"><file source-language="en" target-language="fr"></file></xliff>'),
        ("xliff", '<xliff version="2.0" srcLang="en" trgLang="de"></xliff>', "pt-BR",
         '<xliff version="2.0" srcLang="en" trgLang="pt-BR"></xliff>'),
        ("json", '{"@@locale": "en", "a": "b"}', "pt-BR", '{"@@locale": "pt_BR", "a": "b"}'),
        ("vtt", "WEBVTT\nKind: captions\nLanguage: en\n\n", "fr",
         "WEBVTT\nKind: captions\nLanguage: fr\n\n"),
        ("text", "words", "fr", "words"),
    ],
)  # fmt: skip
def test_languages_are_set(name: str, before: str, language: str, after: str) -> None:
    assert set_language(before.encode(), name, language).decode() == after
    assert set_language(after.encode(), name, language).decode() == after


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_documents_with_a_language_can_be_read(name: str) -> None:
    import random

    for seed in range(10):
        content = set_language(MAKERS[name](random.Random(seed)), name, "ar")
        load_format(name).extract(content)


def test_states_are_written() -> None:
    content = b'#: a.c\n#, c-format\nmsgid "A dog %s"\nmsgstr ""\n'
    (segment,) = load_format("po").extract(content)
    checked = replace(segment, prefix=segment.prefixes["check"])
    restored = load_format("po").restore(content, [checked], [segment.marked]).decode()
    assert restored == '#: a.c\n#, c-format\n#, fuzzy\nmsgid "A dog %s"\nmsgstr "A dog %s"\n'
    content = (
        b'<xliff version="1.2"><file><body><trans-unit id="1"><source>A dog</source></trans-unit>'
        b"</body></file></xliff>"
    )
    (segment,) = load_format("xliff").extract(content)
    exact = replace(segment, prefix=segment.prefixes["exact"])
    restored = load_format("xliff").restore(content, [exact], [segment.marked]).decode()
    assert '<target state="translated" state-qualifier="exact-match">A dog</target>' in restored


@pytest.mark.parametrize("suffix", BILINGUAL_SUFFIXES)
def test_a_memory_reads_what_was_written(suffix: str, tmp_path: Path) -> None:
    """Every suffix that `--bilingual` writes is one that `--memory` reads."""
    path = tmp_path / f"pairs{suffix}"
    path.write_text(write_bilingual(REPORT, suffix, ("en", "fr")), "utf-8")
    memory = open_memory(path, ("en", "fr"), 1.0)
    match = memory.find("x y")
    assert match is not None and match.target == "z"
    found = memory.find('a "<b> "')
    if suffix == ".po":  # fuzzy
        assert found is None
    else:
        assert found is not None and found.target == "un & deux"
    if suffix in (".xlf", ".xliff"):
        with pytest.raises(DocumentError, match="its languages are en-fr, not en-de"):
            open_memory(path, ("en", "de"), 1.0)


def test_pairs_of_other_tools(tmp_path: Path) -> None:
    path = tmp_path / "old.xlf"
    path.write_text(
        '<xliff version="1.2"><file source-language="en-GB" target-language="fr"><body>'
        '<trans-unit id="1"><source>A <ph id="1">&lt;b&gt;</ph>dog</source>'
        '<target state="final">Un <g id="2">chien</g></target></trans-unit>'
        '<trans-unit id="2"><source>A cat</source><target state="new">A cat</target></trans-unit>'
        '<trans-unit id="3"><source>One. Two.</source>'
        '<seg-source><mrk mid="1">One.</mrk> <mrk mid="2">Two.</mrk><mrk mid="3">Three.</mrk>'
        '<g mid="1">no segment</g></seg-source>'
        '<target><mrk mid="1">Un.</mrk> <mrk mid="2">Deux.</mrk></target></trans-unit>'
        "</body></file></xliff>",
        "utf-8",
    )
    assert read_bilingual(path, ("en", "fr")) == [
        ("A dog", "Un chien"), ("One.", "Un."), ("Two.", "Deux."), ("One. Two.", "Un. Deux."),
    ]  # fmt: skip
    path = tmp_path / "old.po"
    path.write_text(
        'msgid ""\nmsgstr "Language: fr\\n"\n\n#, fuzzy\nmsgid "cat"\nmsgstr "chien"\n\n'
        'msgid "%d dog"\nmsgid_plural "%d dogs"\nmsgstr[0] "%d chien"\nmsgstr[1] "%d chiens"\n',
        "utf-8",
    )
    assert read_bilingual(path, None) == [("%d dog", "%d chien"), ("%d dogs", "%d chiens")]
