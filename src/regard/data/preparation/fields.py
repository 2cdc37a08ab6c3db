"""The kinds of source and target fields: how each is cleaned and encoded.

    text          a sentence             its pieces
    running_text  a text of any length   its pieces and EOS, split into consecutive windows
    document      sentences              the pieces of each sentence, followed by EOS
    label         a class name           its index in the sorted list of names
    image_name    the name of an image   its hash, as four ids of 16 bits
    empty         nothing                no ids

A clean field is one line of text. The sentences of a document are separated by tabs, which do not
occur in normalized text.
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

FieldName = Literal["text", "running_text", "document", "label", "image_name", "empty"]

PARAGRAPH = "\u2029"  # Unicode's paragraph separator stands for a line break within a line
MAX_SENTENCE_LENGTH = 128  # pieces, about 90 words; longer sentences are split into windows


class Field(ABC):
    """One side of a record."""

    informative = True  # a record is empty if an informative field is
    continues = False  # whether a text that is too long continues in the next record
    has_near_duplicates = True  # False: any difference between two values counts

    @abstractmethod
    def clean(self, raw: str, form: Form) -> str:
        """Return the cleaned text, in one line."""

    @abstractmethod
    def lines(self, clean: str) -> list[str]:
        """Return the lines to train the tokenizer on."""

    @abstractmethod
    def encode(self, texts: Sequence[str], tokenizer: Tokenizer, labels: Sequence[str]) -> FlatIds:
        """Return the ids of cleaned texts; `labels` are the class names of label fields."""

    def labels(self, texts: Sequence[str]) -> list[str]:
        """Return the sorted class names in the texts."""
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
        return FlatIds.of(
            [[*ids, EOS] for ids in tokenizer.encode_normalized(texts)], tokenizer.dtype
        )


class DocumentField(Field):
    def clean(self, raw: str, form: Form) -> str:
        text = raw.replace(PARAGRAPH, "\n")
        sentences = (normalize(text[start:end], form) for start, end in split_sentences(text))
        return "\t".join(sentence for sentence in sentences if sentence)

    def lines(self, clean: str) -> list[str]:
        return clean.split("\t")

    def encode(self, texts: Sequence[str], tokenizer: Tokenizer, labels: Sequence[str]) -> FlatIds:
        return FlatIds.of(
            [
                [
                    token
                    for ids in tokenizer.encode_normalized(text.split("\t"))
                    for part in split_windows(ids, MAX_SENTENCE_LENGTH)
                    for token in (*part, EOS)
                ]
                for text in texts
            ],
            tokenizer.dtype,
        )


class LabelField(Field):
    has_near_duplicates = False

    def clean(self, raw: str, form: Form) -> str:
        return normalize(raw, form)

    def lines(self, clean: str) -> list[str]:
        return []

    def encode(self, texts: Sequence[str], tokenizer: Tokenizer, labels: Sequence[str]) -> FlatIds:
        indices = {name: index for index, name in enumerate(labels)}
        if unknown := sorted(set(texts) - set(indices)):
            raise CorpusError(
                f"label {unknown[0]!r} of the validation set does not occur in the training set. "
                "Add training documents with this label, or remove it from the validation set."
            )
        return FlatIds.of([[indices[text]] for text in texts], tokenizer.dtype)

    def labels(self, texts: Sequence[str]) -> list[str]:
        return sorted(set(texts))


class ImageNameField(Field):
    has_near_duplicates = False

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
    "running_text": RunningTextField(),
    "document": DocumentField(),
    "label": LabelField(),
    "image_name": ImageNameField(),
    "empty": EmptyField(),
}
