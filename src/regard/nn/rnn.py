"""Recurrent cells: over a whole sequence at once, or step by step where each waits for the last."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from regard.attention import Dropout, Equation
from regard.attention.kernels.deferred_gradients import defer_gradient, deferred_linear
from regard.attention.kernels.precision import to_compute_dtype
from regard.batch import Tokens
from regard.nn.interfaces import Encoded, Encoder

Cell: TypeAlias = Literal["gru", "lstm"]
RNN: dict[Cell, type[nn.GRU] | type[nn.LSTM]] = {"gru": nn.GRU, "lstm": nn.LSTM}
Parts: TypeAlias = tuple[Tensor, ...]  # of one layer's carry, B E each: hidden, and an LSTM's cell


class RecurrentCells(nn.Module):
    """s_t = cell(x_t, s_{t−1}), in layers; what is carried from step to step is one tensor.

    B L K E: for each layer the hidden state, and with it, in an LSTM, the memory cell (K = 2).
    """

    def __init__(
        self, input_dim: int, dim: int, *, cell: Cell = "gru", layers: int = 1, dropout: float = 0.0
    ) -> None:
        super().__init__()
        between = dropout if layers > 1 else 0.0
        self.rnn = RNN[cell](input_dim, dim, layers, batch_first=True, dropout=between)
        self.layer_dropout = Dropout(between)
        self.dim, self.layers, self.parts = dim, layers, 2 if cell == "lstm" else 1
        self.cell: Cell = cell

    def forward(
        self, inputs: Float[Tensor, "B T I"], carry: Float[Tensor, "B L K E"]
    ) -> tuple[Float[Tensor, "B T E"], Float[Tensor, "B L K E"]]:
        parts = tuple(part.transpose(0, 1).contiguous() for part in carry.unbind(dim=2))  # L B E
        states, last = self.rnn(inputs, parts if self.parts == 2 else parts[0])
        last = last if self.parts == 2 else (last,)
        return states, torch.stack([part.transpose(0, 1) for part in last], dim=2)

    if TYPE_CHECKING:
        __call__ = forward


class StepwiseCells:
    """The same cells step by step, where an input is known in part, and the rest when it is asked.

    The known part of all steps is projected at once, and the weights have one gradient for all
    steps: one for each would cost more than all the rest of the backward pass.
    """

    def __init__(
        self, cells: RecurrentCells, known: Float[Tensor, "B T I"], carry: Float[Tensor, "B L K E"]
    ) -> None:
        self.advance, self.layer_dropout = CELL_STEP[cells.cell], cells.layer_dropout
        carry = carry.to(cells.rnn.all_weights[0][1].dtype)  # not narrower: what is carried adds up
        self.layers: list[Parts] = [layer.unbind(dim=1) for layer in carry.unbind(dim=1)]
        input_weight, hidden_weight, input_bias, hidden_bias = zip(
            *(
                [to_compute_dtype(x.view_as(x)) for x in weights]
                for weights in cells.rnn.all_weights
            ),
            strict=True,
        )
        known_weight, other_weight = input_weight[0].tensor_split([known.size(-1)], dim=1)
        projected = nn.functional.linear(known, known_weight, input_bias[0])
        self.projected = projected.unbind(dim=1)  # T of B gates
        self.input_bias = input_bias
        self.input_weight = [defer_gradient(x) for x in (other_weight, *input_weight[1:])]
        self.hidden_weight, self.hidden_bias = (
            [defer_gradient(x) for x in hidden_weight],
            hidden_bias,
        )

    @property
    def hidden(self) -> Float[Tensor, "B 1 E"]:
        """The state of the last layer."""
        return self.layers[-1][0][:, None]

    @property
    def carry(self) -> Float[Tensor, "B L K E"]:
        return torch.stack([torch.stack(parts, dim=1) for parts in self.layers], dim=1)

    def step(self, t: int, other: Float[Tensor, "B 1 O"]) -> Float[Tensor, "B 1 E"]:
        """Step t, with the other part of its input; the state of the last layer after it."""
        gates = deferred_linear(other[:, 0], self.input_weight[0], self.projected[t])
        for i, parts in enumerate(self.layers):
            if i:
                below = self.layer_dropout(self.layers[i - 1][0])
                gates = deferred_linear(below, self.input_weight[i], self.input_bias[i])
            own = deferred_linear(parts[0], self.hidden_weight[i], self.hidden_bias[i])
            self.layers[i] = self.advance(gates, own, parts)
        return self.hidden


def run_padded(
    rnn: nn.GRU | nn.LSTM,
    x: Float[Tensor, "B S I"],
    lengths: Int[Tensor, " B"],
    layer_dropout: Dropout,
) -> tuple[Float[Tensor, "B S E"], Float[Tensor, "B E"]]:
    """What `rnn` makes of rows of these lengths, and its state after each row's end.

    A packed sequence gives the same, but torch's way back through one clears and adds up a tensor
    of all steps at every step: in training on a processor this takes two thirds of the time. And
    the fewer rows go on, the more their last bits depend on how many they are.
    """
    row = torch.arange(x.size(0), device=x.device)
    step = torch.arange(x.size(1), device=x.device)
    back = lengths[:, None] - 1 - step
    turned = row[:, None], torch.where(back >= 0, back, step)  # every row from its end on
    directions = 2 if rnn.bidirectional else 1
    for layer in range(rnn.num_layers):
        x, states, last = layer_dropout(x) if layer else x, [], []
        for direction in range(directions):
            read = x[turned] if direction else x
            said = _run_direction(rnn, read, rnn.all_weights[layer * directions + direction])
            states.append(said[turned] if direction else said)
            last.append(said[row, lengths - 1])
        x = torch.cat(states, dim=-1)
    return x, torch.cat(last, dim=-1)


def _run_direction(
    rnn: nn.GRU | nn.LSTM, x: Float[Tensor, "B S I"], weights: list[nn.Parameter]
) -> Float[Tensor, "B S E"]:
    """One layer in one direction, from nothing."""
    input_weight, hidden_weight, input_bias, hidden_bias = (
        to_compute_dtype(w.view_as(w)) for w in weights
    )
    gates = nn.functional.linear(to_compute_dtype(x), input_weight, input_bias)
    cell: Cell = "lstm" if rnn.mode == "LSTM" else "gru"
    nothing = weights[1].new_zeros(x.size(0), rnn.hidden_size)
    parts: Parts = (nothing, nothing)
    weight, states = defer_gradient(hidden_weight), []
    for now in gates.unbind(dim=1):
        parts = CELL_STEP[cell](now, deferred_linear(parts[0], weight, hidden_bias), parts)
        states.append(parts[0])
    return torch.stack(states, dim=1)


def gru_step(gates: Tensor, own: Tensor, parts: Parts) -> Parts:
    """h = n + z (h − n),  n = tanh(x_n + r h_n)  (Cho et al. 2014, with torch's order r, z, n)"""
    dim = gates.size(-1) // 3
    gates, fresh = gates.split([2 * dim, dim], dim=-1)
    own, old = own.split([2 * dim, dim], dim=-1)
    reset, keep = torch.sigmoid(gates + own).chunk(2, dim=-1)
    fresh = torch.tanh(torch.addcmul(fresh, reset, old))
    return (fresh + keep * (parts[0] - fresh),)


def lstm_step(gates: Tensor, own: Tensor, parts: Parts) -> Parts:
    """c = f c + i g,  h = o tanh(c)  (Gers et al. 2000, with torch's order i, f, g, o)"""
    take, keep, fresh, show = (gates + own).chunk(4, dim=-1)
    cell = torch.sigmoid(keep) * parts[1] + torch.sigmoid(take) * torch.tanh(fresh)
    return torch.sigmoid(show) * torch.tanh(cell), cell


CELL_STEP: dict[Cell, Callable[[Tensor, Tensor, Parts], Parts]] = {
    "gru": gru_step,
    "lstm": lstm_step,
}


class RecurrentStack(nn.Module):
    """h_s = cell(x_s, h_{s−1}), and from the other end where it reads in two directions."""

    def __init__(
        self,
        input_dim: int,
        dim: int,
        *,
        cell: Cell = "gru",
        layers: int = 1,
        bidirectional: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.rnn = RNN[cell](
            input_dim,
            dim,
            layers,
            batch_first=True,
            bidirectional=bidirectional,
            dropout=dropout if layers > 1 else 0.0,
        )
        self.layer_dropout = Dropout(dropout)
        self.directions = 2 if bidirectional else 1
        self.dim = self.directions * dim

    def forward(self, x: Float[Tensor, "B S I"], lengths: Int[Tensor, " B"] | None) -> Encoded:
        if lengths is not None and x.device.type == "cpu":
            states, summary = run_padded(self.rnn, x, lengths, self.layer_dropout)
            return Encoded(states, lengths, summary)
        if lengths is None:
            states, last = self.rnn(x)
        else:
            packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
            packed, last = self.rnn(packed)
            states, _ = pad_packed_sequence(packed, batch_first=True, total_length=x.size(1))
        hidden = last[0] if self.rnn.mode == "LSTM" else last  # (layers · directions) B dim
        summary = hidden[-self.directions :].transpose(0, 1).flatten(1)
        return Encoded(states, lengths, summary)

    if TYPE_CHECKING:
        __call__ = forward


class RecurrentEncoder(Encoder[Tokens]):
    """Recurrent states of the source. The summary is the last state of each direction."""

    equation = Equation("recurrent", "h_s = [→h_s; ←h_s]", "Bahdanau et al. 2015, 3.2")

    def __init__(
        self, embedding: nn.Embedding, stack: RecurrentStack, *, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.embedding, self.stack, self.dim = embedding, stack, stack.dim
        self.dropout = Dropout(dropout)

    def forward(self, source: Tokens) -> Encoded:
        return self.stack(self.dropout(self.embedding(source.ids)), source.lengths)
