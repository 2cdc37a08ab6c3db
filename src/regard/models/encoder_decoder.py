"""Encoder–decoder models, for translation and captioning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Equation
from regard.nn.interfaces import Decoded, Decoder, Encoder

Source = TypeVar("Source")
S = TypeVar("S")


class EncoderDecoder(nn.Module, Generic[Source, S]):
    """Translation and captioning models; they differ only in the encoder."""

    equation = Equation(
        "encoder-decoder", "p(y_t | y_<t, x) = softmax(readout(decoder(y_<t, encoder(x))))"
    )

    def __init__(
        self,
        encoder: Encoder[Source],
        decoder: Decoder[S],
        embedding: nn.Embedding,
        readout: nn.Linear,
    ) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.embedding, self.readout = embedding, readout

    def forward(self, source: Source, target: Int[Tensor, "B T"]) -> Decoded:
        """Decoder outputs after each token of `target`; `readout` maps them to logits."""
        state = self.decoder.start(self.encoder(source))
        return self.decoder(self.embedding(target), state)[0]

    if TYPE_CHECKING:
        __call__ = forward

    def start(self, source: Source) -> S:
        return self.decoder.start(self.encoder(source))

    def step(self, last: Int[Tensor, " N"], state: S) -> tuple[Float[Tensor, "N V"], S]:
        decoded, state = self.decoder(self.embedding(last[:, None]), state)
        return self.readout(decoded.hidden[:, -1]), state
