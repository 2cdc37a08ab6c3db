"""Identify the language of a text, with py3langid. Its model is loaded when it is first needed."""

from __future__ import annotations

import threading
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

_CODES = {"nb": "no"}  # languages that py3langid knows by another code
_loading = threading.Lock()


def known_languages() -> frozenset[str]:
    """Return the codes of the languages that can be identified, in ISO 639."""
    return frozenset(_identifier().labels)


def language_probabilities(text: str) -> dict[str, float]:
    """Return the probability of each known language, the most probable first.

    Without letters, all languages are about equally probable.
    """
    return dict(_identifier().rank(text))


def probability_of(code: str, probabilities: dict[str, float]) -> float:
    """Return the probability of a language; 0 for an unknown one."""
    return probabilities.get(_CODES.get(code, code), 0.0)


def _identifier() -> LanguageIdentifier:
    with _loading:  # not in several threads at once
        return _load()


@cache
def _load() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
