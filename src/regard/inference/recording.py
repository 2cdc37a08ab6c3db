"""Record the attention of a whole model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Attention, AttentionOutput, Memory
from regard.errors import ConfigError


class AttentionRecording:
    """The recorded calls of every attention of a model, by the attention's name in the model."""

    def __init__(self) -> None:
        self._outputs: dict[str, list[AttentionOutput]] = defaultdict(list)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, outputs in self._outputs.items() if outputs)

    def __getitem__(self, name: str) -> Float[Tensor, "B H T S"]:
        """Weights of one attention, its calls concatenated along T.

        If the memory grew between calls, positions that did not exist yet have weight 0.
        """
        return _concatenate([_recorded(x.weights) for x in self._calls(name)], 0.0)

    def scores(self, name: str) -> Float[Tensor, "B H T S"]:
        """Scores of one attention; −∞ for positions that did not exist yet."""
        return _concatenate([_recorded(x.scores) for x in self._calls(name)], -torch.inf)

    def projected_queries(self, name: str) -> Float[Tensor, "B H T D"]:
        queries = [_recorded(output.projected_query) for output in self._calls(name)]
        return torch.cat(queries, dim=2)

    def memory(self, name: str) -> Memory:
        """The memory of the last call. A growing memory is complete then."""
        memory = self._calls(name)[-1].memory
        assert memory is not None
        return memory

    def __repr__(self) -> str:
        calls = ", ".join(f"{name}: {len(self._outputs[name])} calls" for name in self.names)
        return f"{type(self).__name__}({calls})"

    def _calls(self, name: str) -> list[AttentionOutput]:
        if name not in self.names:
            recorded = ", ".join(self.names) or "none: the model was not called in the block"
            raise ConfigError(f"{name}: no such attention was recorded. Recorded: {recorded}.")
        return self._outputs[name]


def _recorded(x: Tensor | None) -> Tensor:
    assert x is not None, "recorded calls have weights"
    return x.detach()


def _concatenate(parts: list[Float[Tensor, "B H _ _"]], fill: float) -> Float[Tensor, "B H T S"]:
    size = max(part.size(-1) for part in parts)
    padded = [nn.functional.pad(part, (0, size - part.size(-1)), value=fill) for part in parts]
    return torch.cat(padded, dim=2)


@contextmanager
def watch(model: nn.Module, names: Collection[str] | None = None) -> Iterator[AttentionRecording]:
    """Record all attentions of `model`, or those named, inside the block.

    Only calls of the current thread are recorded; other threads may use the model meanwhile.
    """
    recording = AttentionRecording()
    with ExitStack() as stack:
        for name, module in model.named_modules():
            if isinstance(module, Attention) and (names is None or name in names):
                stack.enter_context(module.record(recording._outputs[name].append))
        yield recording
