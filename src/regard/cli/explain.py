"""`regard explain`: record a model's computation on one input and show it."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from regard.align.links import parse_links
from regard.cli.options import To, UsageError
from regard.cli.outputs import atomic_write, check_output, write_output
from regard.errors import ConfigError
from regard.explain.pictures.figure import check_png
from regard.explain.record import side_by_side
from regard.tasks.classification.document_classifier import DocumentClassifier
from regard.tasks.loading import load
from regard.tasks.translation.translator import Translator

if TYPE_CHECKING:
    from regard.align.links import Links
    from regard.explain.record import Explanation

SUFFIXES = (".html", ".svg", ".png", ".json")


def explain(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL... INPUT",
            help="One to four model bundles, then a sentence, or an image for captioning models.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="An interactive page (.html), the attention matrix (.svg, .png) or the record "
            "(.json). Default: the matrix on the terminal.",
        ),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    target: Annotated[
        str | None, typer.Option(help="Explain this output instead of the model's own.")
    ] = None,
    to: To = None,
    attention: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The attention layer to record in full. Default: the one that aligns words best.",
        ),
    ] = None,
    head: Annotated[
        int | None, typer.Option(min=1, max=1 << 16, help="The head of that layer, counted from 1.")
    ] = None,
    gold: Annotated[
        str | None,
        typer.Option(metavar="LINKS", help="Reference word links to compare with: 0-0 1-2."),
    ] = None,
) -> None:
    """Show attention, probabilities and search of a model for one input, in one file.

    Example: regard explain model/ "A dog runs." -o dog.html --open
    """
    *models, text = inputs
    if not models:
        raise UsageError('Give a model and an input: regard explain model/ "A dog runs."')
    if out is None or out.suffix != ".html":
        if open_page:
            raise UsageError("--open needs a page; add -o FILE.html.")
        if len(models) > 1:
            raise UsageError("Several models need a page; add -o FILE.html.")
    if out is not None and out.suffix not in SUFFIXES:
        raise UsageError(
            f"{out}: unknown suffix {out.suffix!r}. Use one of: {', '.join(SUFFIXES)}."
        )
    check_output(out, text)
    if out is not None and out.suffix == ".png":
        check_png()
    links = None
    if gold is not None:
        links = parse_links(gold, "--gold")
    explanations = [_explain(model, text, target, to, attention, head, links) for model in models]
    if out is None:
        console = Console()
        console.print(explanations[0].target.raw, markup=False, highlight=False)
        console.print(explanations[0])
        return
    if len(explanations) > 1:
        write_output(out, side_by_side(explanations))
    else:
        with atomic_write(out) as temporary:
            explanations[0].save(temporary)
    if open_page:
        webbrowser.open(out.resolve().as_uri())


def _explain(
    model: str,
    text: str,
    target: str | None,
    to: str | None,
    attention: str | None,
    head: int | None,
    gold: Links | None,
) -> Explanation:
    loaded = load(model)
    head = None if head is None else head - 1  # Python counts from 0
    if isinstance(loaded, DocumentClassifier):
        raise ConfigError(
            f"{model}: is a document classifier, which has no step-by-step explanation. "
            "Use `regard classify --html FILE`."
        )
    if isinstance(loaded, Translator):
        return loaded.explain(text, target, to=to, attention=attention, head=head, gold=gold)
    for option, value in (("--gold", gold), ("--to", to)):
        if value is not None:
            raise ConfigError(f"{option}: {model} is not a translation model. Leave out {option}.")
    return loaded.explain(text, target, attention=attention, head=head)
