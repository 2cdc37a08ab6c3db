"""Decode a given target, and record the attention of each step.

Explanations, alignments and quality checks use it. It is exact for any search, any engine and any
target, whether the model produced it or not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Attention, AttentionOutput, Memory
from regard.batch import Grids, Images, Tokens, pad
from regard.errors import ConfigError
from regard.hypothesis import Hypothesis
from regard.inference.engine import Segment
from regard.inference.threads import allowed_workers, map_batches
from regard.models import EncoderDecoder, LanguageModel, eval_mode
from regard.nn.interfaces import Decoded
from regard.text.tokenizer import BOS, EOS

# -- record the attention of a whole model ---------------------------------------------------------


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


# -- forced decoding -------------------------------------------------------------------------------


BUDGET = 1 << 11  # positions of a batch, all of whose logits and weights are held at once
WEIGHTS_BUDGET = 1 << 13  # the same without logits

Ids = Sequence[int]


@dataclass(frozen=True, slots=True)
class ForcedDecoding:
    """Probabilities and attention of one target. T and S count the tokens and the end token."""

    logps: tuple[float, ...]  # T; empty if not requested
    attention: dict[str, Float[Tensor, "H T S"]]  # by the attention's name in the model


def cross_attention_names(model: EncoderDecoder[Any, Any] | LanguageModel[Any]) -> tuple[str, ...]:
    """Return the names of all attentions over the source."""
    return tuple(f"decoder.{name}" for name in model.decoder.cross_attentions)


def get_attention(model: nn.Module, name: str) -> Attention:
    """Return the attention module of that name."""
    attention = model.get_submodule(name)
    assert isinstance(attention, Attention)
    return attention


@torch.inference_mode()
def force_decode(
    model: EncoderDecoder[Tokens, Any],
    pairs: Sequence[tuple[Ids, Ids]],
    names: Collection[str] | None = None,
    *,
    with_logps: bool = True,
) -> list[ForcedDecoding]:
    """Force the model to produce each target from its source.

    Args:
        pairs: Token ids of source and target, without special tokens.
        names: Attentions to record; by default all over the source.
        with_logps: Also compute log-probabilities, some 40 % of the work.
    """
    recorded = cross_attention_names(model) if names is None else names

    def decode_batch(batch: list[tuple[Ids, Ids]]) -> Iterator[ForcedDecoding]:
        source = pad([[*source, EOS] for source, _ in batch]).to(_device(model))
        targets = [[*target, EOS] for _, target in batch]
        decodings = _force(
            model, lambda prefix: model(source, prefix), targets, recorded, with_logps=with_logps
        )
        for forced, (ids, _) in zip(decodings, batch, strict=True):
            unpadded = {name: x[..., : len(ids) + 1] for name, x in forced.attention.items()}
            yield ForcedDecoding(forced.logps, unpadded)

    return _by_length(pairs, decode_batch, BUDGET if with_logps else WEIGHTS_BUDGET, _device(model))


def force_decode_text(
    model: LanguageModel[Any], texts: Sequence[Ids], names: Collection[str] = ()
) -> list[ForcedDecoding]:
    """Force a language model to produce each text.

    The weights of a recorded attention have a row for each id of the text and a column for each
    input: BOS and all ids but the last. An LSTMN does not attend to its current input. Its first
    column is the blank entry that its memory begins with.
    """

    def decode_batch(batch: list[tuple[Ids, Ids]]) -> Iterator[ForcedDecoding]:
        return _force(model, model, [text for _, text in batch], names)

    return _by_length([((), text) for text in texts], decode_batch, BUDGET, _device(model))


def force_decode_image(
    model: EncoderDecoder[Any, Any],
    source: Images | Grids,
    captions: Sequence[Ids],
    names: Collection[str] | None = None,
) -> list[ForcedDecoding]:
    """Force captions, ids without special tokens, of a batch of images.

    `names`: attentions to record; by default all over the image. Position s of their weights is row
    s // columns and column s % columns of the grid.
    """
    recorded = cross_attention_names(model) if names is None else names
    images = source.to(_device(model))
    targets = [[*caption, EOS] for caption in captions]
    return list(_force(model, lambda prefix: model(images, prefix), targets, recorded))


@torch.inference_mode()
def _force(
    model: EncoderDecoder[Any, Any] | LanguageModel[Any],
    decode: Callable[[Int[Tensor, "B T"]], Decoded],
    targets: Sequence[Ids],
    names: Collection[str],
    *,
    with_logps: bool = True,
) -> Iterator[ForcedDecoding]:
    """Force targets, which include their last token EOS, in one batch."""
    prefix = pad([[BOS, *target[:-1]] for target in targets]).to(_device(model))
    with eval_mode(model), watch(model, names) as recording:
        decoded = decode(prefix.ids)
        logps = (
            _token_logps(model.readout(decoded.hidden), targets)
            if with_logps
            else [()] * len(targets)
        )
    weights = {name: recording[name].cpu() for name in recording.names}
    for row, target in enumerate(targets):
        steps = len(target)
        yield ForcedDecoding(logps[row], {name: x[row, :, :steps] for name, x in weights.items()})


def _token_logps(logits: Float[Tensor, "B T V"], targets: Sequence[Ids]) -> list[tuple[float, ...]]:
    ids = pad(targets).ids.to(logits.device)
    logps = logits.log_softmax(dim=-1).gather(2, ids[..., None])[..., 0].tolist()
    return [tuple(row[: len(target)]) for row, target in zip(logps, targets, strict=True)]


def _device(model: nn.Module) -> torch.device:
    return next(model.parameters()).device


def _by_length(
    pairs: Sequence[tuple[Ids, Ids]],
    decode_batch: Callable[[list[tuple[Ids, Ids]]], Iterator[ForcedDecoding]],
    budget: int,
    device: torch.device,
) -> list[ForcedDecoding]:
    """Batch pairs of similar length; return results in the order of `pairs`."""
    decodings: dict[int, ForcedDecoding] = {}

    def decode_rows(rows: list[int]) -> list[ForcedDecoding]:
        return list(decode_batch([pairs[row] for row in rows]))

    batches = list(length_batches(pairs, budget))
    for rows, decoded in zip(
        batches, map_batches(decode_rows, batches, allowed_workers(device)), strict=True
    ):
        decodings |= zip(rows, decoded, strict=True)
    return [decodings[row] for row in range(len(pairs))]


def length_batches(pairs: Sequence[tuple[Ids, Ids]], budget: int = BUDGET) -> Iterator[list[int]]:
    """Yield the rows of each batch, shortest pairs first.

    The pairs of one batch are one batch again, in the same order.
    """
    batch: list[int] = []
    widest = 0
    for row in sorted(range(len(pairs)), key=lambda row: max(map(len, pairs[row]))):
        widest = max(widest, max(map(len, pairs[row])) + 1)
        if batch and widest * (len(batch) + 1) > budget:
            yield batch
            batch, widest = [], max(map(len, pairs[row])) + 1
        batch.append(row)
    if batch:
        yield batch


def add_logps(
    model: EncoderDecoder[Any, Any], results: list[list[Segment]], n_best: int
) -> list[list[Segment]]:
    """Force-decode hypotheses whose engine gives no log-probabilities."""
    missing = [
        (segment.source, hypothesis.tokens)
        for segments in results
        for segment in segments
        for hypothesis in segment.hypotheses[:n_best]
        if not hypothesis.logps
    ]
    forced = iter(force_decode(model, missing, ()))

    def with_logps(hypothesis: Hypothesis) -> Hypothesis:
        if hypothesis.logps:
            return hypothesis
        return replace(hypothesis, logps=next(forced).logps[: hypothesis.length])

    return [
        [
            replace(segment, hypotheses=tuple(map(with_logps, segment.hypotheses[:n_best])))
            for segment in segments
        ]
        for segments in results
    ]
