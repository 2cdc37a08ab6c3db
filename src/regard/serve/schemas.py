"""Requests and answers of the server's own interface, under /v1."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from regard.documents.formats.texts import XmlTags
from regard.tasks.translation.options import TRANSLATE_OPTIONS, TranslateOptions

Span = tuple[int, int]
_Count = Annotated[int, Field(ge=0, le=1_000)]


class _Request(BaseModel):
    # By default pydantic keeps the latest 16,384 strings that it has parsed, and so users' texts.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, cache_strings="keys")

    model: str | None = Field(default=None, description="Name of the model. Default: by languages.")
    source_language: str | None = Field(
        default=None,
        description="Selects a model by its name, as in en-de, or by the languages of its bundle.",
    )
    target_language: str | None = Field(
        default=None,
        description="Likewise. A model with several target languages translates into this one.",
    )


class SamplingRequest(BaseModel):
    """Draw translations at random instead of searching for the best."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    seed: Annotated[int, Field(ge=0, lt=1 << 63)] = 1
    temperature: Annotated[float, Field(ge=0.01, le=100, allow_inf_nan=False)] = 1.0
    top_k: Annotated[int, Field(ge=1, le=1 << 31)] | None = None
    top_p: Annotated[float, Field(ge=1e-6, le=1)] = 1.0
    offset: Annotated[int, Field(ge=0, lt=1 << 63)] = Field(
        default=0, description="Number of texts that were sent before, in other requests."
    )


_Name = Annotated[str, Field(min_length=1, max_length=200)]


class XmlTagsRequest(BaseModel):
    """What the elements of XML mean, by their names."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    ignored: Annotated[list[_Name], Field(max_length=100)] = Field(
        default=[], description="Elements whose content is not translated."
    )
    splitting: Annotated[list[_Name], Field(max_length=100)] = Field(
        default=[], description="Elements that divide the text."
    )
    non_splitting: Annotated[list[_Name], Field(max_length=100)] = Field(
        default=[], description="Elements that stay in their sentence."
    )
    outline: bool = Field(
        default=True,
        description="Further elements divide the text where only elements are beside them.",
    )
    lines: bool = Field(default=True, description="The ends of lines divide the text.")

    def to_tags(self) -> XmlTags:
        return XmlTags(
            frozenset(self.ignored),
            frozenset(self.splitting),
            frozenset(self.non_splitting),
            self.outline,
            self.lines,
        )


class TranslateRequest(_Request):
    """Texts to translate. The options are those of `Translator.translate`."""

    texts: Annotated[list[str], Field(description="Texts to translate; long ones are split.")]
    format: Literal["plain", "text", "html", "xml"] = Field(
        default="text",
        description="What the texts are. Placeholders and tags of text, and the markup of html and "
        "xml, stay in place; plain texts are translated as they are.",
    )
    xml_tags: XmlTagsRequest | None = None
    keep: Annotated[list[_Name], Field(max_length=100)] = Field(
        default=[], description="Texts that are not translated."
    )
    terms: Annotated[dict[_Name, _Name], Field(max_length=1_000)] = Field(
        default={}, description="Terms and their prescribed translations."
    )
    glossary: _Name | None = Field(
        default=None, description="ID of a stored glossary with further terms."
    )
    beam_size: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="Hypotheses to follow; 1 is greedy search. Default: the model's."
    )
    n_best: Annotated[int, Field(ge=1)] = Field(default=1, description="Translations of each text.")
    length_penalty: Annotated[float, Field(ge=0, le=10)] | None = Field(
        default=None, description="Exponent of the length in the score. Default: the model's."
    )
    prefix: str | list[str] | None = Field(
        default=None, description="What the translation begins with, for all texts or one for each."
    )
    min_length: _Count = Field(default=0, description="Minimum number of tokens of a translation.")
    no_repeat_ngram: _Count = Field(
        default=0, description="Size of n-grams that do not occur twice."
    )
    forbid: Annotated[list[str], Field(max_length=100)] = Field(
        default=[], description="Texts that must not occur in a translation."
    )
    sampling: SamplingRequest | None = None
    alignments: bool = Field(
        default=False, description="Align the words of source and translation."
    )
    quality: bool = Field(
        default=False, description="Warn of omissions, repetitions and inventions."
    )
    stream: bool = Field(default=False, description="Answer with server-sent events, text by text.")
    bulk: bool = Field(default=False, description="Give way to requests that are not bulk.")

    def segment_options(self, to: str | None) -> TranslateOptions:
        """Return the options of the segments into `to`. Their prefixes are their own."""
        values = self.model_dump(include=SERVED_OPTIONS - {"to", "prefix"})
        return TranslateOptions.from_json({**values, "to": to})


SERVED_OPTIONS = {"to"} | TRANSLATE_OPTIONS & set(TranslateRequest.model_fields)


class Alignment(BaseModel):
    """Word links. Spans are characters (code points) of the raw texts."""

    source: list[Span] = Field(description="Start and end of each source word.")
    target: list[Span] = Field(description="Start and end of each target word.")
    links: list[tuple[int, int]] = Field(description="Pairs of a source and a target word.")


class RankedTranslation(BaseModel):
    """A translation, its score, and its alignment if it was requested."""

    text: str
    score: float = Field(description="Σ log p / length^length_penalty.")
    alignment: Alignment | None = None


class Translation(RankedTranslation):
    """The best translation of a text."""

    warnings: list[str] = Field(default=[], description="Reasons to check it; needs `quality`.")
    unaligned: list[Span] = Field(default=[], description="Source words that have no counterpart.")
    n_best: list[RankedTranslation] = Field(
        default=[], description="All translations, if n_best > 1."
    )


class TranslateResponse(BaseModel):
    """The translations, in the order of the texts."""

    model: str
    version: str = Field(description="Changes with every change of the model's files.")
    translations: list[Translation]


class AlignRequest(_Request):
    """Pairs of texts whose words are aligned."""

    sources: list[str]
    targets: list[str]


class AlignResponse(BaseModel):
    """The word alignment of each pair."""

    model: str
    version: str
    alignments: list[Alignment]


class DocumentRequest(BaseModel):
    """Parameters of a document, which is the body. They are in the address."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: str | None = Field(
        default=None, description="Format of the document. Default: that of the suffix of `name`."
    )
    name: Annotated[str, Field(max_length=255)] = Field(
        default="document", description="Name of the document, for the report."
    )
    model: str | None = Field(default=None, description="Name of the model. Default: by languages.")
    source_language: str | None = Field(
        default=None,
        description="Selects a model by its name, as in en-de, or by the languages of its bundle.",
    )
    target_language: str | None = Field(
        default=None,
        description="Likewise. A model with several target languages translates into this one.",
    )
    # An address has 64 KB at most, and an encoded character up to 12 bytes.
    keep: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=50)] = Field(
        default=[], description="Texts that are not translated."
    )
    glossary: _Name | None = Field(default=None, description="ID of a stored glossary.")
    beam_size: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="Hypotheses to follow; 1 is greedy search. Default: the model's."
    )
    length_penalty: Annotated[float, Field(ge=0, le=10)] | None = Field(
        default=None, description="Exponent of the length in the score. Default: the model's."
    )
    quality: bool = Field(default=False, description="Add quality warnings to the report.")


