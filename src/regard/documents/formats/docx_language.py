"""Set the language of a DOCX file, and the direction of its paragraphs.

`w:lang` names three languages: of Latin text (`w:val`), of East Asian text (`w:eastAsia`), and of
text that is written from right to left (`w:bidi`). The defaults of all styles get the language of
the translation, as do styles and runs with a language of their own.
"""

from __future__ import annotations

import re

from regard.documents.formats.docx_archive import open_archive, rewrite_archive
from regard.documents.formats.text_direction import direction

_PARTS = re.compile(
    r"word/(?:document|header\d*|footer\d*|footnotes|endnotes|styles|settings)\.xml"
)
_STYLES = "word/styles.xml"
_LANGUAGE = re.compile(r"<w:(?:lang|themeFontLang)\b[^>]*/>")
_ROOT = re.compile(r"<w:styles\b[^>]*>")
_DEFAULTS = re.compile(r"<w:docDefaults>.*?</w:docDefaults>|<w:docDefaults/>", re.DOTALL)
_RUN = re.compile(r"<w:rPr>(.*?)</w:rPr>", re.DOTALL)
_PARAGRAPH = re.compile(r"<w:pPr>(.*?)</w:pPr>", re.DOTALL)
_EAST_ASIAN = ("zh", "ja", "ko")


def set_docx_language(content: bytes, language: str) -> bytes:
    """Return a document with the language of its translation."""
    with open_archive(content) as archive:
        names = [name for name in archive.namelist() if _PARTS.fullmatch(name)]

    def write(text: str) -> str:
        return _LANGUAGE.sub(lambda tag: _with_language(tag[0], language, add=False), text)

    def write_styles(text: str) -> str:
        return _write_defaults(write(text), language)

    return rewrite_archive(
        content, {name: write_styles if name == _STYLES else write for name in names}
    )


def _with_language(tag: str, language: str, *, add: bool) -> str:
    """Replace the language of a `w:lang`; `add` it if the tag has none of its kind."""
    base = language.lower().split("-")[0]
    kind = "w:val" if base not in _EAST_ASIAN else "w:eastAsia"
    name = "w:bidi" if direction(language) == "rtl" else kind
    written = f' {name}="{language}"'
    changed, count = re.subn(rf"""\s{name}\s*=\s*("[^"]*"|'[^']*')""", lambda _: written, tag)
    return changed if count or not add else f"{tag.removesuffix('/>').rstrip()}{written}/>"


def _write_defaults(text: str, language: str) -> str:
    """Set the language and the direction of paragraphs whose style names none."""
    match = _DEFAULTS.search(text)
    defaults = "" if match is None else match[0]
    run, paragraph = (
        "" if content is None else content[1]
        for content in (_RUN.search(defaults), _PARAGRAPH.search(defaults))
    )
    tag = _LANGUAGE.search(run)
    old = "<w:lang/>" if tag is None else tag[0]
    rtl = direction(language) == "rtl"
    new = "<w:rtl/>" * (rtl and "<w:rtl" not in run) + _with_language(old, language, add=True)
    run = run + new if tag is None else run.replace(old, new)
    paragraph = "<w:bidi/>" * (rtl and "<w:bidi" not in paragraph) + paragraph
    if paragraph:
        paragraph = f"<w:pPrDefault><w:pPr>{paragraph}</w:pPr></w:pPrDefault>"
    defaults = f"<w:rPrDefault><w:rPr>{run}</w:rPr></w:rPrDefault>{paragraph}"
    defaults = f"<w:docDefaults>{defaults}</w:docDefaults>"
    if match is not None:
        return text[: match.start()] + defaults + text[match.end() :]
    return _ROOT.sub(lambda root: root[0] + defaults, text, count=1)
