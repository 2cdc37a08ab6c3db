"""Recurrent networks: s_t = cell(x_t, s_{t−1}), in layers and in loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import linear
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.utils._pytree import tree_flatten, tree_unflatten

from regard.attention import Dropout, Equation, Lengths, add_product, reuse
from regard.batch import Tokens
from regard.nn.interfaces import CarryShape, Encoded, Encoder

Cell: TypeAlias = Literal["gru", "lstm"]
EMBEDDING_STD = 0.25
"""The standard deviation of embeddings that cells read (decision 14)."""
Parts: TypeAlias = tuple[Tensor, ...]  # one layer's state, B E each: hidden, and an LSTM's cell
Layers: TypeAlias = tuple[Parts, ...]
Carry: TypeAlias = Float[Tensor, "B L K E"]
"""All that passes from step to step: K = 1 hidden state per layer, or K = 2 with an LSTM's cell."""
S = TypeVar("S")


class TorchGRU(nn.RNNBase):
    """The weights and the fast kernels of `nn.GRU`, a class that torch.compile refuses to read."""

    def __init__(self, input_dim: int, dim: int, layers: int, **options: Any) -> None:
        super().__init__("GRU", input_dim, dim, layers, batch_first=True, **options)

    forward = nn.GRU.forward


class TorchLSTM(nn.RNNBase):
    """The same of `nn.LSTM`."""

    def __init__(self, input_dim: int, dim: int, layers: int, **options: Any) -> None:
        super().__init__("LSTM", input_dim, dim, layers, batch_first=True, **options)

    forward = nn.LSTM.forward
    get_expected_cell_size = nn.LSTM.get_expected_cell_size
    check_forward_args = nn.LSTM.check_forward_args  # type: ignore[assignment]
    permute_hidden = nn.LSTM.permute_hidden  # type: ignore[assignment]


RNN: dict[Cell, type[TorchGRU] | type[TorchLSTM]] = {"gru": TorchGRU, "lstm": TorchLSTM}


def unroll(
    step: Callable[..., tuple[S, tuple[Tensor, ...]]], state: S, *inputs: Float[Tensor, "B T _"]
) -> tuple[S, tuple[Tensor, ...]]:
    """s_t, o_t = step(s_{t−1}, t, x_t, …) for t = 0 … T − 1; returns s_{T−1}, and o of all steps.

    Compiled code has a loop operator instead of a copy of the step for each t, so that T may vary.
    """
    if torch.compiler.is_compiling() and inputs[0].size(1) != 1:
        return _scan(step, state, inputs)
    outputs = []
    for t, x in enumerate(zip(*(x.unbind(dim=1) for x in inputs), strict=True)):
        state, output = step(state, t, *x)
        outputs.append(output)
    return state, tuple(torch.stack(steps, dim=1) for steps in zip(*outputs, strict=True))


def _scan(step: Any, state: Any, inputs: tuple[Tensor, ...]) -> tuple[Any, tuple[Tensor, ...]]:
    """`unroll` with torch's loop operator, whose tensors must be neither views nor aliases."""
    from torch._higher_order_ops.scan import scan

    begin, structure = tree_flatten(state)

    def combine(leaves: list[Tensor], now: tuple[Tensor, ...]) -> tuple[Any, tuple[Tensor, ...]]:
        state, outputs = step(tree_unflatten(leaves, structure), *now)
        return [_copy(x) for x in tree_flatten(state)[0]], tuple(_copy(x) for x in outputs)

    positions = torch.arange(inputs[0].size(1), device=inputs[0].device)
    by_step = (positions, *(_copy(x.transpose(0, 1)) for x in inputs))
    last, outputs = scan(combine, [_copy(x) for x in begin], by_step)
    return tree_unflatten(last, structure), tuple(x.transpose(0, 1) for x in outputs)


def _copy(x: Tensor) -> Tensor:
    return x.clone(memory_format=torch.contiguous_format)


