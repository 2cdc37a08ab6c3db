"""Terms: where they occur, how their translations are placed, and the files they are read from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regard.documents.marked_text import (
    AlignedTranslation,
    InlineElement,
    MarkedText,
    render_markup,
)
from regard.documents.projection import project_markup
from regard.documents.terms import (
    PlacedTerms,
    Term,
    TermBase,
    TermUse,
    agreeing_word,
    place_terms,
    read_terms,
)
from regard.errors import DocumentError
from regard.tasks.translation.marked_texts import MarkedTexts, MarkupOptions
from regard.text.words import split_words

TERMS = [
    Term("act", "loi"),
    Term("agency", "office"),
    Term("air carrier", "transporteur aérien"),
    Term("air", "air"),
    Term("飛行機", "avion"),
]
BASE = TermBase(TERMS, ("en", "fr"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The Acts and AGENCIES.", ["Acts", "AGENCIES"]),
        ("An air carrier; air-carriers in the air.", ["air carrier", "air-carriers", "air"]),
        ("air, carriers", ["air"]),
        ("actor, fact, ac, airs", ["airs"]),
        ("青い飛行機です", ["飛行機"]),
        ("", []),
    ],
)
def test_terms_are_found_in_other_forms(text: str, found: list[str]) -> None:
    assert [text[match.start : match.end] for match in BASE.find(text)] == found


def test_of_two_forms_of_a_term_the_one_of_the_text_is_used() -> None:
    """Also if the terms are in another order, or their words in another set."""
    terms = [Term("window", "fenêtre"), Term("windows", "fenêtres"), Term("winder", "remontoir")]
    for order in (terms, terms[::-1]):
        base = TermBase(order, ("en", "fr"))
        found = base.find("one window of two windows and a WINDOW")
        assert [match.term.target for match in found] == ["fenêtre", "fenêtres", "fenêtre"]
    both = TermBase([Term("dogs", "les chiens"), Term("dog’s", "du chien")], ("en", "fr"))
    assert [match.term.target for match in both.find("a dog")] == ["les chiens"]


def test_of_equal_terms_the_first_is_used_and_those_after_them_are_found() -> None:
    """Terms without spaces between words, and repeated ones, are between the others."""
    order = [TERMS[4], TERMS[0], Term("ACT", "acte"), Term("青い", "bleu"), TERMS[1]]
    base = TermBase(order, ("en", "fr"))
    assert base.size == 4
    found = base.find("an act, an agency, 青い飛行機")
    assert [match.term for match in found] == [TERMS[0], TERMS[1], order[3], TERMS[4]]


def test_a_translation_may_be_inflected() -> None:
    assert BASE.find_target(TERMS[2], "Les transporteurs aériens volent.") == [(4, 25)]
    assert BASE.find_target(TERMS[2], "le transporteur") == []


def place(source: MarkedText, target: str) -> tuple[PlacedTerms, str]:
    """Place terms in a translation whose words are those of the source, in order."""
    rows, columns = split_words(target), split_words(source.text)
    weights = np.eye(len(rows), len(columns) + 1, dtype=np.float32)
    translation = AlignedTranslation(target, columns, rows, [weights])
    placed = place_terms(source, translation, BASE)
    found = project_markup(placed.marked, translation)
    return placed, render_markup(found.marked)


def test_the_translation_of_a_term_replaces_linked_words() -> None:
    placed, text = place(MarkedText("This act binds an agency."), "Ce texte lie un office.")
    assert text == "Ce loi lie un office."
    assert placed.uses == (
        TermUse("act", "loi", "replacement"),
        TermUse("agency", "office", "model"),
    )
    assert placed.written == ("loi",)
    assert place(MarkedText("Acts bind."), "Textes lient.")[1] == "Loi lient."


@pytest.mark.parametrize(
    ("before", "term", "language", "written"),
    [
        ("Dans la ", "assemblée", "fr", "Dans l'assemblée"),
        ("La ", "Assemblée", "fr", "L'Assemblée"),
        ("le président de ", "école", "fr", "le président d'école"),
        ("vote du ", "Îlot", "fr", "vote de l'Îlot"),
        ("avec sa ", "amie", "fr", "avec son amie"),
        ("un morceau d'", "maison", "fr", "un morceau de maison"),
        ("un morceau d’", "maison", "fr", "un morceau de maison"),
        ("l'", "maison", "fr", "l'maison"),  # le or la: it stays for a person
        ("le ", "héros", "fr", "le héros"),
        ("le ", "onze", "fr", "le onze"),
        ("les ", "assemblées", "fr", "les assemblées"),
        ("voila ", "assemblée", "fr", "voila assemblée"),
        ("della ", "acqua", "it", "dell'acqua"),
        ("el ", "home", "ca", "el home"),
        ("A ", "apple", "en", "An apple"),
        ("an ", "house", "en", "an house"),
        ("an ", "dog", "en-GB", "a dog"),
        ("a ", "one-way street", "en", "a one-way street"),
        ("der ", "Esel", "de", "der Esel"),
        ("la ", "assemblée", None, "la assemblée"),
    ],
)
def test_the_word_before_a_term_agrees_with_its_first_letter(
    before: str, term: str, language: str | None, written: str
) -> None:
    form = agreeing_word(before, term, language)
    length, word = (0, "") if form is None else form
    assert before[: len(before) - length] + word + term == written


@pytest.mark.parametrize(
    ("terms", "written"),
    [
        ({"meeting": "assemblée"}, "l'<b>assemblée</b> finit"),
        ({"meeting": "assemblée", "the": "cette"}, "cette <b>assemblée</b> finit"),
    ],
)
def test_a_text_has_agreeing_words(terms: dict[str, str], written: str) -> None:
    """A word that is itself replaced by a term stays."""
    base = TermBase([Term(*pair) for pair in terms.items()], ("en", "fr"))
    marked = MarkedTexts(["the <b>meeting</b> ends"], MarkupOptions(), base)
    ((text,),) = marked.parts
    target = "la réunion finit"
    rows, columns = split_words(target), split_words(text)
    weights = np.eye(len(rows), len(columns) + 1, dtype=np.float32)
    (found,) = marked.finish({text: AlignedTranslation(target, columns, rows, [weights])})
    assert found.text == written


def test_each_occurrence_has_its_translation() -> None:
    placed, text = place(MarkedText("act one, act two"), "loi un, texte deux")
    assert text == "loi un, loi deux"
    assert [use.by for use in placed.uses] == ["model", "replacement"]


def test_terms_across_elements_and_in_placeholders_are_not_replaced() -> None:
    crossing = MarkedText("an air carrier", (InlineElement(0, 6, "<b>", "</b>"),))
    placed, text = place(crossing, "un avion gros")
    assert text.count("<b>") == text.count("</b>") == 1
    assert [use.by for use in placed.uses] == [""]
    raw = MarkedText("an act", (InlineElement(3, 6, raw="{act}"),))
    placed, text = place(raw, "un Act")
    assert (placed.uses, text) == ((), "un {act}")


def test_terms_are_read_from_files(tmp_path: Path) -> None:
    tsv, tbx = tmp_path / "terms.tsv", tmp_path / "terms.tbx"
    tsv.write_text("# a comment\nact\tloi\t956\n\nagency\toffice\n", "utf-8")
    assert read_terms(tsv, (None, None)) == TERMS[:2]
    tbx.write_text(
        "<martif><text><body><termEntry><langSet xml:lang='en'><tig><term>act</term></tig>"
        "<tig><term>statute</term></tig></langSet><langSet xml:lang='fr-CA'><tig><term>loi</term>"
        "</tig></langSet></termEntry></body></text></martif>",
        "utf-8",
    )
    expected = [Term("act", "loi"), Term("statute", "loi")]
    assert read_terms(tbx, ("en", "fr")) == expected
    assert read_terms(tbx, (None, None)) == expected
    tbx.write_text(
        "<tbx><text><body><conceptEntry id='1'><langSec xml:lang='en'><termSec><term>act</term>"
        "</termSec></langSec><langSec xml:lang='fr'><termSec><term>loi</term></termSec></langSec>"
        "<langSec xml:lang='de'/></conceptEntry></body></text></tbx>",
        "utf-8",
    )
    assert read_terms(tbx, ("en", "fr")) == TERMS[:1]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"act\n", "line 1: needs a term and its translation"),
        ("a.tsv", b"\n", "has no terms"),
        ("a.tsv", b"\xff", "not UTF-8"),
        ("a.tbx", b'<!DOCTYPE martif [<!ENTITY e "x">]><martif/>', "DOCTYPE"),
        ("a.tbx", b"<martif>", "not well-formed"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DocumentError, match=message):
        read_terms(tmp_path / name, ("en", "fr"))


TBX = (
    '<?xml version="1.0" encoding="UTF-8"?>\n%s\n'
    '<martif type="TBX" xml:lang="en"><text><body><termEntry id="1"><langSet xml:lang="en"><tig>'
    '<term>dog%s</term></tig></langSet><langSet xml:lang="fr"><tig><term>chien</term></tig>'
    "</langSet></termEntry></body></text></martif>"
)


@pytest.mark.parametrize(
    ("doctype", "entity", "message"),
    [
        ('<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">', "", None),
        (
            '<!DOCTYPE martif PUBLIC "ISO 12200:1999A" "http://x.example/a.dtd">',
            "",
            None,
        ),
        ("<!DOCTYPE martif>", "", None),
        ('<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">', "&foreign;", "&foreign;"),
        ("<!DOCTYPE martif>", "&foreign;", "entity"),
        ('<!DOCTYPE martif [<!ENTITY e "x">]>', "&e;", "DOCTYPE"),
        ('<!DOCTYPE martif [<!ENTITY e SYSTEM "file:///etc/passwd">]>', "&e;", "DOCTYPE"),
        ('<!DOCTYPE martif SYSTEM "x.dtd" [<!ENTITY % p SYSTEM "y"> %p;]>', "", "DOCTYPE"),
    ],
)
def test_tbx_with_a_doctype(tmp_path: Path, doctype: str, entity: str, message: str | None) -> None:
    path = tmp_path / "terms.tbx"
    path.write_text(TBX % (doctype, entity), "utf-8")
    if message is None:
        (term,) = read_terms(path, ("en", "fr"))
        assert (term.source, term.target) == ("dog", "chien")
    else:
        with pytest.raises(DocumentError, match=message):
            read_terms(path, ("en", "fr"))
