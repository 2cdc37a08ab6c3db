"""The process of texts with markup: it finds what is translated, and writes the translations.

    python -m regard.serve.markup_worker DESCRIPTOR

The server starts it when its engines are ready. Its methods have no memory of earlier calls
except glossaries, so another process can answer the second call of a request.
"""

from __future__ import annotations

import resource
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from regard.documents.terms import Term, TermBase
from regard.errors import ConfigError
from regard.serve.document_worker import MAX_MEMORY, read_translation
from regard.serve.frames import AlignedValues, MarkedValues, answer_messages
from regard.tasks.translation.marked_texts import MarkedTexts, MarkupOptions
from regard.text.normalize import replace_surrogates

MAX_GLOSSARIES = 64  # that are kept
UNKNOWN_GLOSSARY = "the glossary was not sent"


class MarkupWorker:
    """Answers the messages about texts with markup."""

    def __init__(self) -> None:
        self._glossaries: OrderedDict[str, TermBase] = OrderedDict()

    def do_terms(
        self,
        key: str,
        terms: Sequence[tuple[str, str]],
        languages: tuple[str | None, str | None],
    ) -> dict[str, object]:
        """Keep a glossary."""
        source, target = languages
        self._glossaries[key] = TermBase((Term(*pair) for pair in terms), (source, target))
        while len(self._glossaries) > MAX_GLOSSARIES:
            self._glossaries.popitem(last=False)
        return {}

    def do_read(self, texts: list[str], options: Mapping[str, Any]) -> dict[str, object]:
        """The parts of each text that are to be translated."""
        return {"parts": MarkedTexts(texts, MarkupOptions.from_json(options)).parts}

    def do_write(
        self,
        texts: list[str],
        options: Mapping[str, Any],
        glossary: str | None,
        translations: Mapping[str, AlignedValues],
    ) -> dict[str, object]:
        """The translations of texts whose parts are translated."""
        marked = MarkedTexts(texts, MarkupOptions.from_json(options), self._terms(glossary))
        finished = marked.finish(
            {text: read_translation(values) for text, values in translations.items()}
        )
        values: list[MarkedValues] = [
            {"text": replace_surrogates(text.text), "notes": text.notes} for text in finished
        ]
        return {"texts": values}

    def _terms(self, key: str | None) -> TermBase | None:
        if key is None:
            return None
        if key not in self._glossaries:
            raise ConfigError(UNKNOWN_GLOSSARY)
        self._glossaries.move_to_end(key)
        return self._glossaries[key]


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    answer_messages(MarkupWorker())
