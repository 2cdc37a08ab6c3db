"""The word aligner: links between the words of a sentence pair, without a translation model.

A link is made where the mean of the posteriors of both directions is above one half. A word without
such a link stays unlinked. This module is free of torch.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeAlias, TypedDict

import numpy as np

from regard.align.hmm import JUMPS, LEXICON_TYPES, Lexicon, Matrix, Model, WordPairs
from regard.align.kernels.native_hmm import posteriors
from regard.align.links import Links
from regard.bundle.arrays import pack_arrays, unpack_arrays
from regard.data import storage
from regard.errors import ArtifactError
from regard.text.words import split_words

FORMAT = 1
_TEXTS = ("source_words", "target_words", "facts")
ALIGNER_FILE = "aligner.safetensors"
MIN_POSTERIOR = 0.5
MAX_HMM_WORDS = 400  # of a side; the HMM's time grows with their third power, Model 1's does not

Words: TypeAlias = Sequence[str]


def aligner_words(text: str, *, pretokenized: bool = False) -> list[str]:
    """The words of a text as the aligner compares them: lower-cased."""
    if pretokenized:
        return text.lower().split()
    return [text[start:end].lower() for start, end in split_words(text)]


class AlignerFacts(TypedDict, total=False):
    """What an aligner was trained on."""

    pairs: int
    skipped: int  # pairs without words, or with too many
    iterations: Sequence[Model]
    data: str  # fingerprint of the prepared data


@dataclass(frozen=True, slots=True, eq=False)
class WordAligner:
    """A trained aligner: words and their lexicon.

    Args:
        sources: the ids of source words, counted from 0 in their order.
        targets: the same of target words.
        facts: what it was trained on, for the model card.
    """

    sources: dict[str, int]
    targets: dict[str, int]
    lexicon: Lexicon
    facts: AlignerFacts

    def links(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        """The links of each pair of `aligner_words`: (source word, target word)."""
        return [to_links(matrix) for matrix in self.posteriors(pairs)]

    def posteriors(self, pairs: Sequence[tuple[Words, Words]]) -> list[Matrix]:
        """The probability of each link, source × target words: the mean of both directions."""
        result: dict[int, Matrix] = {}
        lengths = [max(len(source), len(target)) for source, target in pairs]
        models: tuple[tuple[Model, bool], ...] = (("hmm", True), ("ibm1", False))
        for model, fits in models:
            chosen = [n for n, length in enumerate(lengths) if (length <= MAX_HMM_WORDS) is fits]
            encoded = encode_pairs([pairs[n] for n in chosen], self.sources, self.targets)
            results = posteriors(self.lexicon, encoded, model)
            for n, (forward, backward) in zip(chosen, results, strict=True):
                result[n] = np.float32(0.5) * (forward + backward)
        return [result[n] for n in range(len(pairs))]

    def save(self, path: Path) -> None:
        storage.write_bytes(str(path), self.to_bytes())

    def to_bytes(self) -> bytes:
        """The content of a safetensors file. Texts are arrays: the order of metadata is random."""
        facts = json.dumps({"format": FORMAT, **self.facts}, sort_keys=True)
        texts = ("\n".join(self.sources), "\n".join(self.targets), facts)
        arrays = {name: getattr(self.lexicon, name) for name in Lexicon.__slots__}
        for name, text in zip(_TEXTS, texts, strict=True):
            arrays[name] = np.array(list(text.encode()), np.uint8)
        return pack_arrays(arrays)

    @classmethod
    def load(cls, path: Path) -> WordAligner:
        """Read an aligner. Raises ArtifactError if the file is damaged."""
        try:
            return cls.from_bytes(path.read_bytes(), str(path))
        except OSError as error:
            raise ArtifactError(f"{path}: cannot be read ({error.strerror}).") from None

    @classmethod
    def from_bytes(cls, content: bytes, path: str) -> WordAligner:
        """Read an aligner from the content of the file `path`."""
        arrays = unpack_arrays(content, Path(path))
        try:
            sources, targets, facts = (arrays.pop(name).tobytes().decode() for name in _TEXTS)
            lexicon = Lexicon(**arrays)
            stored_facts = json.loads(facts)
            if stored_facts.pop("format") != FORMAT:
                raise ValueError(f"this version reads format {FORMAT}")
            aligner = cls(_vocabulary(sources), _vocabulary(targets), lexicon, stored_facts)
            _check_lexicon(lexicon, len(aligner.sources), len(aligner.targets))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ArtifactError(
                f"{path}: not a word aligner ({error}). Train it again with `regard align --save`."
            ) from error
        return aligner


def encode_pairs(
    pairs: Sequence[tuple[Words, Words]], sources: dict[str, int], targets: dict[str, int]
) -> WordPairs:
    """Word ids of pairs; −1 for words that are not in the vocabulary."""
    sides = []
    for side, ids in enumerate((sources, targets)):
        words = chain.from_iterable(pair[side] for pair in pairs)
        flat = np.fromiter((ids.get(word, -1) for word in words), np.int32)
        lengths = np.fromiter((len(pair[side]) for pair in pairs), np.int64)
        sides.append((flat, lengths.cumsum()))
    (source, source_ends), (target, target_ends) = sides
    return WordPairs(source, target, source_ends, target_ends)


def to_links(matrix: Matrix) -> Links:
    """The links of a matrix of probabilities: those above one half."""
    return Links(zip(*(axis.tolist() for axis in np.nonzero(matrix > MIN_POSTERIOR)), strict=True))


def _vocabulary(text: str) -> dict[str, int]:
    words = text.split("\n") if text else []
    ids = {word: number for number, word in enumerate(words)}
    if len(ids) < len(words):
        raise ValueError("a word occurs twice")
    return ids


def _check_lexicon(lexicon: Lexicon, sources: int, targets: int) -> None:
    """Raise ValueError unless every index is in range and every number a probability."""
    entries = len(lexicon.targets)
    shapes = {
        "rows": (sources + 1,),
        "targets": (entries,),
        "forward": (entries,),
        "backward": (entries,),
        "null_targets": (targets,),
        "null_sources": (sources,),
        "jumps": (2, JUMPS),
    }
    for name, shape in shapes.items():
        array, dtype = getattr(lexicon, name), LEXICON_TYPES[name]
        if array.shape != shape or array.dtype != dtype:
            raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}")
        if dtype == np.float32 and not bool(((array >= 0) & (array <= 1)).all()):
            raise ValueError(f"{name} contains numbers that are not probabilities")
    rows = lexicon.rows
    if rows[0] != 0 or rows[-1] != entries or bool((np.diff(rows) < 0).any()):
        raise ValueError("rows are not in order")
    if entries and (int(lexicon.targets.min()) < 0 or int(lexicon.targets.max()) >= targets):
        raise ValueError("an entry has no target word")
