"""Whole models: encoder–decoder, language model, classifier."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakKeyDictionary

from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Dropout, Equation
from regard.nn.interfaces import Decoded, Decoder, Encoded, Encoder

# -- temporary evaluation mode ---------------------------------------------------------------------


@dataclass(slots=True)
class _Users:
    """How many blocks use a model in eval mode, and the modules to switch back after the last."""

    count: int = 0
    training: list[nn.Module] = field(default_factory=list)


_lock = Lock()
_users: WeakKeyDictionary[nn.Module, _Users] = WeakKeyDictionary()


@contextmanager
def eval_mode(model: nn.Module) -> Iterator[None]:
    """Temporarily switch a model to eval mode.

    Several threads may do so at once: the model returns to its mode when the last one leaves.
    """
    with _lock:
        users = _users.setdefault(model, _Users())
        users.count += 1
        users.training += [module for module in model.modules() if module.training]
        model.eval()
    try:
        yield
    finally:
        with _lock:
            users.count -= 1
            if users.count == 0:
                for module in users.training:
                    module.training = True
                del _users[model]


# -- classification of a source --------------------------------------------------------------------


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


# -- encoder–decoder models, for translation and captioning ----------------------------------------


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


# -- language models: a decoder alone --------------------------------------------------------------


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
