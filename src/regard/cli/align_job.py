"""The corpus job of `regard align` with a translation model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from regard.align.links import write_links
from regard.align.symmetrize import symmetrize, transpose_links
from regard.cli.translation_lines import alignment_values
from regard.data.jobs.corpus_job import BlockFunction, Compute
from regard.data.jobs.part_formats import BlockResult

if TYPE_CHECKING:
    from regard.align.symmetrize import Symmetry
    from regard.cli.job_models import JobModel
    from regard.data.formats.corpus import Block
    from regard.tasks.translation.options import AlignWith


@dataclass(frozen=True)
class ModelAlignBlocks(BlockFunction):
    """Aligns pairs with a model, or with the attention of two models of opposite directions."""

    verb: ClassVar[str] = "align"

    model: JobModel
    reverse: JobModel | None
    align_with: AlignWith | None
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
