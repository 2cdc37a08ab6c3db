"""The word aligner: links between the words of a sentence pair, without a translation model.

A link is made where the mean of the posteriors of both directions is above one half. A word without
such a link stays unlinked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from regard.align.hmm import JUMPS, Lexicon, Matrix, Model, WordPairs
from regard.align.kernels.native_hmm import posteriors
from regard.align.links import Links
from regard.data import storage
from regard.errors import ArtifactError
from regard.text.words import split_words

FORMAT = "word aligner, 1"
FILE = "aligner.safetensors"
MIN_POSTERIOR = 0.5
MAX_HMM_WORDS = 400  # of a side; the HMM's time grows with their third power, Model 1's does not

Words: TypeAlias = Sequence[str]


def aligner_words(text: str, *, pretokenized: bool = False) -> list[str]:
    """The words of a text as the aligner compares them: lower-cased."""
    if pretokenized:
        return text.lower().split()
    return [text[start:end].lower() for start, end in split_words(text)]


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
    facts: dict[str, Any]

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
            found = posteriors(self.lexicon, encoded, model)
            for n, (forward, backward) in zip(chosen, found, strict=True):
                result[n] = np.float32(0.5) * (forward + backward)
        return [result[n] for n in range(len(pairs))]

    def save(self, path: Path) -> None:
        storage.write_bytes(str(path), self.to_bytes())

    def to_bytes(self) -> bytes:
        lexicon = self.lexicon
        arrays: dict[str, NDArray[Any]] = {
            name: getattr(lexicon, name) for name in Lexicon.__slots__
        }
        for name, words in (("source_words", self.sources), ("target_words", self.targets)):
            arrays[name] = np.frombuffer("\n".join(words).encode(), np.uint8)
        # A single entry: safetensors writes several in a random order.
        return save(arrays, {FORMAT: json.dumps(self.facts, sort_keys=True)})

    @classmethod
    def load(cls, path: Path) -> WordAligner:
        """Read an aligner. Raises ArtifactError if the file is damaged."""
        try:
            with safe_open(path, "numpy") as file:
                metadata = file.metadata() or {}
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if FORMAT not in metadata:
                raise ValueError(f"format {list(metadata)}, not {FORMAT!r}")
            sources = _vocabulary(arrays.pop("source_words"))
            targets = _vocabulary(arrays.pop("target_words"))
            lexicon = Lexicon(**arrays)
            _check_lexicon(lexicon, len(sources), len(targets))
            return cls(sources, targets, lexicon, json.loads(metadata[FORMAT]))
        except FileNotFoundError:
            raise ArtifactError(f"{path}: no such file. Check the path.") from None
        except (SafetensorError, KeyError, TypeError, ValueError) as error:
            raise ArtifactError(
                f"{path}: not a word aligner ({error}). Train it again with `regard align --save`."
            ) from error


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


def _vocabulary(encoded: NDArray[Any]) -> dict[str, int]:
    text = encoded.astype(np.uint8).tobytes().decode()
    words = text.split("\n") if text else []
    ids = {word: number for number, word in enumerate(words)}
    if len(ids) < len(words):
        raise ValueError("a word occurs twice")
    return ids


def _check_lexicon(lexicon: Lexicon, sources: int, targets: int) -> None:
    """Raise ValueError unless every index is in range and every number a probability."""
    entries = len(lexicon.targets)
    shapes = {
        "rows": ((sources + 1,), np.int64),
        "targets": ((entries,), np.int32),
        "forward": ((entries,), np.float32),
        "backward": ((entries,), np.float32),
        "null_targets": ((targets,), np.float32),
        "null_sources": ((sources,), np.float32),
        "jumps": ((2, JUMPS), np.float32),
    }
    for name, (shape, dtype) in shapes.items():
        array = getattr(lexicon, name)
        if array.shape != shape or array.dtype != dtype:
            raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}")
        if dtype == np.float32 and not bool(((array >= 0) & (array <= 1)).all()):
            raise ValueError(f"{name} contains numbers that are not probabilities")
    rows = lexicon.rows
    if rows[0] != 0 or rows[-1] != entries or bool((np.diff(rows) < 0).any()):
        raise ValueError("rows are not in order")
    if entries and (int(lexicon.targets.min()) < 0 or int(lexicon.targets.max()) >= targets):
        raise ValueError("an entry has no target word")
