"""`regard translate`: lines in, their translations out, in the same order."""

from __future__ import annotations

import json as json_
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import typer

from regard.cli.align import alignment_values
from regard.cli.line_files import line_batches, open_input, open_output
from regard.cli.sampling_options import Sample, Seed, Temperature, TopK, TopP

if TYPE_CHECKING:
    from collections.abc import Callable

    from regard.tasks.translation.translator import TranslationResult

BLOCK = 1_000  # lines that are held at once: enough for full batches of every length
PAUSE = 10.0  # seconds between two lines on how far it is


def translate(
    model: Annotated[str, typer.Argument(help="A sealed model.")],
    source: Annotated[
        Path | None, typer.Option(help="A text file, a text a line; otherwise standard input.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Otherwise standard output.")] = None,
    beam: Annotated[int | None, typer.Option(min=1, max=100, help="Hypotheses to follow.")] = None,
    nbest: Annotated[
        int,
        typer.Option(min=1, max=100, help="Translations of each line: number ||| text ||| score."),
    ] = 1,
    sample: Sample = False,
    temperature: Temperature = 1.0,
    top_k: TopK = None,
    top_p: TopP = 1.0,
    seed: Seed = 1,
    align: Annotated[
        bool, typer.Option("--align", help="Add a tab and the word links, i-j i-j.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Say on standard error which lines should be checked.")
    ] = False,
    engine: Annotated[
        Literal["auto", "torch", "invariant", "ctranslate2", "ctranslate2-int8"],
        typer.Option(help="What translates; by itself CTranslate2 where the model was exported."),
    ] = "auto",
    json: Annotated[bool, typer.Option("--json", help="A JSON object a line, with all.")] = False,
) -> None:
    """Translate text, a line at a time; an empty line stays empty.

    Example: regard translate model/ < in.en > out.de
    """
    from regard.inference.engine import SamplingOptions
    from regard.tasks.translation.translator import load_translator

    translator = load_translator(model, engine=engine)
    how = translator.options if beam is None else replace(translator.options, beam_size=beam)
    how = replace(how, beam_size=max(how.beam_size, nbest))
    if sample:
        how = replace(
            how, beam_size=nbest, sampling=SamplingOptions(seed, temperature, top_k, top_p)
        )
    write = _writer(json, nbest > 1)
    number = 0
    with open_input(source) as lines, open_output(out) as file, _progress(source) as done:
        for block in line_batches(lines, 1 if sys.stdin.isatty() and source is None else BLOCK):
            for found in translator.translate(
                block, how, best=nbest, logps=json, align=align, check=check
            ):
                number += 1
                write(file, number, found)
                if found.quality is not None and found.quality.needs_review:
                    _warn(number, found)
            file.flush()
            done(len(block))


def _writer(json: bool, several: bool) -> Callable[[TextIO, int, TranslationResult], None]:
    from regard.align.links import write_links

    def as_json(file: TextIO, number: int, found: TranslationResult) -> None:
        facts = asdict(replace(found, quality=None, alignment=None))
        if found.quality is not None:
            facts["alarm"] = {**asdict(found.quality), "check": found.quality.needs_review}
        if found.alignment is not None:
            facts["aligned"] = alignment_values(found.alignment)
        file.write(json_.dumps(facts, ensure_ascii=False) + "\n")

    def as_list(file: TextIO, number: int, found: TranslationResult) -> None:
        for one in (found, *found.n_best):
            file.write(f"{number - 1} ||| {one.text} ||| {one.score:.4f}\n")

    def as_text(file: TextIO, number: int, found: TranslationResult) -> None:
        links = "" if found.alignment is None else f"\t{write_links(found.alignment.links)}"
        file.write(f"{found.text}{links}\n")

    return as_json if json else as_list if several else as_text


def _warn(number: int, translation: TranslationResult) -> None:
    alarm = translation.quality
    assert alarm is not None
    unseen = [translation.source[start:end] for start, end in alarm.unattended]
    missed = f" (never looked at: {' '.join(unseen)})" if unseen else ""
    print(f"line {number}: check it: {'; '.join(alarm.reasons)}{missed}", file=sys.stderr)


@contextmanager
def _progress(source: Path | None) -> Iterator[Callable[[int], None]]:
    """On a terminal a bar; elsewhere a line now and then."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

        total = None
        if source is not None:
            with source.open("rb") as file:
                total = sum(1 for _ in file)
        columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("translating", total=total)
            yield lambda lines: bar.advance(task, lines)
        return
    begun = told = time.monotonic()
    count = 0

    def tell(lines: int) -> None:
        nonlocal count, told
        count += lines
        now = time.monotonic()
        if now - told >= PAUSE:
            told = now
            print(f"{count:,} lines, {count / (now - begun):,.0f} a second", file=sys.stderr)

    yield tell
