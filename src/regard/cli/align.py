"""`regard align`: word alignments of sentence pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from regard.cli.common_options import Out
from regard.cli.outputs import check_output, open_output, written_aside
from regard.cli.usage import UsageError

if TYPE_CHECKING:
    from regard.align.extraction import WordAlignment
    from regard.tasks.translation.translator import Translator

BATCH_SIZE = 1_000  # sentence pairs held in memory at once


def align(
    model: Annotated[str, typer.Argument(help="A translation model bundle.")],
    source: Annotated[
        str | None, typer.Option(metavar="FILE", help="Source sentences, one per line.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="FILE", help="Their translations, one per line.")
    ] = None,
    out: Out = None,
    reverse: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="A model of the opposite direction, to symmetrize the links with."
        ),
    ] = None,
    symmetrize: Annotated[
        Literal["intersection", "grow-diag"] | None,
        typer.Option(help="With --reverse: the heuristic. Default: grow-diag."),
    ] = None,
    choose_heads: Annotated[
        bool,
        typer.Option(
            "--choose-heads",
            help="With --reverse: first choose the alignment heads on which both models agree "
            "best, and save the choice in both bundles.",
        ),
    ] = False,
    prepared: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Align the prepared training data in this directory (RUN/data) and write links "
            "for guided alignment training to --out. Needs --reverse.",
        ),
    ] = None,
    pretokenized: Annotated[
        bool, typer.Option("--pretokenized", help="Split words at spaces only.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print one JSON object per line, with weights and character offsets."
        ),
    ] = False,
) -> None:
    """Print word links i-j for each sentence pair: source word i, target word j, from 0.

    Examples:

    regard align model/ --source test.en --target test.de > test.links

    regard align run/model --reverse back/model --prepared run/data --out guide.links
    """
    if prepared is not None:
        others = (source, target, choose_heads, symmetrize, pretokenized, as_json)
        if reverse is None or out is None or any(others):
            raise UsageError("--prepared needs --reverse and --out and excludes all other options.")
        check_output(out)
        _write_guide(model, reverse, prepared, out)
        return
    if source is None or target is None:
        raise UsageError("Give --source and --target, or --prepared.")
    if reverse is None and (choose_heads or symmetrize is not None):
        raise UsageError("--choose-heads and --symmetrize need --reverse.")
    check_output(out, source, target)
    from regard.align.links import write_links
    from regard.align.symmetrize import symmetrize as symmetrize_links
    from regard.align.symmetrize import transpose_links
    from regard.data.formats.corpus import open_corpus, read_blocks
    from regard.tasks.translation.translator import Translator

    forward = Translator.load(model, engine="torch")
    backward = None if reverse is None else Translator.load(reverse, engine="torch")
    if choose_heads and backward is not None and reverse is not None:
        _choose_heads(((model, forward), (reverse, backward)), source, target)
    with open_output(out) as file:
        for block in read_blocks(open_corpus(source, target), BATCH_SIZE):
            pairs = list(block.pairs())
            sources, targets = [p.source for p in pairs], [p.target for p in pairs]
            alignments = forward.align(sources, targets, pretokenized=pretokenized)
            links = [alignment.links for alignment in alignments]
            if backward is not None:
                reversed_ = backward.align(targets, sources, pretokenized=pretokenized)
                links = [
                    symmetrize_links(one, transpose_links(two.links), symmetrize or "grow-diag")
                    for one, two in zip(links, reversed_, strict=True)
                ]
            for alignment, pair_links in zip(alignments, links, strict=True):
                line = write_links(pair_links)
                if as_json:
                    values = {**alignment_values(alignment), "links": line}
                    line = json.dumps(values, ensure_ascii=False)
                file.write(f"{line}\n")


def _choose_heads(
    models: tuple[tuple[str, Translator], tuple[str, Translator]], source: str, target: str
) -> None:
    """Choose the alignment heads of two opposite models and save them in their bundles."""
    from regard.bundle.bundle import add_files, open_bundle
    from regard.data.formats.corpus import open_corpus
    from regard.tasks.translation.calibrate import choose_agreeing_heads
    from regard.tasks.translation.loading import ALIGNMENT_FILE
    from regard.tasks.translation.module import read_valid
    from regard.tasks.translation.translator import calibration_files

    (_, forward), (_, backward) = models
    choose_agreeing_heads(forward, backward, read_valid(open_corpus(source, target)))
    for path, translator in models:
        chosen = calibration_files(translator)[ALIGNMENT_FILE]
        add_files(open_bundle(Path(path)), {ALIGNMENT_FILE: chosen})


def _write_guide(model: str, reverse: str, prepared: str, out: Path) -> None:
    from regard.cli.prepare import show_preparation
    from regard.data.loading.shards import PreparedData
    from regard.tasks.translation.guide import write_guide
    from regard.tasks.translation.translator import Translator

    forward, backward = (Translator.load(path, engine="torch") for path in (model, reverse))
    with show_preparation() as report, written_aside(out) as temporary:
        write_guide(temporary, forward, backward, PreparedData.open(prepared), report)


def alignment_values(alignment: WordAlignment) -> dict[str, Any]:
    """Return links, weights and the character offsets of words as JSON values."""
    from regard.align.links import write_links

    return {
        "links": write_links(alignment.links),
        "source_words": alignment.source.words,
        "target_words": alignment.target.words,
        "weights": [[round(w, 4) for w in row] for row in alignment.weights.tolist()],
    }
