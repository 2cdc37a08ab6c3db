"""The grammar of an attention: its score, its span, its weighing.

A spec knows the part it builds; the part's own docstring begins with its equation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field, PositiveInt
from torch import nn

from regard import attention as att
from regard.attention import Equation, scores
from regard.config.base import Config
from regard.errors import ConfigError

Fraction = Annotated[float, Field(ge=0, lt=1)]
Depth = Annotated[int, Field(gt=0, le=256)]  # layers: a file must not make us build for hours

# -- score ---------------------------------------------------------------------------------------


class DotConfig(Config):
    equation: ClassVar[Equation] = scores.DOT
    heads: ClassVar[int] = 1
    kind: Literal["dot"] = "dot"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        if query_dim != key_dim:
            raise ConfigError(
                f"score: dot compares a query of {query_dim} with keys of {key_dim}: make the "
                "decoder as wide as the encoder's states, or choose bilinear"
            )
        return att.dot()


class BilinearConfig(Config):
    equation: ClassVar[Equation] = scores.BILINEAR
    heads: ClassVar[int] = 1
    kind: Literal["bilinear"] = "bilinear"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.bilinear(query_dim, key_dim)


class PerceptronConfig(Config):
    equation: ClassVar[Equation] = scores.PERCEPTRON
    heads: ClassVar[int] = 1
    kind: Literal["perceptron"] = "perceptron"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.perceptron(query_dim, key_dim)


class ProjectedScoreConfig(Config):
    """A score with a width of its own, in several heads if asked."""

    dim: PositiveInt | None = None  # where not said, as wide as the query
    heads: PositiveInt = 1

    def width(self, query_dim: int) -> int:
        dim = self.dim or query_dim
        if dim % self.heads:
            raise ConfigError(f"score: a width of {dim} cannot be shared by {self.heads} heads")
        return dim


class ScaledDotConfig(ProjectedScoreConfig):
    equation: ClassVar[Equation] = scores.SCALED_DOT
    kind: Literal["scaled-dot"] = "scaled-dot"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.scaled_dot(query_dim, key_dim, dim=self.width(query_dim), heads=self.heads)


class CosineConfig(ProjectedScoreConfig):
    equation: ClassVar[Equation] = scores.COSINE
    kind: Literal["cosine"] = "cosine"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.cosine(query_dim, key_dim, dim=self.width(query_dim), heads=self.heads)


class AdditiveConfig(ProjectedScoreConfig):
    equation: ClassVar[Equation] = scores.ADDITIVE
    kind: Literal["additive"] = "additive"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.additive(query_dim, key_dim, dim=self.width(query_dim), heads=self.heads)


ScoreConfig = Annotated[
    DotConfig | BilinearConfig | PerceptronConfig | ScaledDotConfig | CosineConfig | AdditiveConfig,
    Field(discriminator="kind"),
]

# -- span ----------------------------------------------------------------------------------------


class EverywhereConfig(Config):
    equation: ClassVar[Equation] = att.Everywhere.equation
    kind: Literal["everywhere"] = "everywhere"

    def build(self, query_dim: int) -> att.Span:
        return att.Everywhere()


class CausalConfig(Config):
    equation: ClassVar[Equation] = att.Causal.equation
    kind: Literal["causal"] = "causal"
    window: PositiveInt | None = None

    def build(self, query_dim: int) -> att.Span:
        return att.Causal(self.window)


class LastConfig(Config):
    equation: ClassVar[Equation] = att.Last.equation
    kind: Literal["last"] = "last"

    def build(self, query_dim: int) -> att.Span:
        return att.Last()


class LocalMonotoneConfig(Config):
    equation: ClassVar[Equation] = att.LocalMonotone.equation
    kind: Literal["local-monotone"] = "local-monotone"
    reach: PositiveInt = 10  # Luong's D

    def build(self, query_dim: int) -> att.Span:
        return att.LocalMonotone(self.reach)


class LocalPredictiveConfig(Config):
    equation: ClassVar[Equation] = att.LocalPredictive.equation
    kind: Literal["local-predictive"] = "local-predictive"
    reach: PositiveInt = 10  # Luong's D

    def build(self, query_dim: int) -> att.Span:
        return att.LocalPredictive(query_dim, self.reach)


SpanConfig = Annotated[
    EverywhereConfig | CausalConfig | LastConfig | LocalMonotoneConfig | LocalPredictiveConfig,
    Field(discriminator="kind"),
]

# -- weighing ------------------------------------------------------------------------------------


class SoftmaxConfig(Config):
    equation: ClassVar[Equation] = att.Softmax.equation
    kind: Literal["softmax"] = "softmax"

    def build(self) -> att.Normalizer:
        return att.Softmax()


class HardConfig(Config):
    equation: ClassVar[Equation] = att.Hard.equation
    kind: Literal["hard"] = "hard"
    expected: Fraction = 0.5  # how often training shows the softmax itself

    def build(self) -> att.Normalizer:
        return att.Hard(self.expected)


class SparsemaxConfig(Config):
    equation: ClassVar[Equation] = att.Sparsemax.equation
    kind: Literal["sparsemax"] = "sparsemax"

    def build(self) -> att.Normalizer:
        return att.Sparsemax()


class UniformConfig(Config):
    equation: ClassVar[Equation] = att.Uniform.equation
    kind: Literal["uniform"] = "uniform"

    def build(self) -> att.Normalizer:
        return att.Uniform()


NormalizerConfig = Annotated[
    SoftmaxConfig | HardConfig | SparsemaxConfig | UniformConfig, Field(discriminator="kind")
]

# -- attention -----------------------------------------------------------------------------------


class AttentionConfig(Config):
    score: ScoreConfig
    span: SpanConfig = EverywhereConfig()
    normalizer: NormalizerConfig = SoftmaxConfig()
    dropout: Fraction = 0.0

    def build(self, query_dim: int, key_dim: int, context_dim: int | None = None) -> att.Attention:
        """Its values and context are projected to `context_dim`; where not said, they are the
        states themselves, unless there are several heads, each with its own part in them."""
        if context_dim is None and self.score.heads > 1:
            context_dim = key_dim
        return att.Attention(
            self.score.build(query_dim, key_dim),
            span=self.span.build(query_dim),
            normalizer=self.normalizer.build(),
            to_values=nn.Linear(key_dim, context_dim) if context_dim else None,
            to_context=nn.Linear(context_dim, context_dim) if context_dim else None,
            dropout=self.dropout,
        )


@dataclass(frozen=True, slots=True)
class AttentionUse:
    """One way in which a model uses attention: who asks whom, and when."""

    query: str
    memory: str
    when: str
    attention: AttentionConfig
