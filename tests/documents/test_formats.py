"""Formats: what is not translated stays byte for byte, and every translation is well-formed."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.documents.formats.base import (
    FORMAT_NAMES,
    DocumentSegment,
    format_of_path,
    load_format,
    read_file,
)
from regard.documents.formats.docx import DocxFormat
from regard.documents.marked_text import MarkedText
from regard.errors import DocumentError
from tests.documents.generated import MAKERS, prepare, shuffled

QUICK, SLOW = 40, 5_000


def test_every_format_has_a_generator() -> None:
    assert set(MAKERS) == set(FORMAT_NAMES)


def check_document(name: str, seed: int) -> None:
    r = random.Random(seed)
    content = MAKERS[name](r)
    document_format = load_format(name)
    segments = document_format.extract(content)
    unchanged: list[MarkedText | None] = [None] * len(segments)
    assert document_format.restore(content, segments, unchanged) == content
    same = document_format.restore(content, segments, [each.marked for each in segments])
    assert texts_of(document_format.extract(same)) == [
        text for each, text in zip(segments, texts_of(segments), strict=True) if each.in_place
    ]
    sources = [prepare(name, segment) for segment in segments]
    translations = [shuffled(source, r) for source in sources]
    restored = document_format.restore(content, segments, translations)
    for source, translation in zip(sources, translations, strict=True):
        assert Counter(e.raw.strip() for e in source.elements if e.raw is not None) == Counter(
            e.raw.strip() for e in translation.elements if e.raw is not None
        )
    check_structure(name, content, restored, segments)


def texts_of(segments: list[DocumentSegment]) -> list[str]:
    return [" ".join(segment.marked.text.split()) for segment in segments]


def check_structure(
    name: str, before: bytes, after: bytes, segments: list[DocumentSegment]
) -> None:
    """The document is well-formed and has the same markup."""
    if name == "html":
        assert html_tags(before) == html_tags(after)
    elif name in ("xliff", "android"):
        one, other = xml_tags(before), xml_tags(after)
        if name == "android":
            assert one == other
        else:
            inline: Counter[str] = Counter()
            for segment in segments:
                inline.update(xml_names(segment))
            assert other["source"] == one["source"]
            assert all(other[tag] == one[tag] + inline[tag] for tag in inline)
    elif name == "docx":
        one, other = (docx_tags(content) for content in (before, after))
        assert one == other
    elif name == "json":
        assert shape(json.loads(before)) == shape(json.loads(after))
    elif name == "yaml":
        assert shape(yaml.safe_load(before)) == shape(yaml.safe_load(after))
    elif name in ("srt", "vtt"):
        assert re.findall(rb"[^\n]* --> [^\n]*", before) == re.findall(rb"[^\n]* --> [^\n]*", after)
    elif name == "text":
        assert before.count(b"\n") == after.count(b"\n")
    elif name == "markdown":
        one, other = (markdown_blocks(content) for content in (before, after))
        assert one == other


def html_tags(content: bytes) -> Counter[str]:
    found: Counter[str] = Counter()

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            found[f"<{tag} {sorted(name for name, _ in attributes)}"] += 1

        def handle_endtag(self, tag: str) -> None:
            found[f"</{tag}"] += 1

        def handle_comment(self, data: str) -> None:
            found[f"<!--{data}"] += 1

    Parser().feed(content.decode())
    return found


def xml_tags(content: bytes) -> Counter[str]:
    return Counter(element.tag for element in ElementTree.fromstring(content).iter())


def xml_names(segment: DocumentSegment) -> Counter[str]:
    names: Counter[str] = Counter()
    for one in segment.marked.elements:
        markup = one.raw if one.raw is not None else one.opening + one.closing
        names.update(re.findall(r"<([a-z]+)[ >/]", markup or ""))
    return names


def docx_tags(content: bytes) -> Counter[str]:
    """Elements other than runs, texts and their properties, which may be divided."""
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        found = xml_tags(archive.read("word/document.xml"))
    return Counter(
        {tag: n for tag, n in found.items() if tag[7:] not in ("r", "t", "rPr", "b", "i", "lang")}
    )


def shape(value: object) -> object:
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    if isinstance(value, list):
        return [shape(each) for each in value]
    return str if isinstance(value, str) else value


def markdown_blocks(content: bytes) -> list[str]:
    from markdown_it import MarkdownIt

    text = re.sub(r"\A---\n.*?\n---\n", "", content.decode(), flags=re.DOTALL)
    return [token.type for token in MarkdownIt("commonmark").enable("table").parse(text)]


@pytest.mark.parametrize("name", FORMAT_NAMES)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=QUICK, deadline=None, derandomize=True)
def test_documents_stay_whole(name: str, seed: int) -> None:
    check_document(name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_thousands_of_documents_stay_whole(name: str) -> None:
    for seed in range(SLOW):
        check_document(name, seed)


@pytest.mark.parametrize(("name", "seed"), [("markdown", 1253), ("srt", 907), ("vtt", 907)])
def test_documents_that_were_damaged(name: str, seed: int) -> None:
    check_document(name, seed)


def test_markdown_escapes_the_beginning_of_every_line() -> None:
    before = "> one  \n> two  \n> three\n"
    after = "> \\-  \n> \\#  \n> \\>\n"
    assert translate("markdown", before, {"one two three": "- # >"}) == after


def test_subtitles_keep_a_line_that_has_only_spaces() -> None:
    before = "1\n00:00:00,000 --> 00:00:01,000\none\n\n2\n00:00:01,000 --> 00:00:02,000\n \ntwo\n"
    after = before.replace("one", "un").replace("two", "deux")
    assert translate("srt", before, {"one two": "un deux"}) == after


def translate(name: str, content: str | bytes, words: dict[str, str]) -> str:
    """Replace each segment's text by that of a dictionary, which links all words in order."""
    import numpy as np

    from regard.documents.marked_text import AlignedTranslation
    from regard.documents.projection import project_markup
    from regard.text.words import split_words

    document_format = load_format(name)
    content = content.encode() if isinstance(content, str) else content
    segments = document_format.extract(content)
    translations: list[MarkedText | None] = []
    for segment in segments:
        source = prepare(name, segment)
        target = words[source.text]
        rows, columns = split_words(target), split_words(source.text)
        weights = np.eye(len(rows), len(columns) + 1, dtype=np.float32)
        weights[:, -1] = 0
        translations.append(
            project_markup(source, AlignedTranslation(target, columns, rows, [weights])).marked
        )
    return document_format.restore(content, segments, translations).decode()


