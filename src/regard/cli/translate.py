"""`regard translate`: translate text line by line."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TextIO

import typer

from regard.cli.align import alignment_values, link_values
from regard.cli.common_options import AlignWith, BeamSize, JsonLines, NBest, Out
from regard.cli.line_files import line_batches, open_input
from regard.cli.outputs import check_output, open_output, to_line
from regard.cli.sampling_options import Sample, Seed, Temperature, TopK, TopP
from regard.cli.usage import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from regard.inference.engine import EngineName
    from regard.serve.client import Client, ServedTranslation
    from regard.tasks.translation.result import TranslationResult
    from regard.tasks.translation.translator import Translator

    Result = TranslationResult | ServedTranslation

BLOCK = 1_000  # lines held at once: enough for full batches of every length
REPORT_EVERY = 10.0  # seconds between two lines of progress

SEARCH, CONSTRAINTS, OUTPUT, SERVER = "Search", "Constraints", "Output", "Server"


def translate(
    model: Annotated[
        str | None, typer.Argument(help="A translation model bundle. Not with --server.")
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Text file to translate. Default: standard input."),
    ] = None,
    out: Out = None,
    engine: Annotated[
        Literal["auto", "torch", "invariant", "ctranslate2", "ctranslate2-int8"],
        typer.Option(help="Search engine. Default: CTranslate2 if the model was exported."),
    ] = "auto",
    ensemble: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="A further model with the same vocabulary; probabilities are averaged. "
            "Repeatable.",
        ),
    ] = None,
    beam_size: BeamSize = None,
    length_penalty: Annotated[
        float | None,
        typer.Option(
            help="Divide the scores of a beam by length^penalty. Default: the bundle's setting.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    n_best: NBest = 1,
    prefix: Annotated[
        str | None,
        typer.Option(help="Text that every translation begins with.", rich_help_panel=CONSTRAINTS),
    ] = None,
    min_length: Annotated[
        int,
        typer.Option(
            min=0, help="Minimum number of tokens in a translation.", rich_help_panel=CONSTRAINTS
        ),
    ] = 0,
    no_repeat_ngram: Annotated[
        int,
        typer.Option(
            min=0,
            help="Do not repeat an n-gram of this many tokens; 0: no constraint.",
            rich_help_panel=CONSTRAINTS,
        ),
    ] = 0,
    forbid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Text that must not occur in a translation. Repeatable.",
            rich_help_panel=CONSTRAINTS,
        ),
    ] = None,
    sample: Sample = False,
    temperature: Temperature = 1.0,
    top_k: TopK = None,
    top_p: TopP = 1.0,
    seed: Seed = 1,
    align: Annotated[
        bool,
        typer.Option(
            "--align",
            help="Add the word links, i-j i-j, to each line, after a tab.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    align_with: AlignWith = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Report translations that need review on standard error.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    as_json: JsonLines = False,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Translate with this server (see `regard serve`) instead of a model.",
            rich_help_panel=SERVER,
        ),
    ] = None,
    server_model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name of one of the server's models. Default: its first.",
            rich_help_panel=SERVER,
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            envvar="REGARD_KEY",
            help="A key of the server. The variable is not shown in lists of processes.",
            rich_help_panel=SERVER,
        ),
    ] = None,
) -> None:
    """Translate text line by line. An empty line stays empty.

    With --n-best, each output line is: line number from 0 ||| translation ||| score, and with
    --align also ||| links.

    Examples:

    regard translate model/ < in.en > out.de

    regard translate --server http://localhost:8000 < in.en > out.de
    """
    from regard.inference.engine import SamplingOptions

    if (model is None) == (server is None):
        raise UsageError("Pass either a translation model bundle or --server URL.")
    if server is None and server_model is not None:
        raise UsageError("--server-model needs --server.")
    if server is not None and (engine != "auto" or ensemble or align_with is not None):
        raise UsageError("--engine, --ensemble and --align-with need a model bundle.")
    check_output(out, source)
    write = _writer(as_json, n_best > 1)
    number = 0
    with (
        _open_client(server, key, server_model)
        if server is not None
        else _open_bundle(model or "", engine, ensemble or ()) as translator,
        open_input(source) as lines,
        open_output(out) as file,
        _progress(source) as advance,
    ):
        for block in line_batches(lines, 1 if sys.stdin.isatty() and source is None else BLOCK):
            results = translator.translate(
                block,
                beam_size=beam_size,
                n_best=n_best,
                length_penalty=length_penalty,
                sampling=(
                    SamplingOptions(seed, temperature, top_k, top_p, offset=number)
                    if sample
                    else None
                ),
                prefix=prefix,
                min_length=min_length,
                no_repeat_ngram=no_repeat_ngram,
                forbid=forbid or (),
                logps=as_json and server is None,
                alignments=align or align_with is not None,
                align_with=align_with,
                quality=check,
            )
            for result in results:
                number += 1
                write(file, number, result)
                if result.warnings:
                    print(f"line {number}: {' '.join(result.warnings)}", file=sys.stderr)
            file.flush()
            advance(len(block))


def _open_client(
    url: str, key: str | None, model: str | None
) -> AbstractContextManager[Translator | Client]:
    from regard.serve.client import Client

    return Client(url, key=key, model=model)


def _open_bundle(
    model: str, engine: EngineName, ensemble: Sequence[str]
) -> AbstractContextManager[Translator | Client]:
    from regard.tasks.translation.translator import Translator

    return nullcontext(Translator.load(model, engine=engine, ensemble=ensemble))


def _writer(as_json: bool, n_best: bool) -> Callable[[TextIO, int, Result], None]:
    from regard.align.links import write_links

    def write_json(file: TextIO, number: int, result: Result) -> None:
        file.write(json.dumps(_json_values(result), ensure_ascii=False) + "\n")

    def write_n_best(file: TextIO, number: int, result: Result) -> None:
        for each in result.n_best:
            links = "" if each.alignment is None else f" ||| {write_links(each.alignment.links)}"
            file.write(f"{number - 1} ||| {to_line(each.text)} ||| {each.score:.4f}{links}\n")

    def write_text(file: TextIO, number: int, result: Result) -> None:
        links = "" if result.alignment is None else f"\t{write_links(result.alignment.links)}"
        file.write(f"{to_line(result.text)}{links}\n")

    return write_json if as_json else write_n_best if n_best else write_text


def _json_values(result: Result) -> dict[str, Any]:
    from regard.serve.client import ServedTranslation

    values = {"source": result.source, **_translation_values(result), "warnings": result.warnings}
    if result.n_best:
        values["n_best"] = [_translation_values(each) for each in result.n_best]
    if not isinstance(result, ServedTranslation) and result.quality is not None:
        values["quality"] = asdict(result.quality)
    return values


def _translation_values(result: Result) -> dict[str, Any]:
    """A server sends no segments and no weights of links."""
    from regard.serve.client import ServedTranslation

    values: dict[str, Any] = {"text": result.text, "score": result.score}
    if isinstance(result, ServedTranslation):
        if result.alignment is not None:
            values["alignment"] = link_values(result.alignment)
        return values
    values["segments"] = [asdict(segment) for segment in result.segments]
    if result.alignment is not None:
        values["alignment"] = alignment_values(result.alignment)
    return values


@contextmanager
def _progress(source: Path | None) -> Iterator[Callable[[int], None]]:
    """Show progress on stderr: a bar on a terminal, a line every REPORT_EVERY seconds elsewhere."""
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
