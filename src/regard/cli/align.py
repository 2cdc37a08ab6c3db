"""`regard align`: word alignments of sentence pairs."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import typer

from regard.align.aligner_training import train_aligner
from regard.align.chunks import corpus_readers
from regard.align.links import symmetrize, transpose_links, write_links
from regard.align.word_aligner import ALIGNER_FILE
from regard.align.word_alignment import AlignerBlocks
from regard.bundle.manifest import MANIFEST
from regard.cli.corpus_options import (
    Columns,
    PairSource,
    PairTarget,
    check_columns,
    corpus_argument,
)
from regard.cli.job_options import (
    JobArguments,
    JobModel,
    OutputFile,
    absolute_path,
    check_job_output,
    run_job,
    work_directory,
)
from regard.cli.options import AlignWith, To, UsageError, option_groups
from regard.cli.prepare import show_stages
from regard.cli.translate_lines import alignment_values
from regard.data import storage
from regard.data.corpus_job import BlockFunction, BlockResult, Compute
from regard.data.directory_lock import lock_directory
from regard.data.ownership import ALIGNER as ALIGNER_DIRECTORY
from regard.data.ownership import WORK, check_claim, claim, remove_created

if TYPE_CHECKING:
    from regard.align.links import Symmetry
    from regard.data.formats.corpus import Block, Corpus
    from regard.data.preparation.runner import Runner
    from regard.tasks.translation.options import AlignWith as AlignmentSource

# -- the corpus job of `regard align` with a translation model -------------------------------------


@dataclass(frozen=True)
class ModelAlignBlocks(BlockFunction):
    """Aligns pairs with a model, or with the attention of two models of opposite directions."""

    verb: ClassVar[str] = "align"

    model: JobModel
    reverse: JobModel | None
    align_with: AlignmentSource | None
    symmetry: Symmetry
    pretokenized: bool
    as_json: bool

    @property
    def identity(self) -> dict[str, object]:
        return {
            "model": self.model.digest,
            "to": self.model.to,
            "reverse": None if self.reverse is None else self.reverse.digest,
            "align_with": self.align_with,
            "symmetry": self.symmetry,
            "pretokenized": self.pretokenized,
            "json": self.as_json,
        }

    def load(self) -> Compute:
        forward = self.model.load()
        backward = None if self.reverse is None else self.reverse.load()

        def compute(block: Block) -> BlockResult:
            sides = block.sources, block.targets
            alignments = forward.align(
                *sides, pretokenized=self.pretokenized, align_with=self.align_with
            )
            links = [alignment.links for alignment in alignments]
            if backward is not None:
                reversed_alignments = backward.align(
                    *reversed(sides), pretokenized=self.pretokenized, align_with=self.align_with
                )
                links = [
                    symmetrize(
                        forward_links, transpose_links(backward_alignment.links), self.symmetry
                    )
                    for forward_links, backward_alignment in zip(
                        links, reversed_alignments, strict=True
                    )
                ]
            texts = [write_links(pair_links) for pair_links in links]
            lines = texts
            if self.as_json:
                lines = [
                    json.dumps({**alignment_values(alignment), "links": text}, ensure_ascii=False)
                    for alignment, text in zip(alignments, texts, strict=True)
                ]
            return BlockResult(
                lines, {"source": block.sources, "target": block.targets, "links": texts}
            )

        return compute


# -- align -----------------------------------------------------------------------------------------


ALIGNER, ATTENTION = "Word aligner", "Attention of translation models"


@option_groups
def align(
    source: PairSource,
    target: PairTarget = None,
    model: Annotated[
        str | None,
        typer.Argument(
            help="A translation model bundle, or the directory of a word aligner. "
            "Default: train a word aligner on the given pairs."
        ),
    ] = None,
    out: OutputFile = None,
    columns: Columns = None,
    to: To = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Without a model: save the trained word aligner in this directory.",
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
    *,
    job: JobArguments,
) -> None:
    """Print word links i-j for each sentence pair: source word i, target word j, from 0.

    Examples:

    regard align --source a.en --target a.fr --out a.links --save aligner/

    regard align aligner/ --source new.en --target new.fr > new.links

    regard align model/ --source test.en --target test.de > test.links
    """
    if reverse is None and symmetrize is not None:
        raise UsageError("--symmetrize needs --reverse.")
    check_job_output(out, source, target, model, reverse)
    files = [absolute_path(path) for path in (source, target) if path is not None]
    check_columns(columns, files)
    corpus = corpus_argument(files, columns)
    if model is not None and not _is_aligner(model):
        _check_for_model(save, reverse, align_with)
        function: BlockFunction = ModelAlignBlocks(
            JobModel.find(model, to),
            None if reverse is None else JobModel.find(reverse),
            align_with if reverse is None else "attention",
            symmetrize or "grow-diag",
            pretokenized,
            as_json,
        )
    else:
        _check_for_aligner(model, save, reverse, align_with, to)
        if model is None:
            if job.part is not None:
                raise UsageError(
                    "--part needs a trained aligner, the same for all shares. Train it first, with "
                    "`regard align --save aligner/`, and pass aligner/ as the model."
                )
            _align_with_new_aligner(corpus, files, out, save, pretokenized, as_json, job)
            return
        function = AlignerBlocks.of(absolute_path(model), pretokenized, as_json)
    with job.open_runner(out) as engine:
        run_job(function, corpus, out, engine, job.part)


def _check_for_model(save: Path | None, reverse: str | None, align_with: str | None) -> None:
    """Refuse what a translation model cannot do."""
    if save is not None:
        raise UsageError("--save needs a word aligner, not a model bundle.")
    if reverse is not None and align_with == "aligner":
        raise UsageError("--reverse combines the attention of two models, not an aligner.")


def _check_for_aligner(
    model: str | None,
    save: Path | None,
    reverse: str | None,
    align_with: str | None,
    to: str | None,
) -> None:
    """Refuse what a word aligner cannot do. `model`: the trained one, if any."""
    if reverse is not None or align_with is not None or to is not None:
        raise UsageError("--reverse, --align-with and --to need a translation model.")
    if model is not None and save is not None:
        raise UsageError(f"--save: {model} is trained already. Leave it out to train another.")


def _align_with_new_aligner(
    corpus: Corpus,
    files: list[str],
    out: str | None,
    save: Path | None,
    pretokenized: bool,
    as_json: bool,
    job: JobArguments,
) -> None:
    """Train a word aligner on a corpus, and align the corpus with it."""
    if save is not None:
        check_claim(absolute_path(str(save)), ALIGNER_DIRECTORY, files)
    with (
        job.open_runner(out) as engine,
        work_directory(out) if save is None else nullcontext("") as work,
    ):
        folder = f"{work}/aligner" if save is None else absolute_path(str(save))
        _train_aligner(corpus, folder, pretokenized, engine)
        run_job(AlignerBlocks.of(folder, pretokenized, as_json), corpus, out, engine)
        remove_created(storage.join_path(folder, "work"), WORK)


def _is_aligner(path: str) -> bool:
    has_aligner = storage.path_exists(storage.join_path(path, ALIGNER_FILE))
    return has_aligner and not storage.path_exists(storage.join_path(path, MANIFEST))


def _train_aligner(corpus: Corpus, folder: str, pretokenized: bool, runner: Runner) -> None:
    """Train an aligner into a directory.

    Results of finished chunks are kept in `work` below it, so that the same command resumes after
    an interruption.
    """
    work = storage.join_path(folder, "work")
    with lock_directory(work), show_stages("finished") as report:
        claim(folder, ALIGNER_DIRECTORY)
        claim(work, WORK)
        readers = corpus_readers(corpus, work, runner, report)
        aligner = train_aligner(
            readers, work, runner, pretokenized=pretokenized, on_progress=report
        )
        storage.write_bytes(storage.join_path(folder, ALIGNER_FILE), aligner.to_bytes())
