"""Config of a run: one YAML file."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from regard.bounds import BEAM_SIZE, LENGTH_PENALTY
from regard.config.base import Config
from regard.config.data import DataConfig
from regard.config.model import Model
from regard.config.train import TrainConfig
from regard.errors import ConfigError
from regard.train.losses import CrossEntropy, Reinforce


class SearchConfig(Config):
    """Options of beam search, in validation and as the default of the saved model."""

    # Hypotheses to follow; 1 is greedy.
    beam_size: Annotated[int, Field(ge=BEAM_SIZE.low, le=BEAM_SIZE.high)] = 5
    # α: hypotheses are ranked by log-probability / length^α.
    length_penalty: Annotated[float, Field(ge=LENGTH_PENALTY.low, le=LENGTH_PENALTY.high)] = 1.0


class RunConfig(Config):
    description: str = ""  # one line, shown by `regard describe`
    fine_tuned_from: str | None = None  # path and weights of the model that training started from
    licence: str | None = None  # of a model that was imported; models fine-tuned from it keep it
    model: Model  # the architecture
    data: DataConfig = DataConfig()  # corpora and vocabulary
    train: TrainConfig = TrainConfig()  # optimization and validation
    search: SearchConfig = SearchConfig()  # beam search

    @model_validator(mode="after")
    def _check_positions(self) -> RunConfig:
        """Check that learned positions suffice for texts of `data.max_length` tokens."""
        if self.model.kind == "classifier":
            return self
        needed = self.data.max_length + (self.model.kind == "encoder-decoder")  # the end token
        for name in ("encoder", "decoder"):
            part: Any = getattr(self.model, name, None)
            if getattr(part, "positions", None) == "learned" and part.max_positions < needed:
                raise ConfigError(
                    f"data.max_length: {self.data.max_length} tokens need {needed} positions, and "
                    f"model.{name} has {part.max_positions} learned ones. Lower data.max_length, "
                    f"or raise model.{name}.max_positions"
                )
        return self

    @model_validator(mode="after")
    def _check_vocabularies(self) -> RunConfig:
        """Check that a separate target vocabulary is trained, and has its own embedding."""
        if self.data.target_vocabulary is None:
            return self
        if self.data.tokenizer is not None:
            raise ConfigError(
                "data.target_vocabulary: no vocabulary is trained, since data.tokenizer names a "
                "tokenizer. Set one of the two to null"
            )
        if self.model.kind == "encoder-decoder" and self.model.tie_embeddings == "all":
            raise ConfigError(
                "data.target_vocabulary: source and target cannot share embeddings if their "
                "vocabularies are separate. Set model.tie_embeddings to output, or "
                "data.target_vocabulary to null"
            )
        return self

    @model_validator(mode="after")
    def _check_guide(self) -> RunConfig:
        """Check that guided alignment has links, and that the pieces that they link are fixed."""
        guided = self.train.guided_alignment
        if guided is None:
            return self
        if guided.links == "auto" and not self.data.aligner:
            raise ConfigError(
                "train.guided_alignment.links: auto needs the word aligner. Set data.aligner to "
                "true or train.guided_alignment to null, or name a Pharaoh file"
            )
        if guided.links == "auto" and guided.pretokenized:
            raise ConfigError(
                "train.guided_alignment.pretokenized: describes a Pharaoh file, but links is auto. "
                "Set it to false, or name the file"
            )
        if self.train.subword_alpha:
            raise ConfigError(
                "train.subword_alpha: samples new pieces for each word, but train.guided_alignment "
                "links fixed pieces. Set it to 0, or train.guided_alignment to null"
            )
        return self

    def build_objective(self) -> CrossEntropy | Reinforce:
        """Build the loss of a model that generates text; hard attention needs REINFORCE."""
        hard = any(use.attention.normalizer.samples for use in self.model.attention_uses())
        return (Reinforce if hard else CrossEntropy)(self.train.label_smoothing)
