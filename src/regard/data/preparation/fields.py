"""What preparation makes of a field: characters, words, pieces; and duplicates.

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

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from string import ascii_lowercase, ascii_uppercase, digits, punctuation
from typing import Any, Literal

import numpy as np
import xxhash
from numpy.typing import NDArray

from regard.data.loading.shards import HASH_PARTS, to_ids
from regard.errors import CorpusError
from regard.text.normalize import Form, normalize
from regard.text.sentences import split_sentences, split_windows
from regard.text.tokenizer import EOS, FlatIds, Tokenizer

# -- find duplicate pairs in bounded memory, independent of the order in which tasks run -----------
# Each shard writes 16 bytes a pair, its hash and its record number, sorted by hash. A partition is
# a range of hashes: its task reads this range of every shard and lists the records whose hash
# occurs in a lower record. The duplicate with the lowest record number is kept.
#
# Near duplicates have the same hash of a plain form: lower case, no punctuation, all digits 0.


_REMOVED = 0x110000  # not a code point
_PUNCTUATION = punctuation.encode()
_ASCII = bytes.maketrans((ascii_uppercase + digits).encode(), (ascii_lowercase + "0" * 10).encode())

DedupeMode = Literal["none", "exact", "near"]

RECORD = np.dtype([("hash", "<u8"), ("record", "<u8")])
SLOTS = 256  # maximum number of partitions; shards list where each 1/256 of the hashes starts
PARTITION_PAIRS = 1 << 22  # 64 MB of records, about 200 MB while they are sorted


def hash_texts(texts: Sequence[str]) -> NDArray[np.uint64]:
    digest = xxhash.xxh3_64_intdigest
    return np.fromiter((digest(text.encode()) for text in texts), np.uint64, len(texts))


def hash_plain_forms(texts: Sequence[str]) -> NDArray[np.uint64]:
    """Return hashes that are equal for near duplicates. The texts contain no line breaks."""
    digest = xxhash.xxh3_64_intdigest
    non_ascii = iter(_plain_forms([text for text in texts if not text.isascii()]))
    plain = (
        text.encode().translate(_ASCII, _PUNCTUATION) if text.isascii() else next(non_ascii)
        for text in texts
    )
    return np.fromiter(map(digest, plain), np.uint64, len(texts))


def _plain_forms(texts: Sequence[str]) -> list[bytes]:
    """Return the plain forms of texts of any script, in one pass."""
    block = "".join([f"{text}\n" for text in texts])
    codes = _plain_codes()[np.frombuffer(block.encode("utf-32-le"), np.uint32)]
    plain = codes[codes != _REMOVED].tobytes().decode("utf-32-le")
    return plain.encode().split(b"\n")


def hash_pairs(sources: NDArray[np.uint64], targets: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Combine the hashes of sources and targets; (a, b) and (b, a) differ."""
    golden = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplication is invertible
    return (sources * golden) ^ targets


def sorted_records(hashes: NDArray[np.uint64], first: int) -> tuple[NDArray[Any], list[int]]:
    """Return records numbered from `first`, sorted by hash, and the start of each slot."""
    order = np.argsort(hashes, kind="stable")
    records = np.empty(len(hashes), RECORD)
    records["hash"] = hashes[order]
    records["record"] = order + first
    starts = np.arange(SLOTS, dtype=np.uint64) << np.uint64(56)
    edges = np.searchsorted(records["hash"], starts)
    return records, [*edges.tolist(), len(hashes)]


def count_partitions(pairs: int) -> int:
    """Return a power of two, so that each partition is a whole number of slots."""
    return min(SLOTS, 1 << max(0, -(-pairs // PARTITION_PAIRS) - 1).bit_length())


def find_repeats(shards: Sequence[NDArray[Any]]) -> NDArray[np.uint64]:
    """Return the sorted numbers of the records whose hash occurs in a lower record.

    Records with equal hashes must be in the order of their numbers, as they are if the shards are
    in order.
    """
    hashes = np.concatenate([shard["hash"] for shard in shards])
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    repeated = order[1:][hashes[1:] == hashes[:-1]]
    return np.sort(np.concatenate([shard["record"] for shard in shards])[repeated])


@cache
def _plain_codes() -> NDArray[np.uint32]:
    """Map each character to lower case, digits to 0, punctuation and symbols to _REMOVED.

    Combining marks stay, because some scripts write vowels with them.
    """
    codes = np.arange(0x110000, dtype=np.uint32)
    for code in range(0x20000):  # no character beyond the first two planes changes
        character = chr(code)
        category = unicodedata.category(character)
        if category[0] in "PS":
            codes[code] = _REMOVED
        elif category == "Nd":
            codes[code] = ord("0")
        elif category == "Lu" and len(lower := character.lower()) == 1:
            codes[code] = ord(lower)
    return codes


# -- fields ----------------------------------------------------------------------------------------


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
        return FlatIds(
            ids.ravel().astype(tokenizer.dtype), np.full(len(ids), HASH_PARTS, np.uint32)
        )


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
