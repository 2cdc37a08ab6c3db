"""The front door of classifiers: documents in, their classes out, and what in them counted.

`regard.load("model/").classify(["What a film!"])` is the way from raw string to class. Training
validates by it too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from regard.batch import Documents
from regard.bundle.bundle import Bundle, open_bundle
from regard.config.model import ClassifierConfig, VocabularySizes
from regard.config.run import RunConfig
from regard.data.preparation.fields import MAX_SENTENCE_LENGTH
from regard.errors import ConfigError, CorpusError
from regard.explain.document_attention import DocumentAttention, attend_documents
from regard.explain.document_page import DocumentView, WeightedSentence, WeightedWord, document_page
from regard.models import Classifier
from regard.tasks.bundles import bundle_config, bundle_model, bundle_tokenizer
from regard.text.sentences import split_sentences
from regard.text.tokenizer import Span, Tokenizer
from regard.text.windows import split_windows
from regard.text.words import split_words, words_by_piece

CLASSES = "classes.json"


@dataclass(frozen=True, slots=True)
class Classes:
    """What a model's classes are called, in its own order."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClassificationResult:
    text: str
    label: str | None  # None: the text says nothing
    logps: dict[str, float]  # of each class
    sentences: tuple[WeightedSentence, ...] = ()  # what counted, where it was asked for

    @property
    def probability(self) -> float:
        """Of the label."""
        return 0.0 if self.label is None else math.exp(self.logps[self.label])

    def __str__(self) -> str:
        return self.label or ""


@dataclass(frozen=True, slots=True)
class _Part:
    """A sentence as the model reads it, or a part of one that is very long."""

    span: Span
    ids: Sequence[int]
    spans: Sequence[Span]  # of the pieces, in the text


class DocumentClassifier:
    """A model, its text pipeline, and the names of its classes."""

    def __init__(
        self, model: Classifier[Documents], tokenizer: Tokenizer, classes: Sequence[str]
    ) -> None:
        self.model, self.tokenizer, self.classes = model, tokenizer, tuple(classes)

    def classify(
        self, texts: Sequence[str], *, weights: bool = False
    ) -> list[ClassificationResult]:
        """The likeliest class of each text; `weights` asks what in it counted.

        A text of white space has no class.
        """
        if isinstance(texts, str):
            raise CorpusError("texts: is one string; give a list of texts")
        read = [list(self._parts(text) if weights else self._ids(text)) for text in texts]
        documents = [[part.ids for part in parts] for parts in read if parts]
        found = iter(attend_documents(self.model, documents, weights=weights))
        return [
            self._labelled(text, parts, next(found))
            if parts
            else ClassificationResult(text, None, {})
            for text, parts in zip(texts, read, strict=True)
        ]

    def _ids(self, text: str) -> Iterator[_Part]:
        """The same as `_parts`, quicker: nobody asks where the pieces stand."""
        spans = split_sentences(text)
        encoded = self.tokenizer.encode([text[start:end] for start, end in spans])
        for span, ids in zip(spans, encoded, strict=True):
            for part in split_windows(ids, MAX_SENTENCE_LENGTH):
                yield _Part(span, part, ())

    def _parts(self, text: str) -> Iterator[_Part]:
        for start, end in split_sentences(text):
            pieces = self.tokenizer.pieces(text[start:end])
            spans = [(start + a, start + b) for a, b in pieces.spans]
            of_ids = split_windows(pieces.ids, MAX_SENTENCE_LENGTH)
            of_spans = split_windows(spans, MAX_SENTENCE_LENGTH)
            at = start
            for ids, own in zip(of_ids, of_spans, strict=True):
                until = end if own is of_spans[-1] else max(at, own[-1][1])
                yield _Part((at, until), ids, own)
                at = until

    def _labelled(
        self, text: str, parts: list[_Part], found: DocumentAttention
    ) -> ClassificationResult:
        logps = dict(zip(self.classes, found.logps, strict=True))
        label = max(logps, key=logps.__getitem__)
        shaded = tuple(
            _sentence(text, part, weight, pieces)
            for part, weight, pieces in zip(parts, found.sentences, found.pieces, strict=False)
        )
        return ClassificationResult(text, label, logps, shaded)


def _sentence(text: str, part: _Part, weight: float, pieces: Sequence[float]) -> WeightedSentence:
    start, end = part.span
    spans = [(start + a, start + b) for a, b in split_words(text[start:end])]
    shares = [0.0] * len(spans)
    for owners, share in zip(words_by_piece(part.spans, spans), pieces, strict=True):
        for word in owners:
            shares[word] += share / len(owners)
    return WeightedSentence(part.span, weight, tuple(map(WeightedWord, spans, shares)))


def document_view(labelled: Sequence[ClassificationResult]) -> str:
    """A page on which the documents are shaded by what counted; they were asked for `weights`."""
    return document_page(
        [
            DocumentView(
                one.text,
                f"{one.label}, {one.probability:.3f}" if one.label else "it says nothing: no class",
                one.sentences,
                {name: math.exp(logp) for name, logp in one.logps.items()},
            )
            for one in labelled
        ]
    )


def load_classifier(path: str | Path, *, device: str | None = None) -> DocumentClassifier:
    """Open a sealed classifier of documents."""
    return classifier_from_bundle(open_bundle(Path(path)), device)


def classifier_from_bundle(bundle: Bundle, device: str | None = None) -> DocumentClassifier:
    run, tokenizer = bundle_config(bundle), bundle_tokenizer(bundle)
    _check_classifier(run)
    names = bundle.value(CLASSES, Classes).names
    model = bundle_model(
        bundle, lambda: build_classification_model(run, tokenizer.size, len(names)), device
    )
    return DocumentClassifier(model, tokenizer, names)


def build_classification_model(
    run: RunConfig, vocabulary: int, classes: int
) -> Classifier[Documents]:
    """The model of a run that classifies documents, as yet knowing nothing."""
    return _check_classifier(run).build(VocabularySizes(vocabulary, classes))


def _check_classifier(run: RunConfig) -> ClassifierConfig:
    model = run.model
    if model.kind != "classifier" or model.reads != "documents":
        raise ConfigError(
            f"model: a {model.kind} that reads {model.reads} names no classes of documents; "
            "choose one that does"
        )
    return model
