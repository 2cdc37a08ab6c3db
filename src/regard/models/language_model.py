"""Language models: a decoder alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Equation
from regard.nn.interfaces import Decoded, Decoder, Encoded

S = TypeVar("S")


class LanguageModel(nn.Module, Generic[S]):
    """A decoder without a source."""

    equation = Equation("language-model", "p(y_t | y_<t) = softmax(readout(decoder(y_<t)))")

    def __init__(self, decoder: Decoder[S], embedding: nn.Embedding, readout: nn.Linear) -> None:
        super().__init__()
        self.decoder, self.embedding, self.readout = decoder, embedding, readout

    def forward(self, target: Int[Tensor, "B T"]) -> Decoded:
        # not `self.start`: FSDP treats it as a forward pass of its own, and they must not nest
        source = Encoded.empty(target.size(0), like=self.embedding.weight)
        return self.decoder(self.embedding(target), self.decoder.start(source))[0]

    if TYPE_CHECKING:
        __call__ = forward

    def start(self, rows: int) -> S:
        return self.decoder.start(Encoded.empty(rows, like=self.embedding.weight))

    def step(self, last: Int[Tensor, " N"], state: S) -> tuple[Float[Tensor, "N V"], S]:
        decoded, state = self.decoder(self.embedding(last[:, None]), state)
        return self.readout(decoded.hidden[:, -1]), state
