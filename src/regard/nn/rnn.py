"""Recurrent networks: over a whole sequence at once, or step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import linear
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from regard.attention import Dropout, Equation, Lengths, add_product, reuse
from regard.attention.precision import to_compute_dtype
from regard.batch import Tokens
from regard.nn.interfaces import CarryShape, Encoded, Encoder

Cell: TypeAlias = Literal["gru", "lstm"]
RNN: dict[Cell, type[nn.GRU] | type[nn.LSTM]] = {"gru": nn.GRU, "lstm": nn.LSTM}
EMBEDDING_STD = 0.25
"""The standard deviation of embeddings that cells read (decision 14)."""
Parts: TypeAlias = tuple[Tensor, ...]  # one layer's carry, B E each: hidden, and an LSTM's cell
Carry: TypeAlias = Float[Tensor, "B L K E"]
"""All that passes from step to step: K = 1 hidden state per layer, or K = 2 with an LSTM's cell."""


class RecurrentCells(nn.Module):
    """s_t = cell(x_t, s_{t−1}), in layers"""

    def __init__(
        self, input_dim: int, dim: int, *, cell: Cell = "gru", layers: int = 1, dropout: float = 0.0
    ) -> None:
        super().__init__()
        dropout = dropout if layers > 1 else 0.0
        self.rnn = RNN[cell](input_dim, dim, layers, batch_first=True, dropout=dropout)
        init_as_bahdanau(self.rnn)
        self.layer_dropout = Dropout(dropout)
        self.dim, self.layers, self.parts = dim, layers, 2 if cell == "lstm" else 1
        self.cell: Cell = cell

    def forward(
        self, inputs: Float[Tensor, "B T I"], carry: Carry
    ) -> tuple[Float[Tensor, "B T E"], Carry]:
        parts = tuple(part.transpose(0, 1).contiguous() for part in carry.unbind(dim=2))  # L B E
        states, last = self.rnn(inputs, parts if self.parts == 2 else parts[0])
        last = last if self.parts == 2 else (last,)
        return states, torch.stack([part.transpose(0, 1) for part in last], dim=2)

    if TYPE_CHECKING:
        __call__ = forward


def init_as_bahdanau(rnn: nn.GRU | nn.LSTM) -> None:
    """Orthogonal recurrent matrices and biases of zero (Bahdanau et al. 2015, B.1)."""
    for _, hidden_weight, *biases in rnn.all_weights:
        for gate in hidden_weight.detach().split(rnn.hidden_size):
            nn.init.orthogonal_(gate)
        for bias in biases:
            nn.init.zeros_(bias)


class StepwiseCells:
    """The same cells step by step, for inputs of which one part is known only at its step.

    The known part of all steps is projected at once, and the gradients of the weights are deferred
    (see `deferred_gradients`): one gradient per step would dominate the backward pass.
    """

    def __init__(self, cells: RecurrentCells, known: Float[Tensor, "B T I"], carry: Carry) -> None:
        self.advance, self.layer_dropout = CELL_STEP[cells.cell], cells.layer_dropout
        carry = carry.to(cells.rnn.all_weights[0][1].dtype)  # narrower, it would lose precision
        self.layers: list[Parts] = [layer.unbind(dim=1) for layer in carry.unbind(dim=1)]
        input_weight, hidden_weight, input_bias, hidden_bias = zip(
            *(
                [to_compute_dtype(x.view_as(x)) for x in weights]
                for weights in cells.rnn.all_weights
            ),
            strict=True,
        )
        known_weight, other_weight = input_weight[0].tensor_split([known.size(-1)], dim=1)
        self.projected = linear(known, known_weight, input_bias[0]).unbind(dim=1)  # T of B gates
        self.input_bias, self.hidden_bias = input_bias, hidden_bias
        self.input_weight = [reuse(x) for x in (other_weight, *input_weight[1:])]
        self.hidden_weight = [reuse(x) for x in hidden_weight]

    @property
    def hidden(self) -> Float[Tensor, "B 1 E"]:
        """The state of the last layer."""
        return self.layers[-1][0][:, None]

    @property
    def carry(self) -> Carry:
        return torch.stack([torch.stack(parts, dim=1) for parts in self.layers], dim=1)

    def step(self, t: int, other: Float[Tensor, "B 1 O"] | None) -> Float[Tensor, "B 1 E"]:
        """Run step t, given the other part of its input; return the last layer's state."""
        gates = self.projected[t]
        if other is not None:
            gates = add_product(gates, other[:, 0], self.input_weight[0])
        for i, parts in enumerate(self.layers):
            if i:
                below = self.layer_dropout(self.layers[i - 1][0])
                gates = add_product(self.input_bias[i], below, self.input_weight[i])
            hidden = add_product(self.hidden_bias[i], parts[0], self.hidden_weight[i])
            self.layers[i] = self.advance(gates, hidden, parts)
        return self.hidden


