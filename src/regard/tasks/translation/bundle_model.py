"""The PyTorch model of a translation bundle, loaded on first use.

Free of torch until then: a translator with an exported model may never need the PyTorch model.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from regard.bundle.bundle import Bundle

if TYPE_CHECKING:
    from regard.tasks.translation.loading import TranslationModel


class BundleModel:
    """The model of `bundle`, for `device`: by default a GPU if any.

    `vocabulary`: the number of source tokens and of target tokens.
    """

    def __init__(self, bundle: Bundle, vocabulary: tuple[int, int], device: str | None) -> None:
        self.bundle, self.vocabulary, self.device = bundle, vocabulary, device
        self._lock = Lock()
        self._loaded: TranslationModel | None = None

    def load(self) -> TranslationModel:
        """Return the model with its config and identity. All calls return the same object."""
        from regard.tasks.translation.loading import load_translation_model

        with self._lock:
            if self._loaded is None:
                self._loaded = load_translation_model(self.bundle, self.vocabulary, self.device)
            return self._loaded
