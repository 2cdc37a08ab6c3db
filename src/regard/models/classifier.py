"""Classification of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Dropout, Equation
from regard.nn.interfaces import Encoder

Source = TypeVar("Source")


class Classifier(nn.Module, Generic[Source]):
    """Classifies a source by the encoder's summary v."""

    equation = Equation(
        "classifier", "p(class | x) = softmax(W v + b)", "Yang et al. 2016, 2.2, eq. 11"
    )

    def __init__(self, encoder: Encoder[Source], classes: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = Dropout(dropout)
        self.readout = nn.Linear(encoder.dim, classes)

    def forward(self, source: Source) -> Float[Tensor, "B classes"]:
        return self.readout(self.dropout(self.encoder(source).summary))

    if TYPE_CHECKING:
        __call__ = forward
