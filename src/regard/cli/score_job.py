"""The corpus job of `regard score`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from regard.data.jobs.corpus_job import BlockFunction, Compute
from regard.data.jobs.part_formats import BlockResult
from regard.tasks.translation.scoring import score_pairs

if TYPE_CHECKING:
    from regard.cli.job_models import JobModel
    from regard.data.formats.corpus import Block
    from regard.tasks.translation.scoring import PairScore


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
