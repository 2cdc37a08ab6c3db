"""The cost of training: speed, memory and size."""

from __future__ import annotations

from typing import Literal

from regard.studies.measures.measure import Column, MeasureConfig, MeasureContext, MeasureResult


class CostMeasure(MeasureConfig):
    """Training speed on one thread, peak memory, and the number of parameters."""

    kind: Literal["cost"] = "cost"

    def measure(self, context: MeasureContext) -> MeasureResult:
        costs = {name: [trained.cost for trained in seeds] for name, seeds in context.runs.items()}
        speed = {name: [cost.speed for cost in seeds] for name, seeds in costs.items()}
        memory = {name: [max(cost.memory for cost in seeds) / 1e9] for name, seeds in costs.items()}
        minutes = {name: [cost.seconds / 60 for cost in seeds] for name, seeds in costs.items()}
        parameters = {name: [seeds[0].parameters / 1e6] for name, seeds in costs.items()}
        return MeasureResult(
            [
                Column("tokens/s", speed, ",.0f"),
                Column("training, minutes", minutes, ".1f", drawn=False),
                Column("memory, GB", memory, ".2f", drawn=False),
                Column("parameters, M", parameters, ".2f", drawn=False),
            ]
        )