# -- cells ---------------------------------------------------------------------------------------


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


class RecurrentCells(nn.Module):
    """s_t = cell(x_t, s_{t−1}), in layers"""

    def __init__(
        self, input_dim: int, dim: int, *, cell: Cell = "gru", layers: int = 1, dropout: float = 0.0
    ) -> None:
        super().__init__()
        dropout = dropout if layers > 1 else 0.0
        self.rnn = RNN[cell](input_dim, dim, layers, dropout=dropout)
        init_as_bahdanau(self.rnn)
        self.layer_dropout = Dropout(dropout)
        self.dim, self.layers, self.parts = dim, layers, 2 if cell == "lstm" else 1
        self.cell: Cell = cell

    def forward(
        self, inputs: Float[Tensor, "B T I"], carry: Carry
    ) -> tuple[Float[Tensor, "B T E"], Carry]:
        """All steps at once, for inputs that are known beforehand."""
        if torch.compiler.is_compiling():  # torch does not trace its own cells
            cell = CellStep(self, inputs.size(-1))

            def step(s: Layers, t: Any, x: Tensor) -> tuple[Layers, Parts]:
                s = cell(s, x)
                return s, (top(s),)

            last, (states,) = unroll(step, cell.begin(carry), cell.project(inputs))
            return states, join_layers(last)
        parts = tuple(part.transpose(0, 1).contiguous() for part in carry.unbind(dim=2))  # L B E
        states, last_parts = self.rnn(inputs, parts if self.parts == 2 else parts[0])
        last_parts = last_parts if self.parts == 2 else (last_parts,)
        return states, torch.stack([part.transpose(0, 1) for part in last_parts], dim=2)

    if TYPE_CHECKING:
        __call__ = forward


def init_as_bahdanau(rnn: nn.RNNBase) -> None:
    """Orthogonal recurrent matrices and biases of zero (Bahdanau et al. 2015, B.1)."""
    for _, hidden_weight, *biases in rnn.all_weights:
        for gate in hidden_weight.detach().split(rnn.hidden_size):
            nn.init.orthogonal_(gate)
        for bias in biases:
            nn.init.zeros_(bias)


class CellStep:
    """s_t = cell([x_t; z_t], s_{t−1}), a step of a loop, where z_t is known only at step t.

    What x contributes is projected for all steps at once, by `project`. The weights serve many
    steps, so their gradient is computed once, at the end (`reuse`).
    """

    def __init__(self, cells: RecurrentCells, known_dim: int) -> None:
        self.advance, self.layer_dropout = CELL_STEP[cells.cell], cells.layer_dropout
        self.dtype = cells.rnn.all_weights[0][1].dtype
        weights = [[reuse(x) for x in layer] for layer in cells.rnn.all_weights]
        input_weight, self.hidden_weight, self.input_bias, self.hidden_bias = zip(
            *weights, strict=True
        )
        self.known_weight, other_weight = input_weight[0].tensor_split([known_dim], dim=1)
        self.input_weight = (reuse(other_weight.contiguous()), *input_weight[1:])

    def begin(self, carry: Carry) -> Layers:
        """The state before the first step; narrower than the weights, it would lose precision."""
        return tuple(layer.unbind(dim=1) for layer in carry.to(self.dtype).unbind(dim=1))

    def project(self, x: Float[Tensor, "B T I"]) -> Float[Tensor, "B T G"]:
        """What x contributes to the gates, with the bias."""
        return linear(x, self.known_weight, self.input_bias[0])

    def __call__(self, s: Layers, x: Tensor, z: Tensor | None = None) -> Layers:
        """s_t from s_{t−1}, the projected x_t and z_t."""
        gates = x if z is None else add_product(x, z, self.input_weight[0])
        layers: list[Parts] = []
        for i, parts in enumerate(s):
            if i:
                below = self.layer_dropout(layers[-1][0])
                gates = add_product(self.input_bias[i], below, self.input_weight[i])
            hidden = add_product(self.hidden_bias[i], parts[0], self.hidden_weight[i])
            layers.append(self.advance(gates, hidden, parts))
        return tuple(layers)


