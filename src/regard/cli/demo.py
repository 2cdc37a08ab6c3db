"""`regard demo`: train two small models on generated pairs and show what attention changes."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from regard.cli.options import UsageError
from regard.cli.outputs import check_output, write_output
from regard.cli.prepare import show_stages
from regard.cli.study import show_runs
from regard.cores import available_cores
from regard.data.ownership import DEMO, claim
from regard.studies.demo import (
    ENTRIES,
    FULL,
    QUICK,
    SENTENCE,
    demo_page,
    demo_runs,
    example_pairs,
    known_words,
    measure_accuracy,
    pair_files,
    write_pairs,
)
from regard.studies.runner import prepare_runs, train_runs
from regard.tasks.translation.translator import Translator

if TYPE_CHECKING:
    from regard.studies.demo import Accuracy

BAR = 16  # characters of the longest bar


def demo(
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep pairs, runs and models in this directory, and resume an interrupted demo "
            "there. Default: a temporary directory.",
        ),
    ] = None,
    html: Annotated[
        Path, typer.Option(metavar="FILE", help="Write the page that explains one sentence here.")
    ] = Path("regard-demo.html"),
    open_page: Annotated[
        bool,
        typer.Option(
            "--open/--no-open", help="Open the page in a browser, if standard input is a terminal."
        ),
    ] = True,
    quick: Annotated[
        bool, typer.Option("--quick", help="Make only a few steps, to test the setup.")
    ] = False,
) -> None:
    """Train a model with attention and one without, and compare them. Needs no data.

    The pairs are generated: English sentences of two to forty words with their French translations,
    and dates with their ISO form. The demo takes about two and a half minutes on two cores.

    Examples:

    regard demo

    regard demo --keep demo/
    """
    check_output(html)
    if html.suffix != ".html":
        raise UsageError(f"{html}: the page needs the suffix .html.")
    with _folder(keep) as parent:
        folder = parent / ("quick" if quick else "")
        claim(str(folder), DEMO)
        console = Console(highlight=False)
        models = _train(folder, quick, console)
        _write_page(models, html, console)
        interactive = sys.stdin.isatty()
        if keep is not None:
            _print_next_steps(folder, console)
        if interactive and open_page:
            webbrowser.open(html.resolve().as_uri())
        if interactive:
            _translate_typed(models, console)
        else:
            console.print("Standard input is not a terminal, so there is no prompt.")


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """Yield the directory of the demo: `keep`, or a temporary one."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="regard-demo-") as temporary:
            yield Path(temporary)
        return
    if keep.exists() and not keep.is_dir():
        raise UsageError(f"{keep}: is a file. Name a directory.")
    ours = ("pairs", "quick")
    if keep.is_dir() and any(keep.iterdir()) and not any((keep / name).exists() for name in ours):
        raise UsageError(f"{keep}: is not empty and not from a demo. Choose another directory.")
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{keep}: cannot be created ({error.strerror}).") from None
    yield keep.absolute()


def _train(folder: Path, quick: bool, console: Console) -> dict[str, Translator]:
    """Train both models, print their accuracy and return them by name."""
    size = QUICK if quick else FULL
    runs = demo_runs(folder, size)
    if not (folder / "pairs").exists():
        write_pairs(folder, size)
    console.print(f"{size.sentences + size.dates:,} generated pairs, such as")
    for source, target in example_pairs(folder):
        console.print(f"  {source} → {target}", markup=False)
    console.print(
        "Two models learn to translate them. With attention, the decoder reads the\n"
        "encoder states of all source words; with a fixed vector, only the last one."
    )
    with show_stages("prepared") as report:
        prepare_runs(runs, report)
    with show_runs({run.name: run.config.train.steps for run in runs}) as progress:
        trained = train_runs(runs, min(len(runs), available_cores()), progress)
    if len(trained) < len(runs):
        print("Interrupted. With --keep DIR, the same command resumes.", file=sys.stderr)
        raise typer.Exit(130)
    _print_accuracy(measure_accuracy(trained), console)
    return {run.entry.name: Translator.load(run.directory.model, engine="torch") for run in runs}


def _print_accuracy(accuracies: Sequence[Accuracy], console: Console) -> None:
    """Print the share of exact translations as a table of bars."""
    table = Table(title="Sentences translated without any error", title_justify="left", box=None)
    table.add_column("source")
    table.add_column("sentences", justify="right")
    for name in accuracies[0].shares:
        table.add_column(name, no_wrap=True)
    for row in accuracies:
        bars = (f"{share:4.0%} {'█' * round(BAR * share)}" for share in row.shares.values())
        table.add_row(row.kind, str(row.sentences), *bars)
    console.print()
    console.print(table)
    console.print()


def _write_page(models: dict[str, Translator], path: Path, console: Console) -> None:
    with console.status(f"Explaining: {SENTENCE}"):
        page = demo_page(models)
    write_output(path, page)
    console.print(f"{path}: both models step by step, on any sentence", markup=False)


def _print_next_steps(folder: Path, console: Console) -> None:
    model = folder / ENTRIES[0].stem / "model"
    for command in (
        f"regard translate {model} --source {pair_files(folder, 'test')[0]}",
        f'regard explain {model} "{SENTENCE}"',
        f"regard describe {model}",
    ):
        console.print(f"$ {command}", markup=False, soft_wrap=True)


def _translate_typed(models: dict[str, Translator], console: Console) -> None:
    """Translate the lines that the user types, with both models, until an empty line."""
    console.print("\nType a sentence of these words, or a date. An empty line ends the demo.")
    console.print(known_words(), style="dim", markup=False)
    width = max(map(len, models))
    while True:
        try:
            text = console.input("> ", markup=False).strip()
        except (EOFError, KeyboardInterrupt):
            console.print()
            return
        if not text:
            return
        for name, translator in models.items():
            translation = translator.translate([text])[0].text
            console.print(f"{name:{width}}  {translation}", markup=False)
        console.print(next(iter(models.values())).explain(text))
