"""The grammar of training: everything that can be said of how a model learns."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from regard.config.attention import Fraction
from regard.config.base import Config
from regard.train.distributed import Parallel
from regard.train.optim import Adam, Constant, InverseSqrt, Linear, Schedule
from regard.train.performance import Performance
from regard.train.trainer import TrainerSettings


class AdamConfig(Config):
    part: ClassVar[Any] = Adam
    kind: Literal["adam"] = "adam"
    rate: PositiveFloat  # at its peak
    betas: tuple[Fraction, Fraction] = (0.9, 0.98)
    epsilon: PositiveFloat = 1e-9
    weight_decay: Annotated[float, Field(ge=0)] = 0.0  # of weights, decoupled

    def build(self) -> Adam:
        return Adam(self.rate, self.betas, self.epsilon, self.weight_decay)


class ScheduleConfig(Config):
    warmup: NonNegativeInt = 0  # steps of a straight rise to the peak
    part: ClassVar[type[Schedule]]

    def build(self) -> Schedule:
        return self.part(self.warmup)


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
    """What is fast is chosen by the device; each choice can be made here instead."""

    precision: Literal["auto", "fp32", "bf16"] = "auto"
    attention: Literal["auto", "sdpa", "matmul"] = "auto"
    dropout: Literal["auto", "bytes", "plain"] = "auto"
    loss: Literal["auto", "chunked", "plain"] = "auto"
    allocator: Literal["auto", "glibc", "plain"] = "auto"

    def build(self) -> Performance:
        return Performance(**self.model_dump())


class GuideConfig(Config):
    """Links that one look of a translator is taught to point by."""

    links: str  # the file, as `regard align --prepared` writes it
    # Per target token. The code of Garg et al. (2019) has 0.05, for runs of days; a run of an hour
    # has fewer steps to learn it in.
    weight: PositiveFloat = 0.3


class TrainConfig(Config):
    steps: PositiveInt = 100_000
    batch_tokens: PositiveInt = 4_096  # of the wider side of a batch, padding counted
    micro_batches: PositiveInt = 1  # that make one step: gradients add up
    seed: NonNegativeInt = 1
    label_smoothing: Fraction = 0.1  # of labels
    coverage: Annotated[float, Field(ge=0)] = 0.0  # of captions: that each region get its share
    guided_alignment: GuideConfig | None = None  # of translators: that a look be an alignment
    subword_alpha: Fraction = 0.0  # subword regularisation: how freely words are cut; 0 is never
    optimizer: AdamConfig = AdamConfig(rate=1e-3)
    schedule: AnySchedule = InverseSqrtConfig(warmup=1_000)
    clip_norm: PositiveFloat = 1.0
    ema: Fraction = 0.0  # the decay of a moving average of the weights, which then is the model
    average_checkpoints: PositiveInt = 1  # how many of the last validated weights are averaged at the end
    metric: Literal["bleu", "chrf", "nll", "exact", "perplexity", "accuracy", "f1"] = "bleu"
    validate_every: PositiveInt = 1_000
    patience: PositiveInt | None = 10  # validations without improvement until it stops
    save_every: PositiveInt = 1_000
    parallel: Parallel = "ddp"
    performance: PerformanceConfig = PerformanceConfig()

    def build(self) -> TrainerSettings:
        return TrainerSettings(
            steps=self.steps,
            optimizer=self.optimizer.build(),
            schedule=self.schedule.build(),
            metric=self.metric,
            higher_is_better=self.metric not in ("nll", "perplexity"),
            seed=self.seed,
            clip=self.clip_norm,
            ema=self.ema,
            average=self.average_checkpoints,
            validate_every=self.validate_every,
            patience=self.patience,
            save_every=self.save_every,
            parallel=self.parallel,
            performance=self.performance.build(),
        )
