"""Document classification: `regard.load("model/").classify(["What a film!"])`.

Validation during training uses the same code.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from regard.batch import Documents
from regard.bundle.bundle import Bundle, bundle_tokenizer, open_bundle
from regard.config.model import ClassifierConfig, VocabularySizes
from regard.config.run import RunConfig
from regard.data.preparation.fields import MAX_SENTENCE_LENGTH
from regard.errors import ConfigError, CorpusError
from regard.explain.document_page import (
    DocumentAttention,
    DocumentView,
    WeightedSentence,
    WeightedWord,
    attend_documents,
    document_page,
)
from regard.models import Classifier
from regard.tasks.bundles import bundle_config, bundle_model
from regard.text.sentences import split_sentences, split_windows
from regard.text.tokenizer import Span, Tokenizer
from regard.text.words import split_words, words_by_piece

CLASSES = "classes.json"
"""File of a model bundle with its `Classes`."""


@dataclass(frozen=True, slots=True)
class Classes:
    """The names of a model's classes, in the order of its outputs."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClassificationResult:
    """The class of a document."""

    text: str
    label: str | None  # None: the text is empty
    logps: dict[str, float]  # log p of each class
    sentences: tuple[WeightedSentence, ...] = ()  # with attention weights, on request

    @property
    def probability(self) -> float:
        """Probability of the label; 0 if there is none."""
        return 0.0 if self.label is None else math.exp(self.logps[self.label])

    def __str__(self) -> str:
        return self.label or ""


@dataclass(frozen=True, slots=True)
class _Part:
    """A sentence, or a window of a very long one."""

    span: Span
    ids: Sequence[int]
    spans: Sequence[Span]  # of the pieces in the text


class DocumentClassifier:
    """Classifies documents.

    Args:
        classes: their names, in the order of the model's outputs.
    """

    def __init__(
        self, model: Classifier[Documents], tokenizer: Tokenizer, classes: Sequence[str]
    ) -> None:
        self.model, self.tokenizer, self.classes = model, tokenizer, tuple(classes)

    def classify(
        self, texts: Sequence[str], *, weights: bool = False
    ) -> list[ClassificationResult]:
        """Return the most likely class of each text. A text of white space has no class.

        Args:
            weights: also return the attention weights of sentences and words.
        """
        if isinstance(texts, str):
            raise CorpusError("texts: expected a list of texts, not a single string.")
        documents = [
            list(self._parts(text) if weights else self._parts_without_spans(text))
            for text in texts
        ]
        ids = [[part.ids for part in parts] for parts in documents if parts]
        attended = iter(attend_documents(self.model, ids, weights=weights))
        return [
            self._result(text, parts, next(attended))
            if parts
            else ClassificationResult(text, None, {})
            for text, parts in zip(texts, documents, strict=True)
        ]

    def _parts_without_spans(self, text: str) -> Iterator[_Part]:
        """Yield the parts of `_parts` without spans, which is faster."""
        spans = split_sentences(text)
        encoded = self.tokenizer.encode([text[start:end] for start, end in spans])
        for span, ids in zip(spans, encoded, strict=True):
            for part in split_windows(ids, MAX_SENTENCE_LENGTH):
                yield _Part(span, part, ())

    def _parts(self, text: str) -> Iterator[_Part]:
        for start, end in split_sentences(text):
            pieces = self.tokenizer.pieces(text[start:end])
            spans = [(start + a, start + b) for a, b in pieces.spans]
            id_windows = split_windows(pieces.ids, MAX_SENTENCE_LENGTH)
            span_windows = split_windows(spans, MAX_SENTENCE_LENGTH)
            window_start = start
            for ids, window in zip(id_windows, span_windows, strict=True):
                last = window is span_windows[-1]
                window_end = end if last else max(window_start, window[-1][1])
                yield _Part((window_start, window_end), ids, window)
                window_start = window_end

    def _result(
        self, text: str, parts: list[_Part], attended: DocumentAttention
    ) -> ClassificationResult:
        logps = dict(zip(self.classes, attended.logps, strict=True))
        label = max(logps, key=logps.__getitem__)
        sentences = tuple(
            _weighted_sentence(text, part, weight, pieces)
            for part, weight, pieces in zip(
                parts, attended.sentences, attended.pieces, strict=False
            )
        )
        return ClassificationResult(text, label, logps, sentences)


def _weighted_sentence(
    text: str, part: _Part, weight: float, pieces: Sequence[float]
) -> WeightedSentence:
    """Sum the weights of pieces by word. A piece of several words counts equally for each."""
    start, end = part.span
    spans = [(start + a, start + b) for a, b in split_words(text[start:end])]
    weights = [0.0] * len(spans)
    for words, piece_weight in zip(words_by_piece(part.spans, spans), pieces, strict=True):
        for word in words:
            weights[word] += piece_weight / len(words)
    return WeightedSentence(part.span, weight, tuple(map(WeightedWord, spans, weights)))


def document_view(results: Sequence[ClassificationResult]) -> str:
    """Return an HTML page that shades documents by attention. The results must have weights."""
    return document_page(
        [
            DocumentView(
                result.text,
                f"{result.label}, {result.probability:.3f}" if result.label else "empty: no class",
                result.sentences,
                {name: math.exp(logp) for name, logp in result.logps.items()},
            )
            for result in results
        ]
    )


def load_classifier(path: str | Path, *, device: str | None = None) -> DocumentClassifier:
    """Load a classification model bundle."""
    return classifier_from_bundle(open_bundle(Path(path)), device)


def classifier_from_bundle(bundle: Bundle, device: str | None = None) -> DocumentClassifier:
    """Load an open model bundle."""
    run, tokenizer = bundle_config(bundle, "document classifier"), bundle_tokenizer(bundle)
    _check_classifier(run)
    names = bundle.value(CLASSES, Classes).names
    model = bundle_model(
        bundle, lambda: build_classification_model(run, tokenizer.size, len(names)), device
    )
    return DocumentClassifier(model, tokenizer, names)


def build_classification_model(
    run: RunConfig, vocabulary: int, classes: int
) -> Classifier[Documents]:
    """Build the untrained model of a classification run."""
    return _check_classifier(run).build(VocabularySizes(vocabulary, classes))


def _check_classifier(run: RunConfig) -> ClassifierConfig:
    model = run.model
    if model.kind != "classifier" or model.reads != "documents":
        raise ConfigError(
            f"model: kind {model.kind} reading {model.reads} is not a document classifier. Choose "
            "a model that is."
        )
    return model
