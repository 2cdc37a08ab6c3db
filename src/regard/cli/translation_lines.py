"""Lines of output: translations and word alignments, as text and as JSON objects."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

from regard.align.links import write_links
from regard.cli.outputs import to_line

if TYPE_CHECKING:
    from regard.align.word_alignment import WordAlignment
    from regard.serve.client import ServedAlignment, ServedTranslation
    from regard.tasks.translation.result import TranslationResult

    Result = TranslationResult | ServedTranslation


def translation_formatter(as_json: bool, n_best: bool) -> Callable[[int, Result], list[str]]:
    """Return a function of a line number, from 1, and its translation to lines of output."""

    def to_json(number: int, result: Result) -> list[str]:
        return [json.dumps(_json_values(result), ensure_ascii=False)]

    def aligned(result: Result) -> list[str]:
        """Return the links, and the words of source and translation that they count."""
        alignment = result.alignment
        if alignment is None:
            return []
        sides = (alignment.source.word_texts, alignment.target.word_texts)
        return [write_links(alignment.links), *(to_line(" ".join(words)) for words in sides)]

    def to_n_best(number: int, result: Result) -> list[str]:
        return [
            " ||| ".join(
                [
                    str(number - 1),
                    to_line(hypothesis.text),
                    f"{hypothesis.score:.4f}",
                    *aligned(hypothesis),
                ]
            )
            for hypothesis in result.n_best
        ]

    def to_text(number: int, result: Result) -> list[str]:
        return ["\t".join([to_line(result.text), *aligned(result)])]

    return to_json if as_json else to_n_best if n_best else to_text


def _json_values(result: Result) -> dict[str, object]:
    from regard.serve.client import ServedTranslation

    values = {"source": result.source, **_translation_values(result), "warnings": result.warnings}
    if result.n_best:
        values["n_best"] = [_translation_values(hypothesis) for hypothesis in result.n_best]
    if not isinstance(result, ServedTranslation) and result.quality is not None:
        values["quality"] = asdict(result.quality)
    return values


def _translation_values(result: Result) -> dict[str, object]:
    """A server sends no segments and no weights of links."""
    from regard.serve.client import ServedTranslation

    values: dict[str, object] = {"text": result.text, "score": result.score}
    if isinstance(result, ServedTranslation):
        if result.alignment is not None:
            values["alignment"] = link_values(result.alignment)
        return values
    values["segments"] = [asdict(segment) for segment in result.segments]
    if result.alignment is not None:
        values["alignment"] = alignment_values(result.alignment)
    return values


def link_values(alignment: WordAlignment | ServedAlignment) -> dict[str, object]:
    """Return links and the character offsets of words as JSON values."""
    return {
        "links": str(alignment),
        "source_words": alignment.source.words,
        "target_words": alignment.target.words,
    }


def alignment_values(alignment: WordAlignment) -> dict[str, object]:
    """Return links, weights and the character offsets of words as JSON values."""
    return {
        **link_values(alignment),
        "weights": [[round(w, 4) for w in row] for row in alignment.weights.tolist()],
    }
