"""The formats by name and by suffix. A module is imported when its format is used."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from regard.documents.formats.base import DocumentFormat
from regard.errors import DocumentError

_FORMATS = {
    "text": ("plain_text", "PLAIN_TEXT", (".txt", ".text")),
    "html": ("html", "HTML", (".html", ".htm", ".xhtml")),
    "markdown": ("markdown", "MARKDOWN", (".md", ".markdown")),
    "docx": ("docx", "DOCX", (".docx",)),
    "xliff": ("xliff", "XLIFF", (".xlf", ".xliff")),
    "po": ("po", "PO", (".po", ".pot")),
    "json": ("json_strings", "JSON", (".json", ".arb")),
    "yaml": ("yaml_strings", "YAML", (".yaml", ".yml")),
    "android": ("android", "ANDROID", (".xml",)),
    "properties": ("properties", "PROPERTIES", (".properties",)),
    "srt": ("subtitles", "SRT", (".srt",)),
    "vtt": ("subtitles", "VTT", (".vtt",)),
    "csv": ("tables", "CSV", (".csv",)),
    "tsv": ("tables", "TSV", (".tsv",)),
}
FORMAT_NAMES = tuple(_FORMATS)


def load_format(name: str) -> DocumentFormat:
    """The format of this name. Raises DocumentError if there is none."""
    if name not in _FORMATS:
        raise DocumentError(
            f"{name!r} is not a document format. The formats are {', '.join(FORMAT_NAMES)}."
        )
    module, attribute, _ = _FORMATS[name]
    document_format: DocumentFormat = getattr(
        import_module(f"regard.documents.formats.{module}"), attribute
    )
    return document_format


def format_of_path(path: str | Path) -> str:
    """The name of the format that a file name ends with. Raises DocumentError if there is none."""
    suffix = Path(path).suffix.lower()
    for name, (_, _, suffixes) in _FORMATS.items():
        if suffix in suffixes:
            return name
    raise DocumentError(
        f"{path}: no document format has the suffix {suffix!r}. The formats are "
        f"{', '.join(FORMAT_NAMES)}."
    )
