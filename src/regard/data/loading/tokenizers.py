"""Load the tokenizers of prepared data or of a bundle, from a directory or an object store."""

from __future__ import annotations

from pathlib import Path

from regard.data import storage
from regard.errors import ArtifactError
from regard.text.stored_tokenizer import TARGET, read_tokenizers
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, Tokenizer


def load_tokenizers(folder: str) -> tuple[Tokenizer, Tokenizer]:
    """Return the tokenizers of source and target; they are one object if they are the same.

    Raises:
        ArtifactError: There is none, or a file is damaged.
    """
    target = f"{TARGET}{SETTINGS_FILE}"
    names = {target} if storage.path_exists(storage.join_path(folder, target)) else set()
    try:
        return read_tokenizers(
            lambda name: storage.read_bytes(storage.join_path(folder, name)), names, Path(folder)
        )
    except OSError as error:
        raise ArtifactError(f"{folder}: cannot read a tokenizer: {error!r}") from error


def tokenizer_paths(folder: str) -> list[str]:
    """Return the paths of the files of a directory that `load_tokenizers` may read."""
    names = (MODEL_FILE, SETTINGS_FILE, f"{TARGET}{MODEL_FILE}", f"{TARGET}{SETTINGS_FILE}")
    return [storage.join_path(folder, name) for name in names]
