"""The corpus job of `regard translate`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from regard.cli.translation_lines import translation_formatter
from regard.data.jobs.corpus_job import BlockFunction, Compute
from regard.data.jobs.part_formats import BlockResult

if TYPE_CHECKING:
    from regard.cli.job_models import JobModel
    from regard.data.formats.corpus import Block
    from regard.inference.engine import EngineName, SamplingOptions


@dataclass(frozen=True)
class TranslateBlocks(BlockFunction):
    """Translates the targets of blocks.

    `options`: of `Translator.translate`, except `sampling`.
    """

    verb: ClassVar[str] = "translate"

    models: tuple[JobModel, ...]
    engine: EngineName
    options: dict[str, Any]
    sampling: SamplingOptions | None
    as_json: bool

    @property
    def identity(self) -> dict[str, Any]:
        return {
            "models": [model.digest for model in self.models],
            "engine": self.engine,
            "options": self.options,
            "sampling": repr(self.sampling),
            "json": self.as_json,
        }

    def load(self) -> Compute:
        from regard.tasks.translation.translator import Translator

        first, *others = (model.fetch() for model in self.models)
        translator = Translator.load(first, engine=self.engine, ensemble=others, fixed_batches=True)
        formatted = translation_formatter(self.as_json, self.options["n_best"] > 1)

        def compute(block: Block) -> BlockResult:
            sampling = self.sampling and replace(self.sampling, offset=block.start)
            results = translator.translate(block.targets, sampling=sampling, **self.options)
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
