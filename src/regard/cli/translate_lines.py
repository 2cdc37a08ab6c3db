"""`regard translate` for text: one line after another."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

from regard.align.links import write_links
from regard.cli.outputs import line_batches, open_input, open_output, to_line
from regard.client import ServedTranslation
from regard.data.corpus_job import BLOCK

if TYPE_CHECKING:
    from regard.client import Client
    from regard.tasks.translation.options import TranslateOptions
    from regard.tasks.translation.translator import Translator

# -- lines of output -------------------------------------------------------------------------------
# Translations and word alignments, as text and as JSON objects.


if TYPE_CHECKING:
    from regard.align.word_alignment import WordAlignment
    from regard.client import ServedAlignment
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
    values = {"source": result.source, **_translation_values(result), "warnings": result.warnings}
    if result.n_best:
        values["n_best"] = [_translation_values(hypothesis) for hypothesis in result.n_best]
    if not isinstance(result, ServedTranslation) and result.quality is not None:
        values["quality"] = asdict(result.quality)
    return values


def _translation_values(result: Result) -> dict[str, object]:
    """A server sends no segments and no weights of links."""
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


# -- translate lines -------------------------------------------------------------------------------


REPORT_EVERY = 10.0  # seconds between two lines of progress


def write_translations(
    translator: Translator | Client,
    texts: Sequence[str] | None,
    source: str | None,
    out: str | None,
    options: TranslateOptions,
    as_json: bool,
) -> None:
    """Translate texts, or the lines of a file or of standard input, and write the translations.

    `out`: the file to write; None: standard output.
    """
    path, output = (None if name is None else Path(name) for name in (source, out))
    lines_of = translation_formatter(as_json, options.n_best > 1)
    number = warned = 0
    with (
        nullcontext(iter(texts)) if texts else open_input(path) as lines,
        open_output(output) as file,
        _progress(path) as advance,
    ):
        for block in line_batches(lines, 1 if sys.stdin.isatty() and source is None else BLOCK):
            rows = range(number, number + len(block))
            for result in translator.translate(block, options.for_rows(rows)):
                number += 1
                file.writelines(f"{line}\n" for line in lines_of(number, result))
                if result.warnings:
                    warned += 1
                    print(f"line {number}: {' '.join(result.warnings)}", file=sys.stderr)
            file.flush()
            advance(len(block))
    if options.quality:
        print(f"{warned:,} of {number:,} to check", file=sys.stderr)


@contextmanager
def _progress(source: Path | None) -> Iterator[Callable[[int], None]]:
    """Show progress on stderr: a bar on a terminal, a line every REPORT_EVERY seconds elsewhere."""
    if sys.stderr.isatty():
        total = None
        if source is not None:
            with source.open("rb") as file:
                total = sum(1 for _ in file)
        columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("translating", total=total)
            yield lambda lines: bar.advance(task, lines)
        return
    start = reported = time.monotonic()
    count = 0

    def advance(lines: int) -> None:
        nonlocal count, reported
        count += lines
        now = time.monotonic()
        if now - reported >= REPORT_EVERY:
            reported = now
            print(f"{count:,} lines, {count / (now - start):,.0f} per second", file=sys.stderr)

    yield advance
