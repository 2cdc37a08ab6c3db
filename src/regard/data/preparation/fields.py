"""What a side of a record is: how its raw text is made clean, and how that becomes ids.

    text      a sentence               its pieces
    prose     a text of any length     its pieces and an end, in windows that follow one another
    document  sentences                the pieces of each, and an end after each
    label     one of a few names       its place among the names
    name      of something beside it   its hash, in four ids of sixteen bits
    nothing   no text at all           no ids

A clean side is a line of text: the sentences of a document are set apart by tabs, which no
normalised text has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from regard.data.loading.image_shards import PARTS, to_ids
from regard.data.preparation.dedupe import hash_texts
from regard.errors import CorpusError
from regard.text.normalize import Form, normalize
from regard.text.sentences import split_sentences
from regard.text.tokenizer import EOS, FlatIds, Tokenizer
from regard.text.windows import split_windows

FieldName = Literal["text", "prose", "document", "label", "name", "nothing"]

PARAGRAPH = "\u2029"  # Unicode's own mark of a paragraph: a line break that a line may hold
MAX_SENTENCE_LENGTH = 128  # pieces: some 90 words; what goes on longer is read as several sentences


class Field(ABC):
    informative = True  # a record that says nothing here is empty
    continues = False  # what is too long goes on in the next record

    @abstractmethod
    def clean(self, raw: str, form: Form) -> str: ...

    @abstractmethod
    def lines(self, clean: str) -> list[str]:
        """What the vocabulary is learnt from."""

    @abstractmethod
    def encode(
        self, texts: Sequence[str], tokenizer: Tokenizer, labels: Sequence[str]
    ) -> FlatIds: ...

    def labels(self, texts: Sequence[str]) -> list[str]:
        """The names that occur, in order."""
        return []


class TextField(Field):
    def clean(self, raw: str, form: Form) -> str:
        return normalize(raw, form)

    def lines(self, clean: str) -> list[str]:
        return [clean]

    def encode(self, texts: Sequence[str], tokenizer: Tokenizer, labels: Sequence[str]) -> FlatIds:
        return tokenizer.encode_flat(texts)


class RunningTextField(TextField):
    continues = True

    def lines(self, clean: str) -> list[str]:
        return [clean[start:end] for start, end in split_sentences(clean)]

    def encode(self, texts: Sequence[str], tokenizer: Tokenizer, labels: Sequence[str]) -> FlatIds:
        return FlatIds.of([[*ids, EOS] for ids in tokenizer.encode_normal(texts)], tokenizer.dtype)


class DocumentField(Field):
    def clean(self, raw: str, form: Form) -> str:
        text = raw.replace(PARAGRAPH, "\n")
        found = (normalize(text[start:end], form) for start, end in split_sentences(text))
        return "\t".join(sentence for sentence in found if sentence)

    def lines(self, clean: str) -> list[str]:
        return clean.split("\t")

    def encode(self, texts: Sequence[str], tokenizer: Tokenizer, labels: Sequence[str]) -> FlatIds:
        return FlatIds.of(
            [
                [
                    token
                    for ids in tokenizer.encode_normal(text.split("\t"))
                    for part in split_windows(ids, MAX_SENTENCE_LENGTH)
                    for token in (*part, EOS)
                ]
                for text in texts
            ],
            tokenizer.dtype,
        )


class LabelField(Field):
    def clean(self, raw: str, form: Form) -> str:
        return normalize(raw, form)

    def lines(self, clean: str) -> list[str]:
        return []

    def encode(self, texts: Sequence[str], tokenizer: Tokenizer, labels: Sequence[str]) -> FlatIds:
        places = {name: place for place, name in enumerate(labels)}
        if strange := next((text for text in texts if text not in places), None):
            raise CorpusError(
                f"label {strange!r}: no training document has it; give some that do, or leave "
                "those out that are to be validated on"
            )
        return FlatIds.of([[places[text]] for text in texts], tokenizer.dtype)

    def labels(self, texts: Sequence[str]) -> list[str]:
        return sorted(set(texts))


class ImageNameField(Field):
    def clean(self, raw: str, form: Form) -> str:
        return raw

    def lines(self, clean: str) -> list[str]:
        return []

    def encode(self, texts: Sequence[str], tokenizer: Tokenizer, labels: Sequence[str]) -> FlatIds:
        ids = to_ids(hash_texts(texts))
        return FlatIds(ids.ravel().astype(tokenizer.dtype), np.full(len(ids), PARTS, np.uint32))


class EmptyField(Field):
    informative = False

    def clean(self, raw: str, form: Form) -> str:
        return ""

    def lines(self, clean: str) -> list[str]:
        return []

    def encode(self, texts: Sequence[str], tokenizer: Tokenizer, labels: Sequence[str]) -> FlatIds:
        return FlatIds.of([[]] * len(texts), tokenizer.dtype)


FIELDS: Mapping[FieldName, Field] = {
    "text": TextField(),
    "prose": RunningTextField(),
    "document": DocumentField(),
    "label": LabelField(),
    "name": ImageNameField(),
    "nothing": EmptyField(),
}
