"""Tokenizers with language tags, and tokenizers as they are stored.

A tag names the target language of a multilingual model (Johnson et al. 2017), or the origin of a
pair, such as back-translation (Caswell et al. 2019). Language tags are written as in OPUS-MT.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Container, Sequence
from pathlib import Path

from regard.errors import ArtifactError, ConfigError
from regard.text.pretrained_tokenizer import PretrainedSentencePiece
from regard.text.tokenizer import (
    MODEL_FILE,
    SETTINGS_FILE,
    SentencePiece,
    TokenizedPieces,
    Tokenizer,
)

_LANGUAGE_TAG = re.compile(">>(.+)<<")


def language_tag(language: str) -> str:
    """Return the tag of a target language: `>>fr<<`."""
    return f">>{language}<<"


def tagged_languages(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return the target languages that have a tag in the vocabulary."""
    matches = (_LANGUAGE_TAG.fullmatch(tag) for tag in tokenizer.tags)
    return tuple(match[1] for match in matches if match)


class TaggedTokenizer(Tokenizer):
    """Adds tags before every text that is not empty. Their character spans are empty.

    Args:
        base: The tokenizer of the texts.
        tags: Tags of its vocabulary.

    Raises:
        ConfigError: The vocabulary does not have a tag.
    """

    def __init__(self, base: Tokenizer, tags: Sequence[str]) -> None:
        self.base, self.added = base, tuple(tags)
        for tag in tags:
            if tag not in base.tags:
                names = ", ".join(base.tags) or "none"
                raise ConfigError(
                    f"The vocabulary has no tag {tag}; its tags are: {names}. Train a vocabulary "
                    "on corpora with this tag or language, or leave it out."
                )
        self._ids = [base.tags[tag] for tag in tags]
        self.size, self.kind, self.form = base.size, base.kind, base.form
        facts = "\n".join((base.fingerprint, *tags))
        self.fingerprint = hashlib.sha256(facts.encode()).hexdigest()

    @property
    def tags(self) -> dict[str, int]:
        return self.base.tags

    @property
    def never_encoded(self) -> tuple[int, ...]:
        return self.base.never_encoded

    def normalize(self, text: str) -> str:
        return self.base.normalize(text)

    def encode_normalized(self, texts: Sequence[str]) -> list[list[int]]:
        return self._add(self.base.encode_normalized(texts))

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        return self._add(self.base.encode(texts))

    def sample(self, texts: Sequence[str], *, alpha: float, seed: int) -> list[list[int]]:
        return self._add(self.base.sample(texts, alpha=alpha, seed=seed))

    def decode(self, ids: Sequence[int]) -> str:
        return self.base.decode(ids)

    def piece(self, token: int) -> str:
        return self.base.piece(token)

    def pieces(self, text: str) -> TokenizedPieces:
        untagged = self.base.pieces(text)
        if not untagged.ids:
            return untagged
        return TokenizedPieces(
            (*self._ids, *untagged.ids),
            (*self.added, *untagged.pieces),
            (*[(0, 0)] * len(self.added), *untagged.spans),
            tuple(range(len(self.added))),
        )

    def decode_with_spans(self, ids: Sequence[int]) -> tuple[str, TokenizedPieces]:
        return self.base.decode_with_spans(ids)

    def files(self, prefix: str = "") -> dict[str, bytes]:
        return self.base.files(prefix)

    def save(self, folder: Path) -> None:
        self.base.save(folder)

    def _add(self, rows: list[list[int]]) -> list[list[int]]:
        return [[*self._ids, *row] if row else [] for row in rows]


def with_tags(tokenizer: Tokenizer, tags: Sequence[str]) -> Tokenizer:
    """Return a tokenizer that adds the tags before every text; without tags, `tokenizer`."""
    return TaggedTokenizer(tokenizer, tags) if tags else tokenizer


# -- read the tokenizers of a directory or a bundle ------------------------------------------------
# Of the source, and of the target if it differs.
#
# tokenizer.model, tokenizer.json of the source, and of the target target_tokenizer.model,
# target_tokenizer.json of the target, if the vocabularies differ


TARGET = "target_"  # begins the names of the files of a separate target tokenizer


def parse_tokenizer(model: bytes, settings_json: bytes, folder: Path) -> Tokenizer:
    """Build a tokenizer from the contents of its two files; `folder` is for error messages."""
    try:
        settings = json.loads(settings_json)
    except (ValueError, RecursionError) as error:
        raise ArtifactError(
            f"{folder / SETTINGS_FILE}: cannot read a tokenizer: {error!r}"
        ) from None
    if type(settings) is dict and settings.get("tokenizer") == "pretrained":
        return PretrainedSentencePiece.parse(model, settings, folder / SETTINGS_FILE)
    return SentencePiece.parse(model, settings_json, folder)


def read_tokenizers(
    read: Callable[[str], bytes], names: Container[str], folder: Path
) -> tuple[Tokenizer, Tokenizer]:
    """Return the tokenizers of source and target, one object if they are the same.

    Args:
        read: Returns the bytes of a file.
        names: The files that exist.
        folder: For error messages.
    """
    source = parse_tokenizer(read(MODEL_FILE), read(SETTINGS_FILE), folder)
    if f"{TARGET}{SETTINGS_FILE}" not in names:
        return source, source
    model, settings = (read(f"{TARGET}{name}") for name in (MODEL_FILE, SETTINGS_FILE))
    return source, parse_tokenizer(model, settings, folder)


def tokenizer_files(source: Tokenizer, target: Tokenizer) -> dict[str, bytes]:
    """Return the files that `read_tokenizers` reads."""
    if source.fingerprint == target.fingerprint:
        return source.files()
    return source.files() | target.files(TARGET)


def joint_fingerprint(source: Tokenizer, target: Tokenizer) -> str:
    """Return the fingerprint of the tokenizer, or of both if they differ."""
    if source.fingerprint == target.fingerprint:
        return source.fingerprint
    return hashlib.sha256(f"{source.fingerprint} {target.fingerprint}".encode()).hexdigest()