def top(s: Layers) -> Float[Tensor, "B E"]:
    """The hidden state of the last layer."""
    return s[-1][0]


def join_layers(s: Layers) -> Carry:
    return torch.stack([torch.stack(parts, dim=1) for parts in s], dim=1)


# -- whole sequences -----------------------------------------------------------------------------


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
        self.rnn = RNN[cell](input_dim, dim, layers, bidirectional=bidirectional, dropout=between)
        init_as_bahdanau(self.rnn)
        self.layer_dropout = Dropout(dropout)
        self.directions = 2 if bidirectional else 1
        self.dim = self.directions * dim
        self.carry_shape = CarryShape(layers, 2 if cell == "lstm" else 1, self.directions, dim)

    def forward(self, x: Float[Tensor, "B S I"], lengths: Lengths) -> Encoded:
        padded = lengths is not None and x.device.type == "cpu"
        if padded or torch.compiler.is_compiling():
            states, carry = run_unrolled(self.rnn, x, lengths, self.layer_dropout)
        else:
            states, carry = run_packed(self.rnn, x, lengths)
        return Encoded(states, lengths, carry[:, -1, 0], carry)

    if TYPE_CHECKING:
        __call__ = forward


def run_unrolled(
    rnn: nn.RNNBase, x: Float[Tensor, "B S I"], lengths: Lengths, layer_dropout: Dropout
) -> tuple[Float[Tensor, "B S E"], Carry]:
    """Run `rnn` over padded rows; return its states and those of all layers at the end of each row.

    A packed sequence gives the same, but its backward pass clears and adds a tensor of all steps
    at every step, which takes two thirds of the training time on a CPU. And the fewer rows are
    left, the more their last bits depend on how many they are.
    """
    row = torch.arange(x.size(0), device=x.device)
    step = torch.arange(x.size(1), device=x.device)
    n = row.new_full(row.shape, x.size(1)) if lengths is None else lengths
    back = n[:, None] - 1 - step
    backwards = row[:, None], torch.where(back >= 0, back, step)  # each row from its end on
    directions, carry = 2 if rnn.bidirectional else 1, []
    for layer in range(rnn.num_layers):
        x, states, last = layer_dropout(x) if layer else x, [], []
        for direction in range(directions):
            weights = rnn.all_weights[layer * directions + direction]
            parts = _run_direction(rnn, x[backwards] if direction else x, weights)
            states.append(parts[0][backwards] if direction else parts[0])
            last.append(torch.stack([part[row, n - 1] for part in parts], dim=1))  # B K E
        x = torch.cat(states, dim=-1)
        carry.append(torch.cat(last, dim=-1))
    return x, torch.stack(carry, dim=1)


def _run_direction(
    rnn: nn.RNNBase, x: Float[Tensor, "B S I"], weights: list[nn.Parameter]
) -> tuple[Float[Tensor, "B S E"], ...]:
    """The parts of one layer in one direction, from a zero state."""
    input_weight, hidden_weight, input_bias, hidden_bias = (reuse(w) for w in weights)
    advance = CELL_STEP["lstm" if rnn.mode == "LSTM" else "gru"]

    def step(parts: Parts, t: Any, gates: Tensor) -> tuple[Parts, Parts]:
        parts = advance(gates, add_product(hidden_bias, parts[0], hidden_weight), parts)
        return parts, parts

    zero = weights[1].new_zeros(x.size(0), rnn.hidden_size)
    begin = (zero,) * (2 if rnn.mode == "LSTM" else 1)
    return unroll(step, begin, linear(x, input_weight, input_bias))[1]


def run_packed(
    rnn: nn.RNNBase, x: Float[Tensor, "B S I"], lengths: Lengths
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
