"""Configs of attention: score, span and normalizer.

The parts do not import their configs. To make a new part available in run files, add a config here
and put it into its union; the tests in `tests/invariants` then cover it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field
from torch import nn

from regard import attention as att
from regard.attention import Equation, scores
from regard.config.base import Config
from regard.errors import ConfigError

Fraction = Annotated[float, Field(ge=0, lt=1)]
Depth = Annotated[int, Field(gt=0, le=256)]  # bounded: building a model must not take hours
Size = Annotated[int, Field(gt=0, le=1 << 16)]  # of a vector, or a number of positions

# -- score ---------------------------------------------------------------------------------------


class DotConfig(Config):
    heads: ClassVar[int] = 1
    kind: Literal["dot"] = "dot"
    scaled: bool = False  # divide by √d

    @property
    def equation(self) -> Equation:
        return scores.SCALED if self.scaled else scores.DOT

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        if query_dim != key_dim:
            raise ConfigError(
                f"attention.score: dot needs queries and keys of the same size, not {query_dim} "
                f"and {key_dim}. Change decoder.dim, or use bilinear"
            )
        return att.dot(scale=query_dim**-0.5 if self.scaled else 1.0)


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
    """Fields of the scores that project queries and keys."""

    dim: Size | None = None  # size of projected queries and keys; null: that of the query
    heads: Size = 1  # number of attention heads

    def width(self, query_dim: int) -> int:
        dim = self.dim or query_dim
        _check_heads(dim, self.heads)
        return dim


def _check_heads(dim: int, heads: int) -> None:
    if dim % heads:
        raise ConfigError(
            f"attention.score.heads: {dim} dimensions cannot be split into {heads} heads. "
            "Choose a divisor"
        )


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
    window: Size | None = None  # number of last positions to attend to; null: all

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
    reach: Size = 10  # D in Luong et al.: the window is [p_t − D, p_t + D]

    def build(self, query_dim: int) -> att.Span:
        return att.LocalMonotone(self.reach)


class LocalPredictiveConfig(Config):
    equation: ClassVar[Equation] = att.LocalPredictive.equation
    kind: Literal["local-predictive"] = "local-predictive"
    reach: Size = 10  # D in Luong et al.: the window is [p_t − D, p_t + D]

    def build(self, query_dim: int) -> att.Span:
        return att.LocalPredictive(query_dim, self.reach)


SpanConfig = Annotated[
    EverywhereConfig | CausalConfig | LastConfig | LocalMonotoneConfig | LocalPredictiveConfig,
    Field(discriminator="kind"),
]

UnplacedSpanConfig = Annotated[EverywhereConfig | LastConfig, Field(discriminator="kind")]
"""The spans that do not depend on the position of the query."""

# -- normalizer ----------------------------------------------------------------------------------


class SoftmaxConfig(Config):
    equation: ClassVar[Equation] = att.Softmax.equation
    kind: Literal["softmax"] = "softmax"

    def build(self) -> att.Normalizer:
        return att.Softmax()


class HardConfig(Config):
    equation: ClassVar[Equation] = att.Hard.equation
    kind: Literal["hard"] = "hard"
    expected: Fraction = 0.5  # probability, in training, of using the softmax itself

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
SoftNormalizerConfig = Annotated[
    SoftmaxConfig | SparsemaxConfig | UniformConfig, Field(discriminator="kind")
]

# -- attention -----------------------------------------------------------------------------------


class AttentionConfig(Config):
    score: ScoreConfig  # how a query is compared with a key
    span: SpanConfig = EverywhereConfig()  # which positions a query can attend to
    normalizer: NormalizerConfig = SoftmaxConfig()  # how scores become weights
    dropout: Fraction = 0.0  # of attention weights

    def build(self, query_dim: int, key_dim: int, context_dim: int | None = None) -> att.Attention:
        """Build an attention whose values and context are projected to `context_dim`.

        Without `context_dim`, an attention with one head uses the states as values, and one with
        several heads projects to `key_dim`.
        """
        if context_dim is None and self.score.heads > 1:
            context_dim = key_dim
        _check_heads(context_dim or key_dim, self.score.heads)
        return att.Attention(
            self.score.build(query_dim, key_dim),
            span=self.span.build(query_dim),
            normalizer=self.normalizer.build(),
            to_values=nn.Linear(key_dim, context_dim) if context_dim else None,
            to_context=nn.Linear(context_dim, context_dim) if context_dim else None,
            dropout=self.dropout,
        )


class SoftAttentionConfig(AttentionConfig):
    """Attention that is not sampled: only a recurrent decoder can train hard attention."""

    normalizer: SoftNormalizerConfig = SoftmaxConfig()


class PoolingAttentionConfig(SoftAttentionConfig):
    """Attention of a learned query, which has no position that a span could refer to."""

    span: UnplacedSpanConfig = EverywhereConfig()


class CausalAttentionConfig(SoftAttentionConfig):
    """Attention of a decoder to its own past; any other span would show it the future."""

    span: CausalConfig = CausalConfig()


@dataclass(frozen=True, slots=True)
class AttentionUse:
    """One place where a model uses attention, as `regard describe` shows it."""

    query: str  # symbol of the query
    memory: str  # the states that are attended to
    when: str
    attention: AttentionConfig


PAST_STATES = "past decoder states"
"""The memory of causal self-attention, as `AttentionUse.memory` names it."""