def test_html() -> None:
    before = (
        '<!-- c --><p class=x>Read <a href="?a&amp;b">this</a> <code>f(x)</code> now.</p>\n'
        "<script>var a = '<p>no</p>'</script><p translate=no>Acme</p>"
        '<img alt="a dog" src=d.png>'
    )
    after = (
        '<!-- c --><p class=x>Lisez <a href="?a&amp;b">ceci</a> <code>f(x)</code> maintenant.</p>\n'
        "<script>var a = '<p>no</p>'</script><p translate=no>Acme</p>"
        '<img alt="un &quot;chien" src=d.png>'
    )
    words = {"Read this f(x) now.": "Lisez ceci f(x) maintenant.", "a dog": 'un "chien'}
    assert translate("html", before, words) == after
    assert translate("html", "<p>one<br>two</p>", {"one two": "un deux"}) == "<p>un<br>deux</p>"


def test_markdown() -> None:
    before = "---\ntitle: Hello\n---\n# A *big* dog\n\n- one `code` [link](u)\n\n```\nkept\n```\n"
    after = (
        "---\ntitle: Bonjour\n---\n# Un *gros* chien\n\n- un `code` [lien](u)\n\n```\nkept\n```\n"
    )
    words = {"Hello": "Bonjour", "A big dog": "Un gros chien", "one code link": "un code lien"}
    assert translate("markdown", before, words) == after


def test_markdown_keeps_shortcodes_and_breaks() -> None:
    before = '> one {{< glossary_tooltip text="x" >}}  \n> two\n'
    words = {
        'one {{< glossary_tooltip text="x" >}} two': 'un {{< glossary_tooltip text="x" >}} deux'
    }
    assert translate("markdown", before, words) == before.replace("one", "un").replace(
        "two", "deux"
    )


def test_po_keeps_flags_and_translations() -> None:
    before = (
        '#, fuzzy\nmsgid "Old"\nmsgstr "Vieux"\n\n#, c-format\nmsgid "%d files"\nmsgstr ""\n\n'
        '#~ msgid "Gone"\n#~ msgstr ""\n'
    )
    after = before.replace('files"\nmsgstr ""', 'files"\nmsgstr "%d fichiers"', 1)
    assert translate("po", before, {"%d files": "%d fichiers"}) == after


