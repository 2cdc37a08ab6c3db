"""The grammar of a run: one YAML file."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from regard.spec.data import DataSpec
from regard.spec.model import Model
from regard.spec.spec import Spec
from regard.spec.train import TrainSpec


class SearchSpec(Spec):
    """How a trained model is asked, in validation as later."""

    beam: Annotated[int, Field(gt=0, le=1_000)] = 5
    alpha: Annotated[float, Field(ge=0)] = 1.0  # of the length that scores are divided by


class Run(Spec):
    about: str = ""  # where the settings come from, in a line
    model: Model
    data: DataSpec = DataSpec()
    train: TrainSpec = TrainSpec()
    search: SearchSpec = SearchSpec()