def run_padded(
    rnn: nn.GRU | nn.LSTM,
    x: Float[Tensor, "B S I"],
    lengths: Int[Tensor, " B"],
    layer_dropout: Dropout,
) -> tuple[Float[Tensor, "B S E"], Carry]:
    """Run `rnn` over padded rows; return its states and those of all layers at the end of each row.

    A packed sequence gives the same, but its backward pass clears and adds a tensor of all steps
    at every step, which takes two thirds of the training time on a CPU. And the fewer rows are
    left, the more their last bits depend on how many they are.
    """
    row = torch.arange(x.size(0), device=x.device)
    step = torch.arange(x.size(1), device=x.device)
    back = lengths[:, None] - 1 - step
    backwards = row[:, None], torch.where(back >= 0, back, step)  # each row from its end on
    directions, carry = 2 if rnn.bidirectional else 1, []
    for layer in range(rnn.num_layers):
        x, states, last = layer_dropout(x) if layer else x, [], []
        for direction in range(directions):
            weights = rnn.all_weights[layer * directions + direction]
            parts = _run_direction(rnn, x[backwards] if direction else x, weights)
            states.append(parts[0][backwards] if direction else parts[0])
            last.append(torch.stack([part[row, lengths - 1] for part in parts], dim=1))  # B K E
        x = torch.cat(states, dim=-1)
        carry.append(torch.cat(last, dim=-1))
    return x, torch.stack(carry, dim=1)


def run_packed(
    rnn: nn.GRU | nn.LSTM, x: Float[Tensor, "B S I"], lengths: Lengths
) -> tuple[Float[Tensor, "B S E"], Carry]:
    """The same by torch's own cells, over a packed sequence if there is padding."""
    if lengths is None:
        states, last = rnn(x)
    else:
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed, last = rnn(packed)
        states, _ = pad_packed_sequence(packed, batch_first=True, total_length=x.size(1))
    parts = torch.stack(last if rnn.mode == "LSTM" else (last,))  # K L·D B E
    by_layer = parts.unflatten(1, (rnn.num_layers, -1))  # K L D B E
    return states, by_layer.permute(3, 1, 0, 2, 4).flatten(3)


def _run_direction(
    rnn: nn.GRU | nn.LSTM, x: Float[Tensor, "B S I"], weights: list[nn.Parameter]
) -> list[Float[Tensor, "B S E"]]:
    """The parts of one layer in one direction, from a zero state."""
    input_weight, hidden_weight, input_bias, hidden_bias = (
        to_compute_dtype(w.view_as(w)) for w in weights
    )
    gates = linear(to_compute_dtype(x), input_weight, input_bias)
    advance = CELL_STEP["lstm" if rnn.mode == "LSTM" else "gru"]
    zero = weights[1].new_zeros(x.size(0), rnn.hidden_size)
    parts: Parts = (zero, zero)
    weight, steps = reuse(hidden_weight), []
    for now in gates.unbind(dim=1):
        parts = advance(now, add_product(hidden_bias, parts[0], weight), parts)
        steps.append(parts)
    return [torch.stack(part, dim=1) for part in zip(*steps, strict=True)]


