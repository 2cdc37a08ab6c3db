"""The tokenizer of a bundle. Free of torch."""

from __future__ import annotations

from regard.bundle.bundle import Bundle
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, SentencePiece


def bundle_tokenizer(bundle: Bundle) -> SentencePiece:
    """Return the tokenizer of the model."""
    return SentencePiece.parse(bundle.read(MODEL_FILE), bundle.read(SETTINGS_FILE), bundle.path)
