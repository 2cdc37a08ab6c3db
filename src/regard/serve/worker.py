"""An engine process: it loads models and does one batch after another.

    python -m regard.serve.worker DESCRIPTOR

The server starts it, and passes one end of a socket pair. The process ends when the server closes
the other end. Each model is in a slot, which the server numbers: while a model is replaced, the old
and the new version are loaded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.bundle.bundle import open_bundle
from regard.serve.frames import (
    AlignmentValues,
    ErrorValues,
    HypothesisValues,
    SegmentAnswer,
    answer_messages,
    encode_weights,
    error_values,
)
from regard.tasks.translation.options import TranslateOptions
from regard.tasks.translation.translator import Translator

if TYPE_CHECKING:
    from regard.align.word_alignment import WordAlignment
    from regard.tasks.translation.result import TranslationResult


PROBE = "1."  # the text of a probe


class Worker:
    """The models of an engine process, and the requests on them."""

    def __init__(self) -> None:
        self.translators: dict[int, Translator] = {}

    def do_load(self, slot: int, path: str, engine: str) -> dict[str, object]:
        """Load a model. One that cannot translate is refused."""
        bundle = open_bundle(Path(path))
        translator = Translator.from_bundle(bundle, engine=engine)  # type: ignore[arg-type]
        targets = translator.languages.targets
        translator.translate([PROBE], to=targets[0] if targets else None, beam_size=1)
        self.translators[slot] = translator
        return {
            "engine": translator.engine.name,
            "version": bundle.version,
            "beam_size": translator.options.beam_size,
            "length_penalty": translator.options.length_penalty,
            "aligns": translator.aligner is not None or translator.alignment_head is not None,
            "assesses_quality": translator.thresholds is not None,
        }

    def do_unload(self, slot: int) -> dict[str, object]:
        self.translators.pop(slot, None)
        return {}

    def do_translate(
        self,
        slot: int,
        segments: list[str],
        positions: list[tuple[int, int]],
        options: Mapping[str, Any],
        weights: bool,
    ) -> dict[str, object]:
        """Translate segments that share their options. A failing segment fails alone.

        Args:
            slot: Of the model.
            segments: Parts of texts, which the server has split.
            positions: Number of each segment's text in its request, and its own in the text.
            options: Of `TranslateOptions.to_json`.
            weights: Also return those of alignments.
        """
        translator, shared = self.translators[slot], TranslateOptions.from_json(options)

        def translate(rows: range) -> list[TranslationResult]:
            texts, batch_positions = (
                segments[rows.start : rows.stop],
                positions[rows.start : rows.stop],
            )
            return translator.translate_segments(
                texts, shared.with_prefixes_of(rows), batch_positions
            )

        rows = range(len(segments))
        try:
            return {"segments": [_segment_values(result, weights) for result in translate(rows)]}
        except Exception:  # find the text that caused it
            if len(segments) == 1:
                raise
        values: list[SegmentAnswer | ErrorValues] = []
        for row in rows:
            try:
                values.append(_segment_values(translate(range(row, row + 1))[0], weights))
            except Exception as error:
                values.append(error_values(error))
        return {"segments": values}

    def do_align(
        self, slot: int, sources: list[str], targets: list[str], to: str | None
    ) -> dict[str, object]:
        alignments = self.translators[slot].align(sources, targets, to=to)
        return {"alignments": [_alignment_values(alignment) for alignment in alignments]}

    def do_explain(
        self,
        slot: int,
        source: str,
        target: str | None,
        to: str | None,
        changes: Mapping[str, object] | None,
    ) -> dict[str, object]:
        changed = None
        if changes is not None:
            from pydantic import TypeAdapter

            from regard.explain.changes import Changes

            changed = TypeAdapter(Changes).validate_python(changes)
        explanation = self.translators[slot].explain(source, target, to=to, changes=changed)
        return {"record": json.loads(explanation.to_json())}


def _segment_values(result: TranslationResult, weights: bool) -> SegmentAnswer:
    hypotheses = result.n_best or (result,)
    return {"hypotheses": [_hypothesis_values(hypothesis, weights) for hypothesis in hypotheses]}


def _hypothesis_values(result: TranslationResult, weights: bool) -> HypothesisValues:
    values: HypothesisValues = {
        "text": result.text,
        "score": result.score,
        "length": sum(part.length for part in result.segments),
    }
    if result.alignment is not None:
        values["alignment"] = _alignment_values(result.alignment)
        if weights:
            values["weights"] = encode_weights(result.alignment.weights)
    if result.quality is not None:
        values["reasons"] = result.quality.reasons if result.quality.needs_review else ()
        values["unattended"] = result.quality.unattended if result.quality.needs_review else ()
    return values


def _alignment_values(alignment: WordAlignment) -> AlignmentValues:
    return {
        "source": alignment.source.words,
        "target": alignment.target.words,
        "links": sorted(alignment.links),
    }


if __name__ == "__main__":
    answer_messages(Worker())