class DocumentResponse(BaseModel):
    """A translated document and the report on it."""

    model: str
    version: str
    document: str = Field(description="The document, in base64.")
    report: dict[str, object] = Field(description="Segments, their notes, and counts.")


class ExplainRequest(_Request):
    """A sentence whose translation is explained."""

    changes: ClassVar[None] = None
    source: str
    target: str | None = Field(
        default=None, description="Explain this translation, not the model's."
    )


Positions = Annotated[list[Annotated[int, Field(ge=0)]], Field(max_length=1_000)]
_Weight = Annotated[float, Field(ge=0, le=1)]


class HeadChange(BaseModel):
    """A head of an attention."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    attention: _Name = Field(description="Its name in the record of an explanation.")
    head: Annotated[int, Field(ge=0)]


class WeightChange(BaseModel):
    """Weights of one attention at one step."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    attention: _Name = Field(description="Its name in the record of an explanation.")
    step: Annotated[int, Field(ge=0)]
    weights: Annotated[list[_Weight], Field(min_length=1, max_length=1_000)] = Field(
        description="One for each position attended to."
    )
    head: Annotated[int, Field(ge=0)] | None = Field(default=None, description="null: all heads.")


class AttentionChanges(BaseModel):
    """Changes of a model's attention. Positions, steps and heads count from 0."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    hidden: Positions = Field(
        default=[], description="Pieces of the source that no attention to it sees."
    )
    fixed: Annotated[list[WeightChange], Field(max_length=1_000)] = Field(
        default=[], description="Weights in place of the model's."
    )
    off: Annotated[list[HeadChange], Field(max_length=1_000)] = Field(
        default=[], description="Heads without effect."
    )
    uniform: Annotated[list[_Name], Field(max_length=1_000)] = Field(
        default=[], description="Attentions with equal weights at all visible positions."
    )
    temperature: Annotated[float, Field(gt=0, le=1_000)] = Field(
        default=1.0, description="Divides the scores of attention to the source."
    )


class InterveneRequest(_Request):
    """A sentence that is translated with changed attention."""

    target: ClassVar[None] = None
    source: str
    changes: AttentionChanges = AttentionChanges()


class ExplainResponse(BaseModel):
    """The record that the viewer shows."""

    model: str
    version: str
    record: dict[str, object]


class ModelInfo(BaseModel):
    """A pair of languages of a model that is served, or a model whose languages are unknown."""

    name: str
    version: str
    engine: str
    source_language: str | None
    target_language: str | None
    alignments: bool
    quality: bool


class ModelsResponse(BaseModel):
    """All models that are served, one entry for each pair of languages."""

    models: list[ModelInfo]


class ErrorResponse(BaseModel):
    """What is wrong with a request, and how to correct it."""

    error: str
    request_id: str


class ReloadRequest(BaseModel):
    """Models whose files may have changed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    models: list[str] | None = Field(default=None, description="Default: all.")


class ReloadResponse(BaseModel):
    """The models that were replaced."""

    reloaded: list[str]
