"""`regard score`: how well the targets of sentence pairs fit their sources."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

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
)
from regard.cli.options import JsonLines, To, option_groups
from regard.data.corpus_job import BlockFunction, BlockResult, Compute
from regard.tasks.translation.scoring import score_pairs

if TYPE_CHECKING:
    from regard.data.formats.corpus import Block
    from regard.tasks.translation.scoring import PairScore

# -- the corpus job of `regard score` --------------------------------------------------------------


@dataclass(frozen=True)
class ScoreBlocks(BlockFunction):
    """Scores pairs with a model, and with one of the opposite direction."""

    verb: ClassVar[str] = "score"

    model: JobModel
    reverse: JobModel | None
    check: bool
    as_json: bool

    @property
    def identity(self) -> dict[str, object]:
        return {
            "model": self.model.digest,
            "to": self.model.to,
            "reverse": None if self.reverse is None else self.reverse.digest,
            "check": self.check,
            "json": self.as_json,
        }

    def load(self) -> Compute:
        forward = self.model.load()
        backward = None if self.reverse is None else self.reverse.load()

        def compute(block: Block) -> BlockResult:
            scores = score_pairs(
                forward, backward, block.sources, block.targets, quality=self.check
            )
            rows = [_values(pair_score, self.check) for pair_score in scores]
            return BlockResult(
                [_to_json(row) if self.as_json else _tabbed(row) for row in rows],
                {
                    "source": block.sources,
                    "target": block.targets,
                    **{name: [row[name] for row in rows] for name in rows[0]},
                },
            )

        return compute


def _values(score: PairScore, check: bool) -> dict[str, object]:
    """Return the fields of a line."""
    values: dict[str, object] = {
        "score": score.score,
        "logp": score.forward.logp,
        "tokens": score.forward.tokens,
    }
    if score.backward is not None:
        values |= {"reverse_logp": score.backward.logp, "reverse_tokens": score.backward.tokens}
    if check:
        values["warnings"] = "; ".join(score.forward.warnings)
    return values


def _to_json(values: dict[str, object]) -> str:
    """Return an object; JSON has no NaN."""
    return json.dumps({name: None if value != value else value for name, value in values.items()})


def _tabbed(values: dict[str, object]) -> str:
    return "\t".join(
        f"{value:.4f}" if isinstance(value, float) else str(value) for value in values.values()
    )


# -- score -----------------------------------------------------------------------------------------


@option_groups
def score(
    model: Annotated[str, typer.Argument(help="A translation model bundle, or its URL.")],
    source: PairSource,
    target: PairTarget = None,
    out: OutputFile = None,
    columns: Columns = None,
    to: To = None,
    reverse: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="A model of the opposite direction, for the dual conditional cross-entropy.",
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Add the quality warnings of each pair.")
    ] = False,
    as_json: JsonLines = False,
    *,
    job: JobArguments,
) -> None:
    """Score sentence pairs, one line for each; a higher score is better.

    The columns are: score, log-probability of the target, its number of tokens; with --reverse
    also those two of the source; with --check also warnings, such as "short for its source". The
    score is the mean log-probability of a token, or with --reverse the adequacy of dual conditional
    cross-entropy, between 0 and 1. It is nan if a side is longer than all training texts.

    Examples:

    regard score model/ --source a.en --target a.de > a.scores

    regard score en-de/ --reverse de-en/ --source a.en --target a.de --out a.parquet --workers 8
    """
    check_job_output(out, source, target)
    files = [absolute_path(path) for path in (source, target) if path is not None]
    check_columns(columns, files)
    function = ScoreBlocks(
        JobModel.find(model, to),
        None if reverse is None else JobModel.find(reverse),
        check,
        as_json,
    )
    with job.open_runner(out) as engine:
        run_job(function, corpus_argument(files, columns), out, engine, job.part)
