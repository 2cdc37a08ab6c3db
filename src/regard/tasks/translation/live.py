"""Translations with changed attention."""

from __future__ import annotations

from regard.errors import CorpusError
from regard.explain.changes import Changes, search_changed
from regard.tasks.translation.options import TranslateOptions
from regard.tasks.translation.translator import Translator


def translate_changed(
    translator: Translator,
    text: str,
    changes: Changes,
    *,
    to: str | None = None,
    beam_size: int | None = None,
    length_penalty: float | None = None,
) -> str:
    """Translate a sentence with the PyTorch model, its attention changed.

    Args:
        translator: Has the model, the tokenizers and the default options.
        text: A sentence. It is not split.
        changes: Of the attention. Positions of the source are those of its pieces, then its end.
        to: Code of the target language; None: the only one.
        beam_size: Number of hypotheses; 1 is greedy search.
        length_penalty: As in `TranslateOptions`.

    Raises:
        ConfigError: The changes do not fit the model or the sentence.
        CorpusError: The text is empty.
    """
    options = TranslateOptions(to=to, beam_size=beam_size, length_penalty=length_penalty)
    search = options.search_options(translator.options, translator.target_tokenizer)
    (source,) = translator.for_target(to).tokenizer.encode([text])
    if not source:
        raise CorpusError("text: is empty. Pass a sentence.")
    best = search_changed(translator.model, source, changes, search)[0]
    return translator.target_tokenizer.decode(best.tokens)
