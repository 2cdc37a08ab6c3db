"""A run told to its observers: the events of a small one, without a model."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from regard.train.events import (
    CheckpointSaved,
    Event,
    RolledBack,
    SampleAttention,
    Scores,
    StepCompleted,
    TrainingEnded,
    TrainingStarted,
    ValidationCompleted,
    ValidationSample,
)

PIECES = ("▁ein", "▁Hund", "▁schläf", "t", "</s>")
READ = ("▁a", "▁dog", "▁sleeps", "</s>")


def stepped(step: int, loss: float = 3.0) -> StepCompleted:
    return StepCompleted(
        step, step // 10, loss, {"nll": loss - 0.5}, 1e-3 * step, 0.7, 4000, 0.5, 0.001
    )


def scores(bleu: float, step: int = 0) -> Scores:
    weights = torch.eye(5, 4).mul(step / 10).softmax(dim=-1)  # sharper from time to time
    looks = (
        SampleAttention("decoder.attention 0", weights),
        SampleAttention("decoder.attention 1", weights.flip(1)),
    )
    sample = ValidationSample(
        "a dog sleeps", "ein Hund schläft", "ein Hund schläft", READ, PIECES, looks
    )
    return Scores({"bleu": bleu, "chrf": 2 * bleu, "nll": 1.5}, {"bleu": "nrefs:1"}, (sample,))


def validated(step: int, bleu: float, *, improved: bool = True) -> ValidationCompleted:
    return ValidationCompleted(step, step // 10, scores(bleu, step), "bleu", improved, 3, 2.0)


def run(last: int, *, after: int | None = None, validate: int = 10) -> Iterator[Event]:
    """All that is told of a run, from its beginning or from the checkpoint of the step `after`."""
    plan = {"model": "transformer, 2,350,000 parameters", "steps": f"{last}"}
    if after is None:
        yield CheckpointSaved(0, "checkpoints/0", 0.1)
    yield TrainingStarted(after or 0, last, 100_000, plan)
    for step in range((after or 0) + 1, last + 1):
        yield stepped(step, 5.0 - 4 * step / last)
        if step % validate == 0:
            yield validated(step, 30.0 * step / last)
            yield CheckpointSaved(step, f"checkpoints/{step}", 0.1)
    yield TrainingEnded(last, "the last step was made", last, scores(30.0, last))


def back(step: int, wrong: int) -> RolledBack:
    return RolledBack(step, wrong, "the loss is not a number", 0.5)
