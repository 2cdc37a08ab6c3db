"""Bridges: the state of a recurrent decoder before its first token."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Equation
from regard.nn.interfaces import CarryShape, Encoded, Encoder, masked_mean
from regard.nn.rnn import Carry, RecurrentCells


class Bridge(nn.Module, ABC):
    """Computes a decoder's initial state from the encoded source."""

    equation: Equation

    @abstractmethod
    def forward(self, source: Encoded) -> Carry: ...

    if TYPE_CHECKING:
        __call__ = forward


class CopyBridge(Bridge):
    """The encoder's final states, layer by layer, unchanged."""

    equation = Equation(
        "copied",
        "s_0 = h_n, c_0 = c_n, layer by layer",
        "Sutskever et al. 2014, 2; Luong et al. 2015, 3",
    )

    def forward(self, source: Encoded) -> Carry:
        return final_states(source)


class ProjectionBridge(Bridge):
    """A projection of the encoder's final states for each layer of the decoder.

    Layer i is projected from layer i. If the encoder has fewer layers, the others are projected
    from its last one; if it has more, only its last ones are used. There is no tanh: without
    attention it would soon be ±1 for every source (decision 14).
    """

    equation = Equation("projected", "s_0 = W [h_n; c_n], c_0 = U [h_n; c_n], layer by layer")

    def __init__(self, shape: CarryShape, cells: RecurrentCells) -> None:
        super().__init__()
        surplus = max(0, shape.layers - cells.layers)
        self.layers = [min(surplus + i, shape.layers - 1) for i in range(cells.layers)]
        self.parts, size = cells.parts, shape.parts * shape.directions * shape.dim
        self.project = nn.ModuleList(nn.Linear(size, cells.parts * cells.dim) for _ in self.layers)

    def forward(self, source: Encoded) -> Carry:
        final = final_states(source).flatten(2)  # B L K·E
        states = [
            project(final[:, layer])
            for layer, project in zip(self.layers, self.project, strict=True)
        ]
        return torch.stack(states, dim=1).unflatten(-1, (self.parts, -1))  # B L K E


BACKWARD = Equation("backward state", "s_0 = tanh(W ←h_1)", "Bahdanau et al. 2015, A.2.2")
FINAL = Equation("final state", "s_0 = tanh(W h_n)", "Cho et al. 2014, A.1.2")
MEAN = Equation("mean", "s_0 = tanh(W mean_s h_s)", "Xu et al. 2015, 3.1.2")


class SummaryBridge(Bridge):
    """s_0 = tanh(W v) for each layer and part, v the last `dim` features of the summary"""

    def __init__(self, dim: int, cells: RecurrentCells, equation: Equation) -> None:
        super().__init__()
        self.dim, self.equation = dim, equation
        self.shape = (cells.layers, cells.parts, cells.dim)
        self.project = nn.Linear(dim, cells.layers * cells.parts * cells.dim)

    def forward(self, source: Encoded) -> Carry:
        return torch.tanh(self.project(self.vector(source))).unflatten(-1, self.shape)

    def vector(self, source: Encoded) -> Float[Tensor, "B V"]:
        return source.summary[:, -self.dim :]


class MeanBridge(SummaryBridge):
    """s_0 = tanh(W mean_s h_s)"""

    def __init__(self, dim: int, cells: RecurrentCells) -> None:
        super().__init__(dim, cells, MEAN)

    def vector(self, source: Encoded) -> Float[Tensor, "B V"]:
        return masked_mean(source.states, source.lengths)


def final_states(source: Encoded) -> Carry:
    """The final states of a recurrent encoder."""
    assert source.carry is not None, "the encoder must have a carry_shape"
    return source.carry


def state_bridge(encoder: Encoder[Any], cells: RecurrentCells) -> Bridge:
    """Return the bridge of a decoder that continues from the encoder's states."""
    shape = encoder.carry_shape
    if shape is None:
        return MeanBridge(encoder.dim, cells)
    if shape == CarryShape(cells.layers, cells.parts, 1, cells.dim):
        return CopyBridge()
    return ProjectionBridge(shape, cells)


def summary_bridge(encoder: Encoder[Any], cells: RecurrentCells) -> SummaryBridge:
    """Return the bridge of a decoder that starts from one vector of the source."""
    shape = encoder.carry_shape
    if shape is None:
        return MeanBridge(encoder.dim, cells)
    return SummaryBridge(shape.dim, cells, BACKWARD if shape.directions == 2 else FINAL)
