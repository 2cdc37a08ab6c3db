"""Read the tokenizers of a directory or a bundle: of the source, and of the target if it differs.

tokenizer.model, tokenizer.json                  of the source, and of the target
target_tokenizer.model, target_tokenizer.json    of the target, if the vocabularies differ
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Container
from pathlib import Path

from regard.errors import ArtifactError
from regard.text.pretrained_tokenizer import PretrainedSentencePiece
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, SentencePiece, Tokenizer

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
