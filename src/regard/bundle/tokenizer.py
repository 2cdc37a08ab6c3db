"""The tokenizers of a bundle. Free of torch."""

from __future__ import annotations

from regard.bundle.bundle import Bundle
from regard.text.stored_tokenizer import read_tokenizers
from regard.text.tokenizer import Tokenizer


def bundle_tokenizers(bundle: Bundle) -> tuple[Tokenizer, Tokenizer]:
    """Return the tokenizers of source and target; they are one object if they are the same."""
    return read_tokenizers(bundle.read, bundle.names, bundle.path)


def bundle_tokenizer(bundle: Bundle) -> Tokenizer:
    """Return the tokenizer of a model that has only one."""
    return bundle_tokenizers(bundle)[0]
