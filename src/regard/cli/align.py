"""`regard align`: word alignments of sentence pairs."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from regard.cli.common_options import AlignWith, Out
from regard.cli.outputs import check_output, open_output
from regard.cli.prepare import open_runner
from regard.cli.usage import UsageError

if TYPE_CHECKING:
    from regard.align.word_alignment import WordAlignment
    from regard.data.preparation.runner import Runner
    from regard.serve.client import ServedAlignment

ALIGNER, ATTENTION = "Word aligner", "Attention of translation models"
BATCH_SIZE = 1_000  # sentence pairs held in memory at once


def align(
    source: Annotated[str, typer.Option(metavar="FILE", help="Source sentences, one per line.")],
    target: Annotated[str, typer.Option(metavar="FILE", help="Their translations, one per line.")],
    model: Annotated[
        str | None,
        typer.Argument(
            help="A translation model bundle, or the directory of a word aligner. "
            "Default: train a word aligner on the given pairs."
        ),
    ] = None,
    out: Out = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Without a model: save the trained word aligner in this directory.",
            rich_help_panel=ALIGNER,
        ),
    ] = None,
    runner: Annotated[
        Literal["local", "ray"],
        typer.Option(
            help="With a word aligner: run on this machine or on a Ray cluster.",
            rich_help_panel=ALIGNER,
        ),
    ] = "local",
    workers: Annotated[
        int,
        typer.Option(min=1, help="Processes, or cores of the cluster.", rich_help_panel=ALIGNER),
    ] = 1,
    address: Annotated[
        str | None,
        typer.Option(
            help="Address of a running Ray cluster. Default: start Ray on this machine.",
            rich_help_panel=ALIGNER,
        ),
    ] = None,
    align_with: AlignWith = None,
    reverse: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="A model of the opposite direction. The links of the attention of both are "
            "symmetrized.",
            rich_help_panel=ATTENTION,
        ),
    ] = None,
    symmetrize: Annotated[
        Literal["intersection", "grow-diag"] | None,
        typer.Option(
            help="With --reverse: the heuristic. Default: grow-diag.", rich_help_panel=ATTENTION
        ),
    ] = None,
    pretokenized: Annotated[
        bool, typer.Option("--pretokenized", help="Split words at spaces only.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print one JSON object per line, with probabilities or attention weights and "
            "character offsets.",
        ),
    ] = False,
) -> None:
    """Print word links i-j for each sentence pair: source word i, target word j, from 0.

    Examples:

    regard align --source a.en --target a.fr --out a.links --save aligner/

    regard align aligner/ --source new.en --target new.fr > new.links

    regard align model/ --source test.en --target test.de > test.links
    """
    if reverse is None and symmetrize is not None:
        raise UsageError("--symmetrize needs --reverse.")
    check_output(out, source, target)
    if model is None or _is_aligner(model):
        if reverse is not None or align_with is not None:
            raise UsageError("--reverse and --align-with need a translation model.")
        if model is not None and save is not None:
            raise UsageError(f"--save: {model} is trained already. Leave it out to train another.")
        corpus_options = CorpusAlignment(source, target, out, pretokenized, as_json)
        with open_runner(runner, workers, address) as engine:
            _align_with_aligner(corpus_options, model, save, engine)
        return
    if save is not None or runner == "ray" or workers > 1:
        raise UsageError("--save, --runner and --workers need a word aligner, not a model bundle.")
    if reverse is not None:
        if align_with == "aligner":
            raise UsageError("--reverse combines the attention of two models, not an aligner.")
        align_with = "attention"
    from regard.align.links import write_links
    from regard.align.symmetrize import symmetrize as symmetrize_links
    from regard.align.symmetrize import transpose_links
    from regard.data.formats.corpus import open_corpus, read_blocks
    from regard.tasks.translation.translator import Translator

    forward = Translator.load(model, engine="torch")
    backward = None if reverse is None else Translator.load(reverse, engine="torch")
    with open_output(out) as file:
        for block in read_blocks(open_corpus(source, target), BATCH_SIZE):
            pairs = list(block.pairs())
            sources, targets = [p.source for p in pairs], [p.target for p in pairs]
            alignments = forward.align(
                sources, targets, pretokenized=pretokenized, align_with=align_with
            )
            links = [alignment.links for alignment in alignments]
            if backward is not None:
                reversed_ = backward.align(
                    targets, sources, pretokenized=pretokenized, align_with=align_with
                )
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


@dataclass(frozen=True, slots=True)
class CorpusAlignment:
    """The files and the format of an alignment."""

    source: str
    target: str
    out: Path | None
    pretokenized: bool
    as_json: bool


def _is_aligner(path: str) -> bool:
    from regard.align.word_aligner import ALIGNER_FILE
    from regard.bundle.manifest import MANIFEST

    folder = Path(path)
    return (folder / ALIGNER_FILE).is_file() and not (folder / MANIFEST).exists()


def _align_with_aligner(
    options: CorpusAlignment, trained: str | None, save: Path | None, runner: Runner
) -> None:
    """Train an aligner unless one is given, align the corpus, and write the links.

    Results of finished chunks are kept beside the output until the end, so that the same command
    resumes after an interruption. Without an output file they are kept in a temporary directory.
    """
    from regard.align.aligner_training import train_aligner
    from regard.align.chunks import corpus_readers
    from regard.align.corpus_alignment import align_corpus
    from regard.align.word_aligner import ALIGNER_FILE
    from regard.cli.prepare import show_preparation
    from regard.data.directory_lock import lock_directory
    from regard.data.formats.corpus import open_corpus

    readers = corpus_readers(open_corpus(options.source, options.target))
    place = save or (options.out and options.out.with_name(f"{options.out.name}.work"))
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary if place is None else place) / "work"
        with lock_directory(work), show_preparation() as report:
            if trained is None:
                file = (save or work) / ALIGNER_FILE
                aligner = train_aligner(
                    readers,
                    str(work),
                    runner,
                    pretokenized=options.pretokenized,
                    on_progress=report,
                )
                aligner.save(file)
            else:
                file = Path(trained) / ALIGNER_FILE
            lines = align_corpus(
                file.absolute(),
                readers,
                str(work),
                runner,
                pretokenized=options.pretokenized,
                as_json=options.as_json,
                on_progress=report,
            )
            with open_output(options.out) as output:
                output.writelines(lines)
    if place is not None:
        shutil.rmtree(work if place == save else place)


def link_values(alignment: WordAlignment | ServedAlignment) -> dict[str, Any]:
    """Return links and the character offsets of words as JSON values."""
    return {
        "links": str(alignment),
        "source_words": alignment.source.words,
        "target_words": alignment.target.words,
    }


def alignment_values(alignment: WordAlignment) -> dict[str, Any]:
    """Return links, weights and the character offsets of words as JSON values."""
    return {
        **link_values(alignment),
        "weights": [[round(w, 4) for w in row] for row in alignment.weights.tolist()],
    }
