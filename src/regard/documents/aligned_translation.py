"""The translation of a text with its word links, as documents need it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.text.tokenizer import Span
from regard.text.words import join_weights


@dataclass(frozen=True, slots=True)
class AlignedTranslation:
    """The translation of a text, and the links of its words.

    Args:
        text: The translation.
        source_words: Characters of the words of the source.
        target_words: Characters of the words of the translation.
        parts: Of each part of the text that was aligned by itself, the weights of its links:
            target words × source words, and a last column of no source word. None: the
            translation is empty.
        warnings: What a person should check.
    """

    text: str
    source_words: Sequence[Span] = ()
    target_words: Sequence[Span] = ()
    parts: Sequence[NDArray[np.float32]] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def weights(self) -> NDArray[np.float32]:
        """Target words × source words, and a last column of no source word."""
        return join_weights(self.parts or ())
