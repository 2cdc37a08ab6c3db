"""Configs of attention: score, span and normalizer.

The parts do not import their configs. `register` makes a part available in run files, and the
tests in `tests/invariants` then cover it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field
from torch import nn

from regard import attention as att
from regard.attention import Equation, scores
from regard.config.base import Config
from regard.config.registry import MechanismConfig, register
from regard.errors import ConfigError

Fraction = Annotated[float, Field(ge=0, lt=1)]
Depth = Annotated[int, Field(gt=0, le=256)]  # bounded: building a model must not take hours
Size = Annotated[int, Field(gt=0, le=1 << 16)]  # of a vector, or a number of positions

# -- score ---------------------------------------------------------------------------------------


class ScoreConfig(MechanismConfig):
    """The base of the configs of scores. A score without a setting `heads` has one head."""

    implements: ClassVar = att.Score
    given: ClassVar = ("query_dim", "key_dim")

    if TYPE_CHECKING:

        @property
        def heads(self) -> int: ...
        @property
        def kind(self) -> str: ...

    @classmethod
    def __pydantic_init_subclass__(cls, **arguments: Any) -> None:
        super().__pydantic_init_subclass__(**arguments)
        if "heads" not in cls.model_fields:
            cls.heads = 1  # type: ignore[method-assign, assignment]

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        score: att.Score = self.make(query_dim=query_dim, key_dim=key_dim)
        return score


@register
class DotConfig(ScoreConfig):
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


@register
class BilinearConfig(ScoreConfig):
    equation: ClassVar[Equation] = scores.BILINEAR
    kind: Literal["bilinear"] = "bilinear"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.bilinear(query_dim, key_dim)


@register
class PerceptronConfig(ScoreConfig):
    equation: ClassVar[Equation] = scores.PERCEPTRON
    kind: Literal["perceptron"] = "perceptron"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.perceptron(query_dim, key_dim)


class ProjectedScoreConfig(ScoreConfig):
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


@register
class ScaledDotConfig(ProjectedScoreConfig):
    equation: ClassVar[Equation] = scores.SCALED_DOT
    kind: Literal["scaled-dot"] = "scaled-dot"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.scaled_dot(query_dim, key_dim, dim=self.width(query_dim), heads=self.heads)


@register
class CosineConfig(ProjectedScoreConfig):
    equation: ClassVar[Equation] = scores.COSINE
    kind: Literal["cosine"] = "cosine"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.cosine(query_dim, key_dim, dim=self.width(query_dim), heads=self.heads)


@register
class AdditiveConfig(ProjectedScoreConfig):
    equation: ClassVar[Equation] = scores.ADDITIVE
    kind: Literal["additive"] = "additive"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.additive(query_dim, key_dim, dim=self.width(query_dim), heads=self.heads)


# -- span ----------------------------------------------------------------------------------------


class SpanConfig(MechanismConfig):
    """The base of the configs of spans."""

    implements: ClassVar = att.Span
    given: ClassVar = ("query_dim",)

    if TYPE_CHECKING:

        @property
        def kind(self) -> str: ...

    @classmethod
    def base_for(cls, part: type[att.Span]) -> type[SpanConfig]:
        if part.causal:
            return CausalSpanConfig
        return SpanConfig if part.positional else UnplacedSpanConfig

    def build(self, query_dim: int) -> att.Span:
        span: att.Span = self.make(query_dim=query_dim)
        return span


class UnplacedSpanConfig(SpanConfig):
    """The base of the spans that do not depend on the position of the query."""


class CausalSpanConfig(SpanConfig):
    """The base of the spans that show no later key."""

    default_kind: ClassVar = "causal"


@register
class EverywhereConfig(UnplacedSpanConfig):
    part: ClassVar = att.Everywhere
    kind: Literal["everywhere"] = "everywhere"


@register
class CausalConfig(CausalSpanConfig):
    part: ClassVar = att.Causal
    kind: Literal["causal"] = "causal"
    window: Size | None = None  # number of last positions to attend to; null: all


@register
class LastConfig(UnplacedSpanConfig):
    part: ClassVar = att.Last
    kind: Literal["last"] = "last"


@register
class LocalMonotoneConfig(SpanConfig):
    part: ClassVar = att.LocalMonotone
    kind: Literal["local-monotone"] = "local-monotone"
    reach: Size = 10  # D in Luong et al.: the window is [p_t − D, p_t + D]


@register
class LocalPredictiveConfig(SpanConfig):
    part: ClassVar = att.LocalPredictive
    kind: Literal["local-predictive"] = "local-predictive"
    reach: Size = 10  # D in Luong et al.: the window is [p_t − D, p_t + D]


# -- normalizer ----------------------------------------------------------------------------------


class NormalizerConfig(MechanismConfig):
    """The base of the configs of normalizers."""

    implements: ClassVar = att.Normalizer

    if TYPE_CHECKING:

        @property
        def kind(self) -> str: ...

    @classmethod
    def base_for(cls, part: type[att.Normalizer]) -> type[NormalizerConfig]:
        return NormalizerConfig if part.samples else SoftNormalizerConfig

    @property
    def samples(self) -> bool:
        samples: bool = self.part.samples
        return samples

    def build(self) -> att.Normalizer:
        normalizer: att.Normalizer = self.make()
        return normalizer


class SoftNormalizerConfig(NormalizerConfig):
    """The base of the normalizers that do not sample."""


@register
class SoftmaxConfig(SoftNormalizerConfig):
    part: ClassVar = att.Softmax
    kind: Literal["softmax"] = "softmax"


@register
class HardConfig(NormalizerConfig):
    part: ClassVar = att.Hard
    kind: Literal["hard"] = "hard"
    expected: Fraction = 0.5  # probability, in training, of using the softmax itself


@register
class SparsemaxConfig(SoftNormalizerConfig):
    part: ClassVar = att.Sparsemax
    kind: Literal["sparsemax"] = "sparsemax"


@register
class UniformConfig(SoftNormalizerConfig):
    part: ClassVar = att.Uniform
    kind: Literal["uniform"] = "uniform"


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

    span: CausalSpanConfig = CausalConfig()


@dataclass(frozen=True, slots=True)
class AttentionUse:
    """One place where a model uses attention, as `regard describe` shows it."""

    query: str  # symbol of the query
    memory: str  # the states that are attended to
    when: str
    attention: AttentionConfig


PAST_STATES = "past decoder states"
"""The memory of causal self-attention, as `AttentionUse.memory` names it."""
