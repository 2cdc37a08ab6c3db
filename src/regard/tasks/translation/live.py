"""Translation models that run in a page, and translations with changed attention."""

from __future__ import annotations

from pathlib import Path

from regard.bundle.bundle import bundle_tokenizers, open_bundle
from regard.bundle.remote import fetch_bundle
from regard.errors import CorpusError
from regard.explain.changes import Changes, search_changed
from regard.explain.live_model import MAX_BYTES, Precision, write_live_model
from regard.inference.engine import SearchOptions
from regard.tasks.translation.bundle_parts import read_alignment_head, read_languages
from regard.tasks.translation.loading import load_translation_model
from regard.tasks.translation.options import TranslateOptions
from regard.tasks.translation.translator import Translator


def live_model(
    path: str | Path,
    *,
    to: str | None = None,
    precision: Precision = "f16",
    max_bytes: int = MAX_BYTES,
) -> str:
    """Return a model bundle as the JSON text `regard.live/1`.

    Args:
        path: The folder or the URL of the bundle.
        to: Code of a target language; None: the only one.
        precision: Of the weights.
        max_bytes: Most bytes of packed weights.

    Raises:
        ConfigError: As `write_live_model`, or the model does not translate into `to`.
    """
    bundle = open_bundle(fetch_bundle(path))
    source, target = bundle_tokenizers(bundle)
    loaded = load_translation_model(bundle, (source.size, target.size), "cpu")
    search = loaded.config.search
    return write_live_model(
        loaded.model,
        loaded.config.model.model_dump(mode="json"),
        (read_languages(bundle).for_target(to).tag_source(source), target),
        SearchOptions(search.beam_size, search.length_penalty),
        identity=loaded.identity,
        alignment_head=read_alignment_head(bundle),
        precision=precision,
        max_bytes=max_bytes,
    )


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
