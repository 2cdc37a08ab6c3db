"""A run told to its observers: the events of a small one, without a model."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from regard.train.report import (
    Began,
    Ended,
    Event,
    Look,
    Sample,
    Saved,
    Scores,
    Stepped,
    SteppedBack,
    Validated,
)

PIECES = ("▁ein", "▁Hund", "▁schläf", "t", "</s>")
READ = ("▁a", "▁dog", "▁sleeps", "</s>")


def stepped(step: int, loss: float = 3.0) -> Stepped:
    return Stepped(step, step // 10, loss, {"nll": loss - 0.5}, 1e-3 * step, 0.7, 4000, 0.5, 0.001)


def scores(bleu: float, step: int = 0) -> Scores:
    weights = torch.eye(5, 4).mul(step / 10).softmax(dim=-1)  # sharper from time to time
    looks = (Look("decoder.attention 0", weights), Look("decoder.attention 1", weights.flip(1)))
    sample = Sample("a dog sleeps", "ein Hund schläft", "ein Hund schläft", READ, PIECES, looks)
    return Scores({"bleu": bleu, "chrf": 2 * bleu, "nll": 1.5}, {"bleu": "nrefs:1"}, (sample,))


def validated(step: int, bleu: float, *, improved: bool = True) -> Validated:
    return Validated(step, step // 10, scores(bleu, step), "bleu", improved, 3, 2.0)


def run(last: int, *, after: int | None = None, validate: int = 10) -> Iterator[Event]:
    """All that is told of a run, from its beginning or from the checkpoint of the step `after`."""
    plan = {"model": "transformer, 2,350,000 parameters", "steps": f"{last}"}
    if after is None:
        yield Saved(0, "checkpoints/0", 0.1)
    yield Began(after or 0, last, 100_000, plan)
    for step in range((after or 0) + 1, last + 1):
        yield stepped(step, 5.0 - 4 * step / last)
        if step % validate == 0:
            yield validated(step, 30.0 * step / last)
            yield Saved(step, f"checkpoints/{step}", 0.1)
    yield Ended(last, "the last step was made", last, scores(30.0, last))


def back(step: int, wrong: int) -> SteppedBack:
    return SteppedBack(step, wrong, "the loss is not a number", 0.5)
