"""`regard align`: which words of a sentence stand for which words of its translation."""

from __future__ import annotations

import json as json_
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from regard.align.extraction import WordAlignment

Symmetry = Literal["intersection", "grow-diag"]  # of explain/align.py, which needs torch


def align(
    model: Annotated[str, typer.Argument(help="A sealed model.")],
    source: Annotated[str | None, typer.Option(help="Sentences, one a line.")] = None,
    target: Annotated[str | None, typer.Option(help="Their translations.")] = None,
    out: Annotated[Path | None, typer.Option(help="Otherwise standard output.")] = None,
    reverse: Annotated[
        str | None, typer.Option(help="A sealed model of the other direction, to agree with.")
    ] = None,
    prepared: Annotated[
        str | None,
        typer.Option(
            help="The data of the model's run (run/data): write a guide to train by, of its "
            "training pairs, into --out. With --reverse, and without --source and --target."
        ),
    ] = None,
    choose: Annotated[
        bool,
        typer.Option(
            "--choose",
            help="With --reverse: first let both models point where they agree, and seal it.",
        ),
    ] = False,
    symmetry: Annotated[
        Symmetry | None, typer.Option(help="With --reverse; grow-diag unless you say otherwise.")
    ] = None,
    pretokenized: Annotated[
        bool, typer.Option("--pretokenized", help="Words are what stands between spaces.")
    ] = False,
    json: Annotated[
        bool,
        typer.Option("--json", help="A JSON object a line: weights and character offsets too."),
    ] = False,
) -> None:
    """Write the word links of given pairs, a line each, as i-j: source word, target word, from 0.

    Examples: regard align model/ --source test.en --target test.de > test.links;
    regard align run/model --reverse back/model --prepared run/data --out guide.links, and then
    regard train … --set train.guided_alignment.links=guide.links
    """
    if prepared is not None:
        others = (source, target, choose, symmetry, pretokenized, json)
        if reverse is None or out is None or any(others):
            raise typer.BadParameter(
                "--prepared needs --reverse and --out, and goes with nothing else"
            )
        _write_guide(model, reverse, prepared, out)
        return
    if source is None or target is None:
        raise typer.BadParameter("say --source and --target, or --prepared")
    from contextlib import ExitStack

    from regard.align.links import write_links
    from regard.align.symmetrize import symmetrize, transpose_links
    from regard.bundle.bundle import add_files, open_bundle
    from regard.data.formats.corpus import open_corpus, read_blocks
    from regard.tasks.translation.calibrate import choose_agreeing_heads
    from regard.tasks.translation.module import read_valid
    from regard.tasks.translation.translator import (
        ALIGNMENT_FILE,
        calibration_files,
        load_translator,
    )

    there = load_translator(model, engine="torch")
    back = None if reverse is None else load_translator(reverse, engine="torch")
    if choose:
        if back is None or reverse is None:
            raise typer.BadParameter("--choose needs --reverse, the model to agree with")
        choose_agreeing_heads(there, back, read_valid(open_corpus(source, target)))
        for path, translator in ((model, there), (reverse, back)):
            add_files(
                open_bundle(Path(path)),
                {ALIGNMENT_FILE: calibration_files(translator)[ALIGNMENT_FILE]},
            )
    with ExitStack() as open_:
        file = None if out is None else open_.enter_context(out.open("w", encoding="utf-8"))
        for block in read_blocks(open_corpus(source, target), 1_000):
            pairs = list(block.pairs())
            sources, targets = [p.source for p in pairs], [p.target for p in pairs]
            found = there.align(sources, targets, pretokenized=pretokenized)
            links = [aligned.links for aligned in found]
            if back is not None:
                other = back.align(targets, sources, pretokenized=pretokenized)
                links = [
                    symmetrize(one, transpose_links(two.links), symmetry or "grow-diag")
                    for one, two in zip(links, other, strict=True)
                ]
            for aligned, own in zip(found, links, strict=True):
                line = (
                    json_.dumps({**soft(aligned), "links": write_links(own)}, ensure_ascii=False)
                    if json
                    else write_links(own)
                )
                print(line, file=file)


def _write_guide(forth: str, back: str, prepared: str, out: Path) -> None:
    from regard.cli.prepare import show_preparation
    from regard.data.loading.shards import PreparedData
    from regard.tasks.translation.guide import write_guide
    from regard.tasks.translation.translator import load_translator

    there, again = (load_translator(path, engine="torch") for path in (forth, back))
    with show_preparation() as tell:
        write_guide(out, there, again, PreparedData.open(prepared), tell)


def soft(aligned: WordAlignment) -> dict[str, Any]:
    """Links, weights, and the characters of each word, as plain values."""
    from regard.align.links import write_links

    return {
        "links": write_links(aligned.links),
        "source_words": aligned.source.words,
        "target_words": aligned.target.words,
        "weights": [[round(w, 4) for w in row] for row in aligned.weights.tolist()],
    }
