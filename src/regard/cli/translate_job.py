"""The corpus job of `regard translate`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from regard.cli.job_options import JobArguments, JobModel, absolute_path, run_job
from regard.cli.options import UsageError
from regard.cli.translate_lines import translation_formatter
from regard.data.corpus_job import TABLE, BlockFunction, BlockResult, Compute, output_suffix
from regard.data.formats.corpus import open_texts
from regard.tasks.translation.translator import Translator

if TYPE_CHECKING:
    from regard.data.formats.corpus import Block
    from regard.inference.engine import EngineName
    from regard.tasks.translation.options import TranslateOptions


def check_table(out: str | None, options: TranslateOptions, as_json: bool) -> None:
    """Refuse options whose results no table can hold, if the output is one."""
    if output_suffix(out or "") == TABLE and (as_json or options.n_best > 1 or options.alignments):
        raise UsageError(f"{out}: a table cannot hold the output of --json, --n-best and --align.")


def translate_blocks(
    models: Sequence[str], engine: EngineName, options: TranslateOptions, as_json: bool
) -> TranslateBlocks:
    """Return the function of a job that translates with bundles."""
    return TranslateBlocks(tuple(map(JobModel.find, models)), engine, options, as_json)


def run_translation_job(
    blocks: TranslateBlocks, source: str, column: str | None, out: str | None, job: JobArguments
) -> None:
    """Translate a column of a corpus, by default that of its sources."""
    number = int(column) if column and column.isdecimal() else column
    corpus = open_texts(absolute_path(source), number)
    with job.open_runner(out) as runner:
        run_job(blocks, corpus, out, runner, job.part)


@dataclass(frozen=True)
class TranslateBlocks(BlockFunction):
    """Translates the targets of blocks."""

    verb: ClassVar[str] = "translate"

    models: tuple[JobModel, ...]
    engine: EngineName
    options: TranslateOptions
    as_json: bool

    @property
    def identity(self) -> dict[str, object]:
        return {
            "models": [model.digest for model in self.models],
            "engine": self.engine,
            "options": self.options.to_json(),
            "json": self.as_json,
        }

    def load(self) -> Compute:
        first, *ensemble = (model.fetch() for model in self.models)
        translator = Translator.load(
            first, engine=self.engine, ensemble=ensemble, fixed_batches=True
        )
        formatted = translation_formatter(self.as_json, self.options.n_best > 1)

        def compute(block: Block) -> BlockResult:
            rows = range(block.start, block.start + len(block.targets))
            results = translator.translate(block.targets, self.options.for_rows(rows))
            numbered = list(enumerate(results, block.start + 1))
            return BlockResult(
                [line for number, result in numbered for line in formatted(number, result)],
                {
                    "source": block.targets,
                    "target": [result.text for result in results],
                    "score": [result.score for result in results],
                },
                [
                    f"line {number}: {' '.join(result.warnings)}"
                    for number, result in numbered
                    if result.warnings
                ],
            )

        return compute
