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
from regard.bundle.bundle import Bundle, unseal
from regard.data.preparation.sides import LONGEST_SENTENCE
from regard.errors import CorpusError, SpecError
from regard.explain.shaded import Sentence, Shaded, Word, page
from regard.explain.weighed import Weighed, weigh
from regard.models import Classifier
from regard.spec.model import ClassifierSpec, Sizes
from regard.spec.run import Run
from regard.tasks.sealed import sealed_model, sealed_run, sealed_tokenizer
from regard.text.split import sentences
from regard.text.tokenizer import Span, Tokenizer
from regard.text.windows import windows
from regard.text.words import words, words_of_pieces

CLASSES = "classes.json"


@dataclass(frozen=True, slots=True)
class Classes:
    """What a model's classes are called, in its own order."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Labelled:
    text: str
    label: str | None  # None: the text says nothing
    logps: dict[str, float]  # of each class
    sentences: tuple[Sentence, ...] = ()  # what counted, where it was asked for

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


class Labeller:
    """A model, its text pipeline, and the names of its classes."""

    def __init__(
        self, model: Classifier[Documents], tokenizer: Tokenizer, classes: Sequence[str]
    ) -> None:
        self.model, self.tokenizer, self.classes = model, tokenizer, tuple(classes)

    def classify(self, texts: Sequence[str], *, weights: bool = False) -> list[Labelled]:
        """The likeliest class of each text; `weights` asks what in it counted.

        A text of white space has no class.
        """
        if isinstance(texts, str):
            raise CorpusError("texts: is one string; give a list of texts")
        read = [list(self._parts(text) if weights else self._ids(text)) for text in texts]
        documents = [[part.ids for part in parts] for parts in read if parts]
        found = iter(weigh(self.model, documents, weights=weights))
        return [
            self._labelled(text, parts, next(found)) if parts else Labelled(text, None, {})
            for text, parts in zip(texts, read, strict=True)
        ]

    def _ids(self, text: str) -> Iterator[_Part]:
        """The same as `_parts`, quicker: nobody asks where the pieces stand."""
        spans = sentences(text)
        encoded = self.tokenizer.encode([text[start:end] for start, end in spans])
        for span, ids in zip(spans, encoded, strict=True):
            for part in windows(ids, LONGEST_SENTENCE):
                yield _Part(span, part, ())

    def _parts(self, text: str) -> Iterator[_Part]:
        for start, end in sentences(text):
            pieces = self.tokenizer.pieces(text[start:end])
            spans = [(start + a, start + b) for a, b in pieces.spans]
            of_ids = windows(pieces.ids, LONGEST_SENTENCE)
            of_spans = windows(spans, LONGEST_SENTENCE)
            at = start
            for ids, own in zip(of_ids, of_spans, strict=True):
                until = end if own is of_spans[-1] else max(at, own[-1][1])
                yield _Part((at, until), ids, own)
                at = until

    def _labelled(self, text: str, parts: list[_Part], found: Weighed) -> Labelled:
        logps = dict(zip(self.classes, found.logps, strict=True))
        label = max(logps, key=logps.__getitem__)
        shaded = tuple(
            _sentence(text, part, weight, pieces)
            for part, weight, pieces in zip(parts, found.sentences, found.pieces, strict=False)
        )
        return Labelled(text, label, logps, shaded)


def _sentence(text: str, part: _Part, weight: float, pieces: Sequence[float]) -> Sentence:
    start, end = part.span
    spans = [(start + a, start + b) for a, b in words(text[start:end])]
    shares = [0.0] * len(spans)
    for owners, share in zip(words_of_pieces(part.spans, spans), pieces, strict=True):
        for word in owners:
            shares[word] += share / len(owners)
    return Sentence(part.span, weight, tuple(map(Word, spans, shares)))


def shaded(labelled: Sequence[Labelled]) -> str:
    """A page on which the documents are shaded by what counted; they were asked for `weights`."""
    return page(
        [
            Shaded(
                one.text,
                f"{one.label}, {one.probability:.3f}" if one.label else "it says nothing: no class",
                one.sentences,
                {name: math.exp(logp) for name, logp in one.logps.items()},
            )
            for one in labelled
        ]
    )


def load(path: str | Path, *, device: str | None = None) -> Labeller:
    """Open a sealed classifier of documents."""
    return labeller_in(unseal(Path(path)), device)


def labeller_in(bundle: Bundle, device: str | None = None) -> Labeller:
    run, tokenizer = sealed_run(bundle), sealed_tokenizer(bundle)
    _must_classify(run)
    names = bundle.value(CLASSES, Classes).names
    model = sealed_model(bundle, lambda: build_model(run, tokenizer.size, len(names)), device)
    return Labeller(model, tokenizer, names)


def build_model(run: Run, vocabulary: int, classes: int) -> Classifier[Documents]:
    """The model of a run that classifies documents, as yet knowing nothing."""
    return _must_classify(run).build(Sizes(vocabulary, classes))


def _must_classify(run: Run) -> ClassifierSpec:
    model = run.model
    if model.kind != "classifier" or model.reads != "documents":
        raise SpecError(
            f"model: a {model.kind} that reads {model.reads} names no classes of documents; "
            "choose one that does"
        )
    return model
