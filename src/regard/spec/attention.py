"""The grammar of an attention: its score, its span, its weighing.

A spec knows the part it builds; the part's own docstring begins with its equation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PositiveInt
from torch import nn

from regard import attention as att
from regard.errors import SpecError
from regard.spec.spec import Spec

Share = Annotated[float, Field(ge=0, lt=1)]
Depth = Annotated[int, Field(gt=0, le=256)]  # layers: a file must not make us build for hours

# -- score ---------------------------------------------------------------------------------------


class Dot(Spec):
    part: ClassVar[Any] = att.dot
    heads: ClassVar[int] = 1
    kind: Literal["dot"] = "dot"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        if query_dim != key_dim:
            raise SpecError(
                f"score: dot compares a query of {query_dim} with keys of {key_dim}: make the "
                "decoder as wide as the encoder's states, or choose bilinear"
            )
        return att.dot()


class Bilinear(Spec):
    part: ClassVar[Any] = att.bilinear
    heads: ClassVar[int] = 1
    kind: Literal["bilinear"] = "bilinear"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.bilinear(query_dim, key_dim)


class Perceptron(Spec):
    part: ClassVar[Any] = att.perceptron
    heads: ClassVar[int] = 1
    kind: Literal["perceptron"] = "perceptron"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.perceptron(query_dim, key_dim)


class Projected(Spec):
    """A score with a width of its own, in several heads if asked."""

    dim: PositiveInt | None = None  # where not said, as wide as the query
    heads: PositiveInt = 1

    def width(self, query_dim: int) -> int:
        dim = self.dim or query_dim
        if dim % self.heads:
            raise SpecError(f"score: a width of {dim} cannot be shared by {self.heads} heads")
        return dim


class ScaledDot(Projected):
    part: ClassVar[Any] = att.scaled_dot
    kind: Literal["scaled-dot"] = "scaled-dot"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.scaled_dot(query_dim, key_dim, dim=self.width(query_dim), heads=self.heads)


class Cosine(Projected):
    part: ClassVar[Any] = att.cosine
    kind: Literal["cosine"] = "cosine"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.cosine(query_dim, key_dim, dim=self.width(query_dim), heads=self.heads)


class Additive(Projected):
    part: ClassVar[Any] = att.additive
    kind: Literal["additive"] = "additive"

    def build(self, query_dim: int, key_dim: int) -> att.Score:
        return att.additive(query_dim, key_dim, dim=self.width(query_dim), heads=self.heads)


Score = Annotated[
    Dot | Bilinear | Perceptron | ScaledDot | Cosine | Additive, Field(discriminator="kind")
]

# -- span ----------------------------------------------------------------------------------------


class Everywhere(Spec):
    part: ClassVar[Any] = att.Everywhere
    kind: Literal["everywhere"] = "everywhere"

    def build(self, query_dim: int) -> att.Span:
        return att.Everywhere()


class Causal(Spec):
    part: ClassVar[Any] = att.Causal
    kind: Literal["causal"] = "causal"
    window: PositiveInt | None = None

    def build(self, query_dim: int) -> att.Span:
        return att.Causal(self.window)


class Last(Spec):
    part: ClassVar[Any] = att.Last
    kind: Literal["last"] = "last"

    def build(self, query_dim: int) -> att.Span:
        return att.Last()


class LocalMonotone(Spec):
    part: ClassVar[Any] = att.LocalMonotone
    kind: Literal["local-monotone"] = "local-monotone"
    reach: PositiveInt = 10  # Luong's D

    def build(self, query_dim: int) -> att.Span:
        return att.LocalMonotone(self.reach)


class LocalPredictive(Spec):
    part: ClassVar[Any] = att.LocalPredictive
    kind: Literal["local-predictive"] = "local-predictive"
    reach: PositiveInt = 10  # Luong's D

    def build(self, query_dim: int) -> att.Span:
        return att.LocalPredictive(query_dim, self.reach)


Span = Annotated[
    Everywhere | Causal | Last | LocalMonotone | LocalPredictive, Field(discriminator="kind")
]

# -- weighing ------------------------------------------------------------------------------------


class Softmax(Spec):
    part: ClassVar[Any] = att.Softmax
    kind: Literal["softmax"] = "softmax"

    def build(self) -> att.Weighing:
        return att.Softmax()


class Hard(Spec):
    part: ClassVar[Any] = att.Hard
    kind: Literal["hard"] = "hard"
    expected: Share = 0.5  # how often training shows the softmax itself

    def build(self) -> att.Weighing:
        return att.Hard(self.expected)


class Sparsemax(Spec):
    part: ClassVar[Any] = att.Sparsemax
    kind: Literal["sparsemax"] = "sparsemax"

    def build(self) -> att.Weighing:
        return att.Sparsemax()


class Uniform(Spec):
    part: ClassVar[Any] = att.Uniform
    kind: Literal["uniform"] = "uniform"

    def build(self) -> att.Weighing:
        return att.Uniform()


Weighing = Annotated[Softmax | Hard | Sparsemax | Uniform, Field(discriminator="kind")]

# -- attention -----------------------------------------------------------------------------------


class Attention(Spec):
    score: Score
    span: Span = Everywhere()
    weighing: Weighing = Softmax()
    dropout: Share = 0.0

    def build(self, query_dim: int, key_dim: int, context_dim: int | None = None) -> att.Attention:
        """Its values and context are projected to `context_dim`; where not said, they are the
        states themselves, unless there are several heads, each with its own part in them."""
        if context_dim is None and self.score.heads > 1:
            context_dim = key_dim
        return att.Attention(
            self.score.build(query_dim, key_dim),
            span=self.span.build(query_dim),
            weighing=self.weighing.build(),
            to_values=nn.Linear(key_dim, context_dim) if context_dim else None,
            to_context=nn.Linear(context_dim, context_dim) if context_dim else None,
            dropout=self.dropout,
        )


@dataclass(frozen=True, slots=True)
class Look:
    """One way in which a model uses attention: who asks whom, and when."""

    query: str
    memory: str
    asked: str
    attention: Attention
