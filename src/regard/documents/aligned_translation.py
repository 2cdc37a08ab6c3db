"""What documents need of the translation of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.text.tokenizer import Span


@dataclass(frozen=True, slots=True)
class AlignedTranslation:
    """The translation of a text, and the links of its words.

    Args:
        text: The translation.
        source_words: Characters of the words of the source.
        target_words: Characters of the words of the translation.
        weights: Target words × source words; further columns are ignored. None: the translation
            is empty.
        warnings: What a person should check.
    """

    text: str
    source_words: Sequence[Span] = ()
    target_words: Sequence[Span] = ()
    weights: NDArray[np.float32] | None = None
    warnings: tuple[str, ...] = ()
