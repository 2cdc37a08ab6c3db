"""The language of a document: where a format states it, and the direction of its script."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Mapping

from regard.documents.formats.base import decode_document
from regard.documents.html_tokenizer import tokenize_html
from regard.documents.inline_tags import MarkupToken, tokenize_xml
from regard.errors import DocumentError

# -- the direction in which a language is written --------------------------------------------------


RIGHT_TO_LEFT = frozenset("ar arc ckb dv fa he ks ku-arab ps sd ug ur yi".split())  # noqa: SIM905


def direction(language: str) -> str:
    """The direction of a language: ltr or rtl."""
    code = language.lower()
    is_rtl = code in RIGHT_TO_LEFT or code.split("-")[0] in RIGHT_TO_LEFT
    return "rtl" if is_rtl else "ltr"


# -- the archive of a DOCX file --------------------------------------------------------------------
# Opened with limits, and written with changed files.


MAX_MEMBERS = 5_000
MAX_UNPACKED = 64 * 2**20
MAX_RATIO = 200


def open_archive(content: bytes) -> zipfile.ZipFile:
    """Open a DOCX file. Raises DocumentError if it is none, too large, or has macros."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DocumentError(f"not a DOCX file ({error}).") from None
    members = archive.infolist()
    unpacked = sum(info.file_size for info in members)
    if len(members) > MAX_MEMBERS or unpacked > MAX_UNPACKED:
        raise DocumentError(
            f"the archive has {len(members):,} files of {unpacked:,} bytes. At most "
            f"{MAX_MEMBERS:,} of {MAX_UNPACKED:,} bytes are read."
        )
    if unpacked > 2**20 and unpacked > MAX_RATIO * len(content):
        raise DocumentError(f"the archive unpacks to more than {MAX_RATIO} times its size.")
    names = {info.filename for info in members}
    if len(names) < len(members):
        raise DocumentError("a file is twice in the archive.")
    if "word/document.xml" not in names:
        raise DocumentError("not a DOCX file: word/document.xml is missing.")
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise DocumentError("documents with macros are not read. Save it as .docx.")
    if any(info.flag_bits & 1 for info in members):
        raise DocumentError("the archive is encrypted. Remove the password.")
    return archive


def read_member(archive: zipfile.ZipFile, name: str) -> str:
    """Return the text of a file of the archive. Raises DocumentError."""
    try:
        return archive.read(name).decode()
    except (zipfile.BadZipFile, OSError, EOFError, UnicodeDecodeError, ValueError) as error:
        raise DocumentError(f"{name}: cannot be read ({error}).") from None
    except Exception as error:  # zlib.error, and others of damaged archives
        raise DocumentError(f"{name}: cannot be unpacked ({error}).") from None


def rewrite_archive(content: bytes, changes: Mapping[str, Callable[[str], str]]) -> bytes:
    """Return the archive with the texts of some files changed, by name; all others are copied."""
    out = io.BytesIO()
    with open_archive(content) as archive, zipfile.ZipFile(out, "w") as written:
        for info in archive.infolist():
            change = changes.get(info.filename)
            if change is None:
                data = archive.read(info)
            else:
                data = change(read_member(archive, info.filename)).encode()
            written.writestr(info, data, info.compress_type)
    return out.getvalue()


# -- set the language of a DOCX file, and the direction of its paragraphs --------------------------
# `w:lang` names three languages: of Latin text (`w:val`), of East Asian text (`w:eastAsia`), and of
# text that is written from right to left (`w:bidi`). The defaults of all styles get the language of
# the translation, as do styles and runs with a language of their own.


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


# -- languages -------------------------------------------------------------------------------------


_PO_HEADER = re.compile(r'^(msgid ""\s+msgstr ""\r?\n)((?:".*"\r?\n?)*)', re.MULTILINE)
_PO_LANGUAGE = re.compile(r'"Language:[^"\r\n]*\\n"')
_ARB_LOCALE = re.compile(r'("@@locale"\s*:\s*)"[^"\r\n]*"')
_VTT_LANGUAGE = re.compile(r"\A(WEBVTT[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*?Language:[ \t]*)[^\r\n]*")


def set_language(content: bytes, format_name: str, language: str) -> bytes:
    """Return a document with the language of its translation.

    Args:
        content: Of the translated document.
        format_name: A format without a place for a language leaves the document as it is.
        language: A code such as fr or pt-BR.
    """
    if format_name == "docx":
        return set_docx_language(content, language)
    write = _WRITERS.get(format_name)
    if write is None:
        return content
    text, mark, encoding = decode_document(content)
    return mark + write(text, language).encode(encoding)


def set_attribute(tag: str, name: str, value: str) -> str:
    """A tag with an attribute, which is replaced if it has one."""
    match = re.search(rf"""(\s{re.escape(name)}\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>/]+)""", tag, re.I)
    if match is not None:
        return f'{tag[: match.start()]}{match[1]}"{value}"{tag[match.end() :]}'
    end = len(tag) - (2 if tag.endswith("/>") else 1)
    return f'{tag[:end].rstrip()} {name}="{value}"{tag[end:]}'


def has_attribute(tag: str, name: str) -> bool:
    return re.search(rf"\s{re.escape(name)}\s*=", tag, re.I) is not None


def _write_html(text: str, language: str) -> str:
    for token in tokenize_html(text):
        if token.kind == "open" and token.name == "html":
            tag = set_attribute(text[token.start : token.end], "lang", language)
            if has_attribute(tag, "xml:lang"):
                tag = set_attribute(tag, "xml:lang", language)
            if direction(language) == "rtl" or has_attribute(tag, "dir"):
                tag = set_attribute(tag, "dir", direction(language))
            return text[: token.start] + tag + text[token.end :]
        if token.kind == "open" and token.name not in ("html", "head"):
            break
    return text


def _write_xliff(text: str, language: str) -> str:
    def write(token: MarkupToken) -> str:
        tag = text[token.start : token.end]
        local = token.name.rpartition(":")[2]
        if token.kind == "open" and local == "xliff" and has_attribute(tag, "srcLang"):
            return set_attribute(tag, "trgLang", language)
        if token.kind == "open" and local == "file" and has_attribute(tag, "source-language"):
            return set_attribute(tag, "target-language", language)
        return tag

    return "".join(map(write, tokenize_xml(text)))


def _write_po(text: str, language: str) -> str:
    def write(match: re.Match[str]) -> str:
        line = f'"Language: {language}\\n"'
        if _PO_LANGUAGE.search(match[2]):
            return match[1] + _PO_LANGUAGE.sub(lambda _: line, match[2], count=1)
        return match[1] + line + ("\r\n" if "\r\n" in match[1] else "\n") + match[2]

    return _PO_HEADER.sub(write, text, count=1)


def _write_json(text: str, language: str) -> str:
    code = language.replace("-", "_")
    return _ARB_LOCALE.sub(lambda match: f'{match[1]}"{code}"', text, count=1)


def _write_vtt(text: str, language: str) -> str:
    return _VTT_LANGUAGE.sub(lambda match: match[1] + language, text, count=1)


_WRITERS: dict[str, Callable[[str, str], str]] = {
    "html": _write_html,
    "xliff": _write_xliff,
    "po": _write_po,
    "json": _write_json,
    "vtt": _write_vtt,
}
