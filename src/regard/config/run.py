"""The grammar of a run: one YAML file."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from regard.config.base import Config
from regard.config.data import DataConfig
from regard.config.model import Model
from regard.config.train import TrainConfig


class SearchConfig(Config):
    """How a trained model is asked, in validation as later."""

    beam_size: Annotated[int, Field(gt=0, le=1_000)] = 5
    length_penalty: Annotated[float, Field(ge=0)] = 1.0  # of the length that scores are divided by


class RunConfig(Config):
    description: str = ""  # where the settings come from, in a line
    model: Model
    data: DataConfig = DataConfig()
    train: TrainConfig = TrainConfig()
    search: SearchConfig = SearchConfig()
