"""The config of a run: model, data, training and search."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from regard.bounds import BEAM_SIZE, LENGTH_PENALTY
from regard.config.attention import Fraction
from regard.config.base import Config, Count, Seed
from regard.config.data import DataConfig
from regard.config.model import Model
from regard.errors import ConfigError
from regard.train.losses import CrossEntropy, Reinforce
from regard.train.settings import (
    Adam,
    Constant,
    InverseSqrt,
    Linear,
    Parallel,
    Performance,
    Schedule,
    TrainerSettings,
)

# -- configs of training ---------------------------------------------------------------------------


class AdamConfig(Config):
    part: ClassVar[Any] = Adam
    kind: Literal["adam"] = "adam"
    rate: Annotated[float, Field(gt=0, le=1_000)] = 1e-3  # peak learning rate
    betas: tuple[Fraction, Fraction] = (0.9, 0.98)  # decay of the two moments
    epsilon: Annotated[float, Field(ge=1e-30, le=1)] = 1e-9  # added to the denominator
    weight_decay: Annotated[float, Field(ge=0, le=1_000)] = 0.0  # decoupled, as in AdamW

    def build(self) -> Adam:
        return Adam(self.rate, self.betas, self.epsilon, self.weight_decay)


class ScheduleConfig(Config):
    # Steps of linear increase to the peak; below 1, a share of all steps.
    warmup: Annotated[int, Field(ge=0, lt=1 << 31)] | Annotated[float, Field(gt=0, lt=1)] = 0
    part: ClassVar[type[Schedule]]

    def warmup_steps(self, steps: int) -> int:
        """The warmup of a run of `steps` steps."""
        return round(self.warmup * steps) if 0 < self.warmup < 1 else int(self.warmup)

    def build(self, steps: int) -> Schedule:
        return self.part(self.warmup_steps(steps))


class ConstantConfig(ScheduleConfig):
    part = Constant
    kind: Literal["constant"] = "constant"


class InverseSqrtConfig(ScheduleConfig):
    part = InverseSqrt
    kind: Literal["inverse-sqrt"] = "inverse-sqrt"


class LinearConfig(ScheduleConfig):
    part = Linear
    kind: Literal["linear"] = "linear"


AnySchedule = Annotated[
    ConstantConfig | InverseSqrtConfig | LinearConfig, Field(discriminator="kind")
]


class PerformanceConfig(Config):
    """Choices that affect speed and memory. `auto` selects what is fast on the device."""

    precision: Literal["auto", "fp32", "bf16"] = "auto"  # of matrix products; weights are fp32
    attention: Literal["auto", "sdpa", "matmul"] = "auto"  # kernel of dot-product attention
    dropout: Literal["auto", "bytes", "plain"] = "auto"  # bytes: one random byte per element
    loss: Literal["auto", "chunked", "plain"] = "auto"  # chunked: never hold all logits at once
    allocator: Literal["auto", "glibc", "plain"] = "auto"  # glibc: keep freed memory

    def build(self) -> Performance:
        return Performance(**self.model_dump())


class GuidedAlignmentConfig(Config):
    """Train one attention head of a translation model on word links (Garg et al. 2019)."""

    # auto: the links of the word aligner (data.aligner). Or a Pharaoh file of another aligner, with
    # a line `i-j …` for each line of the training corpora, in their order.
    links: str = "auto"
    pretokenized: bool = False  # with a file: its words are split at spaces
    # Weight of the alignment loss per target token. The code of Garg et al. uses 0.05 in runs of
    # days; shorter runs need more.
    weight: Annotated[float, Field(gt=0, le=1_000)] = 0.3


class TrainConfig(Config):
    steps: Count = 100_000  # maximum number of updates
    # Maximum source or target tokens of a batch, including padding.
    batch_tokens: Count = 4_096
    # Batches per step, over all processes; gradients add up.
    micro_batches: Annotated[int, Field(gt=0, le=1 << 16)] = 1
    seed: Seed = 1  # of weights, order of batches and dropout
    label_smoothing: Fraction = 0.1  # probability spread over the vocabulary
    # Weight of the doubly stochastic regularization of Xu et al. 2015 (captioning only).
    coverage: Annotated[float, Field(ge=0, le=1_000)] = 0.0
    guided_alignment: GuidedAlignmentConfig | None = None  # translation only
    # α of subword regularization (Kudo 2018): segmentations are sampled with p^α, so they vary more
    # the smaller it is. 0.1 to 0.2 are usual; 0 turns it off.
    subword_alpha: Fraction = 0.0
    optimizer: AdamConfig = AdamConfig()  # how gradients change the weights
    schedule: AnySchedule = InverseSqrtConfig(warmup=1_000)  # of the learning rate
    clip_norm: Annotated[float, Field(gt=0, le=1e12)] = 1.0  # maximum norm of the gradient
    # Nats per token by which the moving average of the loss may rise above its lowest values. If it
    # rises further, the run returns to a checkpoint with half the learning rate. null: no limit.
    max_loss_rise: Annotated[float, Field(gt=0, le=1_000)] | None = 1.0
    ema: Fraction = 0.0  # decay of the exponential moving average of the weights; 0 turns it off
    average_checkpoints: Count = 1  # average the weights of this many last validations
    # The metric that selects the best model.
    metric: Literal["bleu", "chrf", "nll", "exact", "perplexity", "accuracy", "f1"] = "bleu"
    validate_every: Count = 1_000  # steps between validations
    patience: Count | None = 10  # validations without improvement before training stops
    save_every: Count = 1_000  # steps between checkpoints
    parallel: Parallel = "ddp"  # with several processes: a full model in each, or fully sharded
    performance: PerformanceConfig = PerformanceConfig()  # speed and memory

    def build(self) -> TrainerSettings:
        return TrainerSettings(
            steps=self.steps,
            optimizer=self.optimizer.build(),
            schedule=self.schedule.build(self.steps),
            metric=self.metric,
            higher_is_better=self.metric not in ("nll", "perplexity"),
            seed=self.seed,
            clip=self.clip_norm,
            max_loss_rise=self.max_loss_rise,
            ema=self.ema,
            average=self.average_checkpoints,
            validate_every=self.validate_every,
            patience=self.patience,
            save_every=self.save_every,
            parallel=self.parallel,
            performance=self.performance.build(),
        )


# -- run -------------------------------------------------------------------------------------------


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
