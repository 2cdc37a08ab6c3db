"""`regard explain`: record a model's computation on one input and show it."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from regard.align.links import parse_links
from regard.cli.options import To, UsageError
from regard.cli.outputs import atomic_write, check_output, write_output
from regard.errors import ConfigError
from regard.explain.page import LiveModels
from regard.explain.pictures.animation import check_animation
from regard.explain.pictures.figure import check_png
from regard.explain.record import side_by_side
from regard.tasks.classification.document_classifier import DocumentClassifier
from regard.tasks.loading import LoadedModel, load
from regard.tasks.translation.translator import Translator

if TYPE_CHECKING:
    from regard.align.links import Links
    from regard.explain.record import Explanation

SUFFIXES = (".html", ".svg", ".png", ".gif", ".json")


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
            help="An interactive page (.html), the attention matrix (.svg, .png), the stage as an "
            "animation (.gif) or the record (.json). Default: the matrix on the terminal.",
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
    live: Annotated[
        bool | None,
        typer.Option(
            "--live/--no-live",
            help="Put the models into the page, which then translates other sentences too. "
            "Default: if they are translation models of at most 16 MB.",
        ),
    ] = None,
) -> None:
    """Show attention, probabilities and search of a model for one input, in one file.

    Example: regard explain model/ "A dog runs." -o dog.html --open
    """
    *models, text = inputs
    if not models:
        raise UsageError('Give a model and an input: regard explain model/ "A dog runs."')
    _check_kind(out, {"--open": open_page, "--live": bool(live), "Several models": len(models) > 1})
    check_output(out, text)
    links = None if gold is None else parse_links(gold, "--gold")
    given = any(value is not None for value in (target, gold, attention, head))
    if live and given:
        raise UsageError(
            "--live: the page translates with its own search. Leave out --target, --gold, "
            "--attention and --head."
        )
    loaded = [load(model) for model in models]
    explanations = [
        _explain(name, model, text, target, to, attention, head, links)
        for name, model in zip(models, loaded, strict=True)
    ]
    if out is None:
        console = Console()
        console.print(explanations[0].target.raw, markup=False, highlight=False)
        console.print(explanations[0])
        return
    if out.suffix == ".html":
        recorded = live is False or given
        names = [explanation.identity.name for explanation in explanations]
        embedded = None if recorded else _live_models(loaded, names, text, to, required=bool(live))
        write_output(out, side_by_side(explanations, embedded))
    else:
        with atomic_write(out) as temporary:
            explanations[0].save(temporary)
    if open_page:
        webbrowser.open(out.resolve().as_uri())


def _check_kind(out: Path | None, pages_only: Mapping[str, bool]) -> None:
    """Check that a file of this kind can be written. `pages_only`: whether it is used."""
    for name, is_used in pages_only.items():
        if is_used and (out is None or out.suffix != ".html"):
            verb = "needs" if name.startswith("--") else "need"
            raise UsageError(f"{name} {verb} a page; add -o FILE.html.")
    if out is not None and out.suffix not in SUFFIXES:
        raise UsageError(
            f"{out}: unknown suffix {out.suffix!r}. Use one of: {', '.join(SUFFIXES)}."
        )
    if out is not None and out.suffix == ".png":
        check_png()
    if out is not None and out.suffix == ".gif":
        check_animation()


def _live_models(
    loaded: Sequence[LoadedModel],
    names: Sequence[str],
    text: str,
    to: str | None,
    *,
    required: bool,
) -> LiveModels | None:
    """Return the models for the page; None, with a note, if the page cannot run one of them."""
    translators = [model for model in loaded if isinstance(model, Translator)]
    try:
        if len(translators) < len(loaded):
            raise ConfigError("--live: a page runs translation models only. Leave it out")
        models = [translator.live_model(to=to) for translator in translators]
    except ConfigError as error:
        if required:
            raise
        if translators:
            typer.echo(f"The page shows this sentence only. {error}.", err=True)
        return None
    return LiveModels(models, names, text)


def _explain(
    name: str,
    loaded: LoadedModel,
    text: str,
    target: str | None,
    to: str | None,
    attention: str | None,
    head: int | None,
    gold: Links | None,
) -> Explanation:
    head = None if head is None else head - 1  # Python counts from 0
    if isinstance(loaded, DocumentClassifier):
        raise ConfigError(
            f"{name}: is a document classifier, which has no step-by-step explanation. "
            "Use `regard classify --html FILE`."
        )
    if isinstance(loaded, Translator):
        return loaded.explain(text, target, to=to, attention=attention, head=head, gold=gold)
    for option, value in (("--gold", gold), ("--to", to)):
        if value is not None:
            raise ConfigError(f"{option}: {name} is not a translation model. Leave out {option}.")
    return loaded.explain(text, target, attention=attention, head=head)