def gru_step(gates: Tensor, hidden: Tensor, parts: Parts) -> Parts:
    """h = n + z (h − n),  n = tanh(x_n + r h_n)  (Cho et al. 2014, with torch's order r, z, n)"""
    dim = gates.size(-1) // 3
    gates, new = gates.split([2 * dim, dim], dim=-1)
    hidden, old = hidden.split([2 * dim, dim], dim=-1)
    reset, update = torch.sigmoid(gates + hidden).chunk(2, dim=-1)
    new = torch.tanh(torch.addcmul(new, reset, old))
    return (new + update * (parts[0] - new),)


def lstm_step(gates: Tensor, hidden: Tensor, parts: Parts) -> Parts:
    """c = f c + i g,  h = o tanh(c)  (Gers et al. 2000, with torch's order i, f, g, o)"""
    i, f, g, o = (gates + hidden).chunk(4, dim=-1)
    cell = torch.sigmoid(f) * parts[1] + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(cell), cell


CELL_STEP: dict[Cell, Callable[[Tensor, Tensor, Parts], Parts]] = {
    "gru": gru_step,
    "lstm": lstm_step,
}


class RecurrentStack(nn.Module):
    """h_s = cell(x_s, h_{s−1}) in layers, and from the other end if bidirectional"""

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
        between = dropout if layers > 1 else 0.0
        options = {"batch_first": True, "bidirectional": bidirectional, "dropout": between}
        self.rnn = RNN[cell](input_dim, dim, layers, **options)
        init_as_bahdanau(self.rnn)
        self.layer_dropout = Dropout(dropout)
        self.directions = 2 if bidirectional else 1
        self.dim = self.directions * dim
        self.carry_shape = CarryShape(layers, 2 if cell == "lstm" else 1, self.directions, dim)

    def forward(self, x: Float[Tensor, "B S I"], lengths: Lengths) -> Encoded:
        if lengths is not None and x.device.type == "cpu":
            states, carry = run_padded(self.rnn, x, lengths, self.layer_dropout)
        else:
            states, carry = run_packed(self.rnn, x, lengths)
        return Encoded(states, lengths, carry[:, -1, 0], carry)

    if TYPE_CHECKING:
        __call__ = forward


class RecurrentEncoder(Encoder[Tokens]):
    """Recurrent states of the source. The summary is the last state of each direction.

    With `reverse`, the cells read the words from the last to the first and then the end token
    (Sutskever et al. 2014, 3.3). State s still belongs to token s.
    """

    equation = Equation("recurrent", "h_s = [→h_s; ←h_s]", "Bahdanau et al. 2015, 3.2")

    def __init__(
        self,
        embedding: nn.Embedding,
        stack: RecurrentStack,
        *,
        reverse: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embedding, self.stack, self.dim = embedding, stack, stack.dim
        self.carry_shape, self.reverse = stack.carry_shape, reverse
        self.dropout = Dropout(dropout)

    def forward(self, source: Tokens) -> Encoded:
        if not self.reverse:
            return self.stack(self.dropout(self.embedding(source.ids)), source.lengths)
        order = reversed_words(source)
        words = self.embedding(source.ids.gather(1, order))
        encoded = self.stack(self.dropout(words), source.lengths)
        states = encoded.states.gather(1, order[..., None].expand_as(encoded.states))
        return replace(encoded, states=states)


def reversed_words(source: Tokens) -> Int[Tensor, "B S"]:
    """The positions of each row with its words reversed; the end token and padding stay."""
    rows, width = source.ids.shape
    position = torch.arange(width, device=source.ids.device).expand(rows, -1)
    words = (width if source.lengths is None else source.lengths[:, None]) - 1
    return torch.where(position < words, words - 1 - position, position)
