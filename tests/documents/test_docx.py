"""DOCX: the parts of a document that translations often lose, also as LibreOffice shows them."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from regard.documents.formats.languages import set_language
from regard.documents.marked_text import MarkedText
from regard.documents.projection import project_markup
from regard.documents.sandbox import SandboxReader
from tests.documents.generated import prepare
from tests.documents.hostile_documents import archive
from tests.documents.identity import identity, translate_document
from tests.documents.identity import upper_case as upper_case_words
from tests.documents.real_docx import write_real_docx
from tests.documents.test_white_space import as_models_write


def upper_case(content: bytes, language: str | None = None) -> tuple[bytes, list[MarkedText]]:
    """The document in upper case, and its texts before."""
    segments = SandboxReader("docx").extract(content)
    translations: list[MarkedText | None] = [
        project_markup(marked, as_models_write(marked.text)).marked
        for marked in (prepare("docx", segment) for segment in segments)
    ]
    restored, _ = SandboxReader("docx").write(content, segments, translations, language)
    return restored, [segment.marked for segment in segments]


def member(content: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read(f"word/{name}.xml").decode()


def test_all_parts_are_found_and_restored() -> None:
    content = write_real_docx()
    restored, found_texts = upper_case(content)
    sources = [marked.text for marked in found_texts]
    assert "The box on this page says what is important for animals." in sources
    assert sources.count("Do not forget the birds.") == 2  # the drawing and its fallback
    assert "Our address is on the page of the museum." in sources
    assert "Most plants sleep in winter, but some of them need a lot of light." in sources
    body = member(restored, "document")
    assert body.count("DO NOT FORGET THE BIRDS.") == 2
    assert "ON THE PAGE OF THE MUSEUM" in body
    assert 'HYPERLINK "https://example.org/"' in body
    assert "<w:delText>cold</w:delText>" in body
    assert 'xml:space="preserve"> ASK A PERSON' in member(restored, "footnotes")
    for name in ("wp:anchor", "w:tc", "w:ins", "w:del", "w:hyperlink", "w:fldChar", "w:drawing"):
        found = [
            len(re.findall(f"<{name}[ >]", member(each, "document")))
            for each in (content, restored)
        ]
        assert found[0] == found[1] > 0


def test_languages_that_differ_do_not_divide_a_text() -> None:
    found = SandboxReader("docx").extract(write_real_docx())[1]
    shown = [
        re.findall(r"<w:(b|i|footnoteReference)\b", each.raw or each.opening)
        for each in found.marked.elements
    ]
    assert shown == [["b"], ["i"]]


@pytest.mark.parametrize("with_language", [True, False])
def test_the_language_of_styles_and_runs(with_language: bool) -> None:
    content = write_real_docx(with_language=with_language)
    french = set_language(content, "docx", "fr")
    assert set(re.findall(r'<w:lang w:val="([^"]*)"', member(french, "document"))) == {"fr"}
    defaults = re.search(r"<w:docDefaults>.*</w:docDefaults>", member(french, "styles"))
    assert defaults is not None
    assert '<w:lang w:val="fr"' in defaults[0]
    assert defaults[0].count("<w:lang") == 1
    assert 'w:themeFontLang w:val="fr"' in member(french, "settings")
    hebrew = member(set_language(content, "docx", "he"), "styles")
    assert 'w:bidi="he"' in hebrew
    assert "<w:rtl/><w:lang" in hebrew
    assert "<w:pPrDefault><w:pPr><w:bidi/></w:pPr></w:pPrDefault></w:docDefaults>" in hebrew
    assert 'w:eastAsia="ja"' in member(set_language(content, "docx", "ja"), "styles")


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("soffice") is None or shutil.which("pdftotext") is None,
    reason="needs LibreOffice and poppler-utils",
)
def test_libreoffice_shows_every_translation(tmp_path: Path) -> None:
    restored, sources = upper_case(write_real_docx(), "fr")
    file = tmp_path / "garden.docx"
    file.write_bytes(restored)
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    convert = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(tmp_path)]
    subprocess.run([*convert, str(file)], check=True, capture_output=True, timeout=300)
    extract = ["pdftotext", "-layout", str(file.with_suffix(".pdf")), "-"]
    shown = subprocess.run(extract, check=True, capture_output=True, text=True).stdout
    words = " ".join(shown.replace("cold", "").split())  # deleted, but shown
    for source in sources:
        fields = [source.text[one.start : one.end] for one in source.elements if one.raw]
        between = re.split("|".join(map(re.escape, filter(None, fields))) or "$", source.text)
        for part in between:  # LibreOffice computes the content of fields
            assert " ".join(part.upper().split()) in words


NAMES = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="urn:mc"'
CONTAINERS = {  # around runs, in a paragraph
    "inline content control": (
        '<w:sdt><w:sdtPr><w:alias w:val="a b"/></w:sdtPr><w:sdtContent>%s</w:sdtContent></w:sdt>'
    ),
    "content control in a content control": (
        "<w:sdt><w:sdtContent><w:sdt><w:sdtPr/><w:sdtEndPr/><w:sdtContent>%s</w:sdtContent></w:sdt>"
        "</w:sdtContent></w:sdt>"
    ),
    "custom XML": (
        '<w:customXml w:uri="u" w:element="e"><w:customXmlPr><w:placeholder w:val="x"/>'
        "</w:customXmlPr>%s</w:customXml>"
    ),
    "smart tag": '<w:smartTag w:uri="u" w:element="e"><w:smartTagPr/>%s</w:smartTag>',
    "direction": '<w:dir w:val="rtl">%s</w:dir>',
    "override": '<w:bdo w:val="ltr">%s</w:bdo>',
    "hyperlink": '<w:hyperlink w:anchor="x">%s</w:hyperlink>',
    "insertion": '<w:ins w:id="1">%s</w:ins>',
    "simple field with a link": "<w:fldSimple w:instr=' HYPERLINK \"x\" '>%s</w:fldSimple>",
    "block content control": (
        "</w:p><w:sdt><w:sdtPr/><w:sdtContent><w:p>%s</w:p></w:sdtContent></w:sdt><w:p>"
    ),
}
EXCEPTIONS = {  # that are reported
    "simple field": '<w:fldSimple w:instr=" REF b ">%s</w:fldSimple>',
    "text that was moved": '<w:moveFrom w:id="2">%s</w:moveFrom>',
    "ruby": "<w:r><w:ruby><w:rt>%s</w:rt></w:ruby></w:r>",
    "alternatives": "<mc:AlternateContent><mc:Choice>%s</mc:Choice></mc:AlternateContent>",
}


def with_markup(markup: str, after: str = " and after.") -> bytes:
    """A document with a paragraph that has markup around a part of its text."""
    run = '<w:r><w:t xml:space="preserve">%s</w:t></w:r>'
    parts = [run % "Words before ", markup % (run % "words within"), run % after]
    comments = f"<w:comments {NAMES}><w:comment><w:p>{run % 'A comment'}</w:p></w:comment>"
    return archive(
        f"<w:document {NAMES}><w:body><w:p>{''.join(parts)}</w:p></w:body></w:document>",
        **{"word/comments.xml": f"{comments}</w:comments>".encode()},
    )


@pytest.mark.parametrize("kind", [*CONTAINERS, *EXCEPTIONS])
def test_every_text_is_translated_or_reported(kind: str) -> None:
    has_text = kind in CONTAINERS or kind == "simple field"  # for the model
    after = " and after." if has_text else "and after."
    content = with_markup((CONTAINERS | EXCEPTIONS)[kind], after)
    translated = translate_document("docx", content, upper_case_words)
    kept = {
        segment.source
        for segment in translated.report.segments
        if any("is not translated" in note for note in segment.notes)
    }
    texts = re.findall(r"<w:t[^>]*>([^<]*)", member(translated.content, "document"))
    for text in texts:
        assert text == text.upper() or text in kept, text
    assert "words within".upper() in "".join(texts) or "words within" in kept
    assert ("words within" in kept) == (kind in EXCEPTIONS)
    markup = re.compile(r"</?(?!w:(?:r|t|rPr)\b)[^>]*>")
    before, after = (markup.findall(member(c, "document")) for c in (content, translated.content))
    assert before == after
    assert translate_document("docx", content, identity).content == content


def test_real_documents_have_every_text_in_a_segment() -> None:
    content = write_real_docx()
    shown = "".join(segment.marked.text for segment in SandboxReader("docx").extract(content))
    for part in ("document", "footnotes"):
        for text in re.findall(r"<w:t[^>]*>([^<]*)", member(content, part)):
            assert text in shown


def test_other_parts_with_text_are_reported() -> None:
    translated = translate_document("docx", with_markup("%s"), upper_case_words)
    (comments,) = [each for each in translated.report.segments if each.place == "comments"]
    assert comments.source == "A comment"
    assert "is not translated" in comments.notes[0]
