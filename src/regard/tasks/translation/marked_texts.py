"""Translate texts with markup, placeholders or prescribed terms.

    text → segments without markup → translations → text with the markup of the source

A text is a short document that is not in a file: `DocumentJob` does the steps before and after the
translation, in this process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from regard.documents.formats.base import DocumentFormat, load_format
from regard.documents.formats.texts import LINES, XmlTags, xml_text
from regard.documents.marked_text import AlignedTranslation
from regard.documents.sandbox import DirectReader
from regard.documents.terms import TermBase, TermUse
from regard.tasks.translation.documents import DocumentJob, aligned_result

if TYPE_CHECKING:
    from regard.tasks.translation.result import TranslationResult

Markup: TypeAlias = Literal["text", "html", "xml"]


@dataclass(frozen=True, slots=True)
class MarkupOptions:
    """How texts are read.

    Args:
        markup: "text" for lines, in which tags and placeholders stay; "html" or "xml".
        keep: Texts that are not translated.
        xml: Meaning of the tags of XML.
    """

    markup: Markup = "text"
    keep: tuple[str, ...] = ()
    xml: XmlTags = field(default_factory=XmlTags)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> MarkupOptions:
        """Return the options of the values of `to_json`."""
        xml = values["xml"]
        names = {name: frozenset(xml[name]) for name in ("ignored", "splitting", "non_splitting")}
        tags = XmlTags(**names, outline=xml["outline"], lines=xml["lines"])
        return cls(values["markup"], tuple(values["keep"]), tags)

    def to_json(self) -> dict[str, object]:
        """Return the fields as JSON values."""
        xml = {
            name: sorted(value) if isinstance(value, frozenset) else value
            for name, value in asdict(self.xml).items()
        }
        return {"markup": self.markup, "keep": self.keep, "xml": xml}

    @property
    def document_format(self) -> DocumentFormat:
        if self.markup == "text":
            return LINES
        return xml_text(self.xml) if self.markup == "xml" else load_format(self.markup)


@dataclass(frozen=True, slots=True)
class MarkedTranslation:
    """A translated text.

    Args:
        text: With its markup.
        notes: What a person should check.
        terms: The terms of the source.
    """

    text: str
    notes: tuple[str, ...]
    terms: tuple[TermUse, ...]


class MarkedTexts:
    """Texts while they are translated.

    Args:
        texts: With markup.
        options: How they are read.
        terms: Prescribed translations.

    Attributes:
        parts: Of each text, what is to be translated.

    Raises:
        DocumentError: A text is not well-formed XML.
    """

    def __init__(
        self, texts: Sequence[str], options: MarkupOptions, terms: TermBase | None = None
    ) -> None:
        reader = DirectReader(options.document_format)
        self._jobs = [
            DocumentJob(text.encode(), reader, name="text", keep=options.keep, terms=terms)
            for text in texts
        ]
        self.parts = [job.texts for job in self._jobs]

    def finish(self, translations: Mapping[str, AlignedTranslation]) -> list[MarkedTranslation]:
        """Return the texts with a translation for each of `parts`."""
        finished = []
        for job in self._jobs:
            document = job.finish(translations)
            segments = document.report.segments
            notes = dict.fromkeys(note for segment in segments for note in segment.notes)
            finished.append(
                MarkedTranslation(
                    document.content.decode(),
                    tuple(notes),
                    tuple(use for segment in segments for use in segment.terms),
                )
            )
        return finished


def translate_texts(
    translate: Callable[[Sequence[str]], list[TranslationResult]], texts: MarkedTexts
) -> list[MarkedTranslation]:
    """Translate texts by a function that translates their parts and aligns their words."""
    parts = list(dict.fromkeys(part for of_text in texts.parts for part in of_text))
    results = map(aligned_result, translate(parts))
    return texts.finish(dict(zip(parts, results, strict=True)))
