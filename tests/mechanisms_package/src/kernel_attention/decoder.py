"""A decoder without a recurrent state: the last word attends to the source."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from regard.attention import Equation, Memory
from regard.config.attention import AttentionConfig
from regard.nn.interfaces import Decoded, Decoder, Encoded, Encoder, source_memory


@dataclass(frozen=True)
class State:
    source: Memory
    step: int = 0


class LastWordDecoder(Decoder[State]):
    equation = Equation("last-word", "c_t = attend(y_{t−1}),  o_t = tanh(W [y_{t−1}; c_t])")
    cross_attentions = ("attention",)

    def __init__(self, input_dim: int, encoder: Encoder, dim: int, attention: AttentionConfig):
        super().__init__()
        self.attention, self.dim = attention.build(input_dim, encoder.dim), dim
        self.combine = nn.Linear(input_dim + encoder.dim, dim)

    def start(self, source: Encoded) -> State:
        return State(source_memory(self.attention, source))

    def forward(self, inputs: Tensor, state: State) -> tuple[Decoded, State]:
        c = self.attention(inputs, state.source, start=state.step).context
        hidden = torch.tanh(self.combine(torch.cat([inputs, c], dim=-1)))
        return Decoded(hidden), replace(state, step=state.step + inputs.size(1))