@pytest.mark.parametrize("empty", ["source", "seg-source", "target", "note", "alt-trans"])
@pytest.mark.parametrize("version", ["1.2", "2.0"])
def test_xliff_may_have_empty_elements(version: str, empty: str) -> None:
    unit, segment = ("trans-unit", "") if version == "1.2" else ("unit", "segment")
    inside, outside = (f"<{segment}>", f"</{segment}>") if segment else ("", "")
    for content in (f"<source>A dog</source><{empty}/>", f"<{empty}/><source>A dog</source>"):
        before = (
            f'<xliff version="{version}"><file><body><{unit} id="1">{inside}{content}{outside}'
            f"</{unit}></body></file></xliff>"
        )
        after = translate("xliff", before, {"A dog": "Un chien"})
        ElementTree.fromstring(after)
        assert "Un chien" in after or empty == "source"


def test_xliff_writes_targets() -> None:
    before = (
        '<xliff version="1.2"><file><body><trans-unit id="1"><source>A <g id="1">dog</g></source>'
        "</trans-unit></body></file></xliff>"
    )
    after = before.replace(
        "</source>",
        '</source><target state="needs-review-translation" state-qualifier="mt-suggestion">Un '
        '<g id="1">chien</g></target>',
    )
    assert translate("xliff", before, {"A dog": "Un chien"}) == after


def test_subtitles_are_joined_and_divided_by_the_alignment() -> None:
    before = (
        "1\n00:00:01,000 --> 00:00:02,000\nThe old dog\n\n"
        "2\n00:00:02,000 --> 00:00:03,000\n<i>runs</i> away.\n"
    )
    after = before.replace("The old dog", "Le vieux chien").replace(
        "<i>runs</i> away.", "<i>court</i> loin."
    )
    words = {"The old dog runs away.": "Le vieux chien court loin."}
    assert translate("srt", before, words) == after


def test_tables_keep_formulas_and_quote_translations() -> None:
    before = '\ufeffname,=A1,12\r\n"a dog",b,\r\n'
    words = {"name": "nom, prénom", "a dog": "un chien", "b": "=b"}
    after = '\ufeff"nom, prénom",=A1,12\r\n"un chien",\'=b,\r\n'
    assert translate("csv", before, words) == after


def test_yaml_and_json_and_properties_and_android() -> None:
    before = "a: Yes it is  # note\nb: 'a dog'\nc: |\n  one line\nd: yes\n"
    words = {"Yes it is": "oui: bien", "a dog": "l'un", "one line": "une ligne"}
    after = "a: \"oui: bien\"  # note\nb: 'l''un'\nc: |\n  une ligne\nd: yes\n"
    assert translate("yaml", before, words) == after
    words = {"a <dog": 'un "chien"'}
    assert translate("json", '{"a":\t"a \\u003cdog"}', words) == '{"a":\t"un \\"chien\\""}'
    assert (
        translate("properties", "# c\nk = a \\\n  dog\n", {"a dog": "un\ndeux"})
        == "# c\nk = un\\ndeux\n"
    )
    before = "<resources><string name='x'>It\\'s <b>on</b></string></resources>"
    after = "<resources><string name='x'>C\\'est <b>fait</b></string></resources>"
    assert translate("android", before, {"It's on": "C'est fait"}) == after


def test_docx_merges_runs_and_keeps_formats() -> None:
    from regard.documents.formats.docx import find_paragraphs

    body = (
        '<w:document xmlns:w="urn:w"><w:p><w:r><w:t>A </w:t></w:r><w:r><w:t>big</w:t></w:r>'
        '<w:proofErr w:type="x"/><w:r><w:t xml:space="preserve"> </w:t></w:r>'
        "<w:r><w:rPr><w:b/></w:rPr><w:t>dog</w:t></w:r></w:p></w:document>"
    )
    (segment,) = find_paragraphs(body)
    assert segment.marked.text == "A big dog"
    assert len(segment.marked.elements) == 1
    assert isinstance(load_format("docx"), DocxFormat)


def test_the_suffix_selects_the_format() -> None:
    assert format_of_path("a/B.DOCX") == "docx"
    with pytest.raises(DocumentError, match="suffix"):
        format_of_path("a.xyz")
    with pytest.raises(DocumentError, match="formats are"):
        load_format("pdf")


def test_a_file_that_is_missing_or_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "terms.tsv"
    with pytest.raises(DocumentError, match=r"terms\.tsv: cannot be read \(No such file"):
        read_file(path)
    path.write_bytes(b"a\tb")
    assert read_file(path, 3) == read_file(path) == b"a\tb"
    path.write_bytes(b"a\tbc")
    with pytest.raises(DocumentError, match=r"terms\.tsv: has more than 3 bytes\. Divide it"):
        read_file(path, 3)
