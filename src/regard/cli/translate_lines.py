"""`regard translate` for text: one line after another."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

from regard.cli.line_files import line_batches, open_input
from regard.cli.outputs import open_output
from regard.cli.translation_lines import translation_formatter
from regard.data.jobs.corpus_job import BLOCK

if TYPE_CHECKING:
    from collections.abc import Callable

    from regard.serve.client import Client
    from regard.tasks.translation.options import TranslateOptions
    from regard.tasks.translation.translator import Translator

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
