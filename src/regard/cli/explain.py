"""`regard explain`: what a model did while it said something, to look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from regard.align.links import Links


def explain(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL [MODEL …] SENTENCE",
            help="One to four sealed models; last a sentence, for captioners a picture.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="A .html page to walk through, a .svg or .png matrix, or the .json record; "
            "otherwise the matrix on the terminal.",
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    target: Annotated[
        str | None, typer.Option(help="Explain this translation instead of the model's own.")
    ] = None,
    look: Annotated[
        str | None, typer.Option(help="The look to walk through; otherwise the one that aligns.")
    ] = None,
    head: Annotated[int | None, typer.Option(min=0, help="And its head, from 0.")] = None,
    gold: Annotated[
        str | None, typer.Option(help="Word links by hand, i-j i-j, to compare with.")
    ] = None,
) -> None:
    """Show where a model looked, step by step, with its real numbers, in one file without network.

    Example: regard explain model/ "A dog runs." -o dog.html --open
    """
    from regard.explain.record import side_by_side
    from regard.tasks.base import load

    *models, sentence = what
    if not models:
        raise typer.BadParameter('give a model and a sentence: regard explain model/ "A dog runs."')
    if show and (out is None or out.suffix != ".html"):
        raise typer.BadParameter("--open shows a page; name one with -o x.html")
    if len(models) > 1 and (out is None or out.suffix != ".html"):
        raise typer.BadParameter("several models stand side by side on a page; name it, -o x.html")
    by_hand = {} if gold is None else {"gold": _links(gold)}
    explanations = [
        load(model).explain(sentence, target, look=look, head=head, **by_hand) for model in models
    ]
    if out is None:
        from rich.console import Console

        console = Console()
        console.print(explanations[0].target.raw, markup=False, highlight=False)
        console.print(explanations[0])
        return
    if len(explanations) > 1:
        out.write_text(side_by_side(explanations), encoding="utf-8")
    else:
        explanations[0].save(out)
    if show:
        import webbrowser

        webbrowser.open(out.resolve().as_uri())


def _links(written: str) -> Links:
    from regard.align.links import parse_links

    return parse_links(written, "--gold")
